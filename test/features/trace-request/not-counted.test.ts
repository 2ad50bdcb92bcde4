/** Executions that hold a request's id, and are no sending of it: runs in the editor, reports, what was handed on. */
import { describe, expect, test } from "vitest";
import {
  CONNECTIONS,
  ERR,
  entry,
  errorRun,
  failedAt,
  failedEntry,
  failedRun,
  ID,
  NODES,
  runOf,
  traced,
} from "../../support/called-workflows.ts";
import { type FakeExecution, fakeExecution } from "../../support/fake-n8n.ts";

describe("a run in n8n's editor, with the data of the request,", () => {
  test.each(["manual", "evaluation"])("is no try of it (%s): it does not mend a failure", async (mode) => {
    const { outcome, message } = await traced(
      [failedEntry(10, "req-1"), entry(20, "req-1", null, { mode })],
      ID,
    );
    expect(outcome).toBe("error");
    expect(message).not.toContain("sent again");
    expect(message).toContain("Not counted: 1 run in n8n's editor.");
  });

  test("does not make a success a failure", async () => {
    const all = [entry(10, "req-1", null), failedEntry(20, "req-1", null, "Send", { mode: "manual" })];
    const { outcome, message } = await traced(all, ID);
    expect(outcome).toBe("success");
    expect(message).toContain('in "orders" (execution 10)');
  });

  test("is told as such where there is nothing else", async () => {
    const { outcome, message } = await traced([entry(20, "req-1", null, { mode: "manual" })], ID);
    expect(outcome).toBe("success");
    expect(message).toContain("Execution 20 ran in n8n's editor.");
  });
});

/** A schedule that reads rows with these ids, and sends a report of them. */
function report(id: number, ids: readonly string[], fails = false): FakeExecution {
  const rows = { data: { main: [ids.map((requestId) => ({ json: { requestId } }))] } };
  return fakeExecution(id, "-", {
    ...(fails ? ERR : {}),
    mode: "trigger",
    workflowId: "w7",
    workflowData: { id: "w7", name: "report", nodes: NODES, connections: CONNECTIONS },
    data: {
      resultData: {
        runData: {
          Schedule: [runOf(0, {}, {})],
          Rows: [runOf(1, rows, {})],
          ...(fails ? { Send: [failedRun(2, "refused")] } : {}),
        },
        ...(fails ? failedAt("Send", "refused") : { lastNodeExecuted: "Rows" }),
      },
    },
  });
}

describe("a report that lists the ids of several requests", () => {
  const IDS = ["req-1", "req-2", "req-3"];

  test("is no sending of any", async () => {
    const all = [entry(10, "req-1", null), report(60, IDS), report(61, IDS)];
    const { message } = await traced(all, ID);
    expect(message).toContain('succeeded in "orders" (execution 10)');
    expect(message).toContain("Not counted: 2 runs that list other ids, too.");
    expect(message).not.toContain("It was sent");
  });

  test("may have failed because of another: the own failure comes first", async () => {
    const { failure } = await traced([report(5, IDS, true), failedEntry(10, "req-1")], ID);
    expect(failure?.executionId).toBe("10");
  });

  test.each([
    ["where the request itself succeeded", [entry(10, "req-1", null), report(60, IDS, true)]],
    ["where nothing else holds the id", [report(60, IDS, true)]],
  ])("may have failed because of another: that is said %s", async (_where, all) => {
    const { outcome, message } = await traced(all, ID);
    expect(outcome).toBe("error");
    expect(message).toContain("Execution 60 lists other ids, too: what went wrong may concern those.");
  });

  test("that lists only this one may be what works it off", async () => {
    const { message } = await traced([entry(10, "req-1", null), report(60, ["req-1"], true)], ID);
    expect(message).toContain('failed at node "Send" in "report" (execution 60). It was sent 2 times');
    expect(message).not.toContain("lists other ids");
  });
});

describe("what began while another workflow of the request ran may be its doing", () => {
  const billing = (id: number, startedAt: string): FakeExecution =>
    fakeExecution(id, "req-1", {
      workflowId: "w8",
      workflowData: { id: "w8", name: "billing", nodes: [] },
      startedAt,
      stoppedAt: "2026-01-01T00:00:12.500Z",
    });

  test("an error workflow's", async () => {
    const times = { startedAt: "2026-01-01T00:00:10.600Z", stoppedAt: "2026-01-01T00:00:12.000Z" };
    const all = [
      failedEntry(10, "req-1"),
      errorRun(12, 10, { order: 1 }, times),
      billing(13, "2026-01-01T00:00:10.800Z"),
    ];
    const { outcome, message } = await traced(all, ID);
    expect(outcome).toBe("error");
    expect(message).toContain(
      '"billing" (execution 13) began while "On error" (execution 12) ran, which may have sent it.',
    );
  });

  test("that of a workflow that calls others by HTTP", async () => {
    const { message } = await traced([entry(10, "req-1", null), billing(13, "2026-01-01T00:00:10.300Z")], ID);
    expect(message).toContain('began while "orders" (execution 10) ran, which may have sent it.');
  });

  test("of two that did not run at the same time, nothing is said", async () => {
    const { message } = await traced([entry(10, "req-1", null), billing(13, "2026-01-01T00:00:12.300Z")], ID);
    expect(message).toContain("It was sent 2 times");
    expect(message).not.toContain("may have sent it");
  });
});

test("an error workflow whose own run failed is told", async () => {
  const { message } = await traced([failedEntry(10, "req-1"), errorRun(12, 10, { order: 1 }, ERR)], ID);
  expect(message).toContain("With 1 error-handler run (1 failed).");
});
