/** What counts as one sending of a request: calls, retries and error workflows of what n8n keeps only in part. */
import { expect, test } from "vitest";
import {
  ERR,
  entry,
  failedAt,
  failedChild,
  failedRun,
  ID,
  runOf,
  sub,
  traced,
} from "../../support/called-workflows.ts";
import { type FakeExecution, fakeExecution } from "../../support/fake-n8n.ts";

const failedEntry = (id: number, requestId: string, childId: number | null, node: string, facts = {}) =>
  entry(
    id,
    requestId,
    childId,
    { ...ERR, ...facts },
    {},
    { runData: { [node]: [failedRun(2, "refused")] }, resultData: failedAt(node, "refused") },
  );
const handler = (
  id: number,
  ofId: number,
  json: unknown,
  facts: Record<string, unknown> = {},
): FakeExecution =>
  fakeExecution(id, "-", {
    mode: "error",
    workflowId: "w9",
    workflowData: {
      id: "w9",
      name: "On error",
      nodes: [{ name: "Trigger", type: "n8n-nodes-base.errorTrigger" }],
    },
    data: {
      parentExecution: { executionId: String(ofId), workflowId: "w1" },
      resultData: { runData: { Trigger: [runOf(0, {}, json)] }, lastNodeExecuted: "Trigger" },
    },
    ...facts,
  });
const ask = async (all: readonly FakeExecution[], args: object = ID) => {
  const x = await traced(all, args);
  return x;
};
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

test("anybody who posts the id hides a failure that only its error workflow's run connects with the id", async () => {
  const all = [failedEntry(10, "other", null, "Send", {}), handler(12, 10, ID)].map((one) =>
    one.id === "10"
      ? { ...one, data: JSON.parse(JSON.stringify(one.data).replaceAll("requestId", "nothing")) }
      : one,
  );
  const before = await ask(all);
  expect(before.outcome).toBe("error");
  const { outcome } = await ask([...all, entry(200, "req-1", null)]);
  expect(outcome).toBe("error");
});

test("asked by the run of the error workflow itself", async () => {
  const all = [failedEntry(10, "other", null, "Send", {}), handler(12, 10, ID)].map((one) =>
    one.id === "10"
      ? { ...one, data: JSON.parse(JSON.stringify(one.data).replaceAll("requestId", "nothing")) }
      : one,
  );
  const { outcome } = await ask([...all, entry(200, "req-1", null)], { requestId: "execution:12" });
  expect(outcome).toBe("error");
});

test("two retries of an execution that is not kept", async () => {
  const { outcome, message } = await ask([
    failedEntry(11, "req-1", null, "Send", { retryOf: "10", mode: "retry" }),
    entry(12, "req-1", null, { retryOf: "10", mode: "retry" }),
  ]);
  expect(message).not.toContain("sent 2 times");
  expect(outcome).toBe("success");
});
const noId = (one: FakeExecution): FakeExecution => ({
  ...one,
  data: JSON.parse(JSON.stringify(one.data).replaceAll("requestId", "order")),
});

test("two retries of an execution that failed before it had the id", async () => {
  const { outcome, message } = await ask([
    noId(failedEntry(10, "x", null, "Call")),
    failedEntry(11, "req-1", null, "Send", { retryOf: "10", mode: "retry" }),
    entry(12, "req-1", null, { retryOf: "10", mode: "retry" }),
  ]);
  expect(message).not.toContain("sent 2 times");
  expect(outcome).toBe("success");
});

test("the caller holds no id: its retry calls the sub-workflow again, successfully", async () => {
  const { outcome, message } = await ask([
    noId(calledFailed(10, "x", 11, { retrySuccessId: "20" })),
    failedChild(11, 10),
    noId(entry(20, "x", 21, { retryOf: "10", mode: "retry" })),
    sub(21, 20, ID),
  ]);
  expect(message).not.toContain("sent 2 times");
  expect(outcome).toBe("success");
});

test("what started it failed, and its retry succeeded", async () => {
  const { message } = await ask([
    noId(failedEntry(10, "x", 11, "Send", { retrySuccessId: "20" })),
    sub(11, 10, ID),
    noId(entry(20, "x", 11, { retryOf: "10", mode: "retry" })),
  ]);
  expect(message).not.toMatch(/which started it, failed\.$/);
});

test("'which started it' of what was retried", async () => {
  const { message } = await ask([
    noId(failedEntry(10, "x", null, "Call", { retrySuccessId: "20" })),
    entry(20, "req-1", null, { retryOf: "10", mode: "retry" }),
  ]);
  expect(message).not.toContain("which started it, failed");
});

test("the newest retry is one of an earlier retry", async () => {
  const { outcome } = await ask([
    failedEntry(10, "req-1", null, "Send"),
    failedEntry(11, "req-1", null, "Send", { retryOf: "10", mode: "retry", retrySuccessId: "13" }),
    failedEntry(12, "req-1", null, "Send", { retryOf: "10", mode: "retry" }),
    entry(13, "req-1", null, { retryOf: "11", mode: "retry" }),
  ]);
  expect(outcome).toBe("success");
});

test("the error workflow's run was retried: success", async () => {
  const { outcome } = await ask([
    handler(12, 10, ID, ERR),
    handler(20, 10, ID, { mode: "retry", retryOf: "12" }),
  ]);
  expect(outcome).toBe("error");
});

test("what was called by a call that is not kept, and survived", async () => {
  const { outcome, message } = await ask([entry(10, "req-1", 11), failedChild(12, 11)]);
  expect(message).not.toContain("sent 2 times");
  expect(outcome).toBe("success");
});

test("error workflow of a call that is not kept, and survived", async () => {
  const { outcome, message } = await ask([entry(10, "req-1", 11), handler(12, 11, ID)]);
  expect(message).not.toContain("sent 2 times");
  expect(outcome).toBe("success");
});

test("a crash long after a caught failure", async () => {
  const { failure } = await ask([
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

test("a call that failed and was retried in n8n", async () => {
  const { message } = await ask([
    entry(10, "req-1", 11),
    { ...failedChild(11, 10), retrySuccessId: "20" },
    sub(20, 10, ID, { retryOf: "11", mode: "retry" }),
  ]);
  expect(message).not.toContain("1 failed");
});

test("hidden failure's handler lists several ids, one of which succeeded", async () => {
  const { outcome } = await ask([
    handler(12, 10, { orders: [{ requestId: "X" }, ID] }),
    entry(50, "req-1", null),
  ]);
  expect(outcome).toBe("success");
});
