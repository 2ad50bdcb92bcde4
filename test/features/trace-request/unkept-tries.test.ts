/** What is said of a request of which n8n keeps only some tries: each of these was once told as several sendings. */
import { describe, expect, test } from "vitest";
import {
  ERR,
  entry,
  errorRun,
  failedChild,
  failedEntry,
  ID,
  sub,
  traced,
} from "../../support/called-workflows.ts";
import { createFakeN8n, fakeExecution } from "../../support/fake-n8n.ts";

const retryOf = (id: number, original: number) =>
  entry(id, "req-1", null, { mode: "retry", retryOf: String(original) });
const failedRetryOf = (id: number, original: number) =>
  failedEntry(id, "req-1", null, "Send", { mode: "retry", retryOf: String(original) });

describe("of what failed, only the error workflow's run is kept:", () => {
  test("a retry that succeeded decides", async () => {
    const { outcome, message } = await traced([errorRun(12, 10, ID), retryOf(14, 10)], ID);
    expect(outcome).toBe("success");
    expect(message).toMatch(/^Request "req-1" succeeded on its last retry in "orders" \(execution 14\)/);
    expect(message).not.toContain("It was sent");
  });

  test("so does one that does not hold the id", async () => {
    const retry = fakeExecution(14, "-", {
      mode: "retry",
      retryOf: "10",
      data: { resultData: { runData: {} } },
    });
    expect((await traced([errorRun(12, 10, ID), retry], ID)).message).toContain("(execution 14)");
  });

  test("a retry that failed is the same sending", async () => {
    const all = [errorRun(12, 10, ID), failedRetryOf(14, 10), errorRun(15, 14, ID)];
    const { failure, message } = await traced(all, ID);
    expect(failure?.executionId).toBe("14");
    expect(message).not.toContain("It was sent");
  });

  test("a sub-workflow that failed below it is the same sending", async () => {
    const { message } = await traced([sub(11, 10, ID, ERR), errorRun(12, 10, ID)], ID);
    expect(message).toContain("failed");
    expect(message).not.toContain("It was sent");
  });

  test("without a retry it has failed, whoever sends it again", async () => {
    const { outcome, message } = await traced([errorRun(12, 10, ID), entry(200, "req-1", null)], ID);
    expect(outcome).toBe("error");
    expect(message).toContain("It was sent 2 times: 1 failed, 1 succeeded.");
  });
});

describe("a retry that n8n names as successful, and does not keep,", () => {
  const failed = (id: number, retrySuccessId: string) =>
    failedEntry(id, "req-1", null, "Send", { retrySuccessId });

  test("has survived what failed below it", async () => {
    const { outcome, message } = await traced([failed(10, "12"), failedChild(13, 12)], ID);
    expect(outcome).toBe("success");
    expect(message).toContain("a retry of it succeeded (execution 12)");
    expect(message).toContain('With 1 sub-workflow run (1 failed: "child" (execution 13)).');
    expect(message).not.toContain("It was sent");
  });

  test("is learnt of every sending from n8n's list, not only of the one that decides", async () => {
    const n8n = createFakeN8n([failedEntry(10, "req-1"), failedEntry(20, "req-1"), fakeExecution(30, "x")]);
    let time = Date.UTC(2026, 0, 2);
    const { caller, outcome } = await traced(n8n, ID, { now: () => time });
    expect(outcome).toBe("error");
    n8n.executions = [failed(10, "25"), failed(20, "26"), fakeExecution(30, "x")];
    time += 120_000;
    const { message } = await caller.call("trace_request", ID);
    expect(message).toContain("It was sent 2 times: 2 succeeded.");
  });
});
