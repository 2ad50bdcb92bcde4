/** What counts as one delivery of a request, where n8n keeps only a part of its calls, retries and error workflows. */
import { expect, test } from "vitest";
import {
  ERR,
  entry,
  errorRun,
  failedChild,
  failedEntry,
  ID,
  sub,
  traced,
  withoutId,
} from "../../support/called-workflows.ts";

const calledFailed = (id: number, requestId: string, childId: number, facts = {}) =>
  entry(
    id,
    requestId,
    childId,
    { ...ERR, ...facts },
    {
      metadata: undefined,
      executionStatus: "error",
      data: undefined,
      error: { message: "x", name: "NodeOperationError", executionId: String(childId), workflowId: "w2" },
    },
    {
      runData: {},
      resultData: {
        lastNodeExecuted: "Call",
        error: {
          message: "x",
          name: "NodeOperationError",
          executionId: String(childId),
          workflowId: "w2",
          node: { name: "Work", type: "n8n-nodes-base.httpRequest" },
        },
      },
    },
  );

/** A failed execution without an id, and the run of its error workflow, which has one. */
const failedWithHandler = [withoutId(failedEntry(10, "other")), errorRun(12, 10, ID)];

test("a later success does not hide a failure that only its error workflow links to the id", async () => {
  const before = await traced(failedWithHandler);
  expect(before.outcome).toBe("error");
  const { outcome } = await traced([...failedWithHandler, entry(200, "req-1", null)]);
  expect(outcome).toBe("error");
});

test("a later success does not hide that failure from a trace of the error workflow's run", async () => {
  const success = entry(200, "req-1", null);
  const { outcome } = await traced([...failedWithHandler, success], { requestId: "execution:12" });
  expect(outcome).toBe("error");
});

test.each([
  ["that is not kept", []],
  ["that failed before it had the id", [withoutId(failedEntry(10, "x", null, "Call"))]],
])("two retries of an execution %s are one delivery, and the last decides", async (_which, retried) => {
  const { outcome, message } = await traced([
    ...retried,
    failedEntry(11, "req-1", null, "Send", { retryOf: "10", mode: "retry" }),
    entry(12, "req-1", null, { retryOf: "10", mode: "retry" }),
  ]);
  expect(message).not.toContain("sent 2 times");
  expect(outcome).toBe("success");
});

test("a caller's and its retry's calls are one delivery, and the retry's decides", async () => {
  const { outcome, message } = await traced([
    withoutId(calledFailed(10, "x", 11, { retrySuccessId: "20" })),
    failedChild(11, 10),
    withoutId(entry(20, "x", 21, { retryOf: "10", mode: "retry" })),
    sub(21, 20, ID),
  ]);
  expect(message).not.toContain("sent 2 times");
  expect(outcome).toBe("success");
});

test("the caller of a request has not failed if its retry succeeded", async () => {
  const { message } = await traced([
    withoutId(failedEntry(10, "x", 11, "Send", { retrySuccessId: "20" })),
    sub(11, 10, ID),
    withoutId(entry(20, "x", 11, { retryOf: "10", mode: "retry" })),
  ]);
  expect(message).not.toMatch(/which started it, failed\.$/);
});

test("a retried execution did not start the request", async () => {
  const { message } = await traced([
    withoutId(failedEntry(10, "x", null, "Call", { retrySuccessId: "20" })),
    entry(20, "req-1", null, { retryOf: "10", mode: "retry" }),
  ]);
  expect(message).not.toContain("which started it, failed");
});

test("the newest retry decides, even a retry of an earlier retry", async () => {
  const { outcome } = await traced([
    failedEntry(10, "req-1", null, "Send"),
    failedEntry(11, "req-1", null, "Send", { retryOf: "10", mode: "retry", retrySuccessId: "13" }),
    failedEntry(12, "req-1", null, "Send", { retryOf: "10", mode: "retry" }),
    entry(13, "req-1", null, { retryOf: "11", mode: "retry" }),
  ]);
  expect(outcome).toBe("success");
});

test("a failure remains one if its error workflow's run is retried", async () => {
  const { outcome } = await traced([
    errorRun(12, 10, ID, ERR),
    errorRun(20, 10, ID, { mode: "retry", retryOf: "12" }),
  ]);
  expect(outcome).toBe("error");
});

test("what a call that is not kept has called belongs to its caller", async () => {
  const { outcome, message } = await traced([entry(10, "req-1", 11), failedChild(12, 11)]);
  expect(message).not.toContain("sent 2 times");
  expect(outcome).toBe("success");
});

test("the error workflow's run for such a call belongs to its caller", async () => {
  const { outcome, message } = await traced([entry(10, "req-1", 11), errorRun(12, 11, ID)]);
  expect(message).not.toContain("sent 2 times");
  expect(outcome).toBe("success");
});

test("a caught failure is not the cause of its caller's crash", async () => {
  const { failure } = await traced([
    entry(
      10,
      "req-1",
      11,
      { status: "crashed", stoppedAt: "2026-01-01T00:20:00.000Z" },
      {},
      { runData: {}, resultData: { lastNodeExecuted: "Send" } },
    ),
    failedChild(11, 10),
    sub(12, 10, ID),
  ]);
  expect(failure?.executionId).toBe("10");
});

test("a call that was retried successfully has not failed", async () => {
  const { message } = await traced([
    entry(10, "req-1", 11),
    { ...failedChild(11, 10), retrySuccessId: "20" },
    sub(20, 10, ID, { retryOf: "11", mode: "retry" }),
  ]);
  expect(message).not.toContain("1 failed");
});

test("an error workflow that lists other ids decides nothing about them", async () => {
  const { outcome } = await traced([
    errorRun(12, 10, { orders: [{ requestId: "X" }, ID] }),
    entry(50, "req-1", null),
  ]);
  expect(outcome).toBe("success");
});

test("calls whose callers are not kept are one delivery, whoever called them", async () => {
  const succeeded = await traced([sub(11, 8, ID), sub(12, 9, ID)]);
  expect(succeeded.outcome).toBe("success");
  const failed = await traced([sub(11, 8, ID, ERR), sub(12, 9, ID, ERR)]);
  expect(failed.outcome).toBe("error");
  expect(failed.message).not.toContain("It was sent");
});
