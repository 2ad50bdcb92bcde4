/** Requests whose calls, batches or retries were tried several times: which try decides. */
import { expect, test } from "vitest";
import {
  ERR,
  entry,
  failedAt,
  failedChild,
  failedEntry,
  failedRun,
  ID,
  runOf,
  sub,
  traced,
  withoutId,
} from "../../support/called-workflows.ts";
import { createFakeN8n, type FakeExecution } from "../../support/fake-n8n.ts";

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
const during = (from: number, to: number) => ({ startedAt: at(from), stoppedAt: at(to) });

test("a call that its node repeated with success has not failed, though its batch failed at another node", async () => {
  const { outcome } = await traced(
    [
      { ...withoutId(failedEntry(10, "x", 12, "Send")), ...during(10, 20) },
      { ...failedChild(11, 10), ...during(11, 12) },
      { ...sub(12, 10, ID), ...during(13, 14) },
    ],
    ID,
  );
  expect(outcome).toBe("success");
});

test("a retry of a sub-workflow does not mean that its caller went on", async () => {
  // n8n 2.40.5 retries with the data of what it retries, `parentExecution` among it (`execution.service.js`).
  const error = { message: "Error executing workflow with item at index 0", name: "NodeOperationError" };
  const caller = entry(
    10,
    "req-1",
    null,
    { ...ERR, ...during(10, 12.05) },
    { executionStatus: "error", error, data: undefined },
    { runData: {}, resultData: { lastNodeExecuted: "Call", error: { ...error, node: { name: "Call" } } } },
  );
  const { failure } = await traced(
    [
      caller,
      { ...failedChild(11, 10), ...during(11, 12) },
      { ...failedChild(20, 10), ...during(60, 61), mode: "retry", retryOf: "11" },
    ],
    ID,
  );
  expect(failure?.executionId).toBe("11");
});

/** A batch that lists two orders, as it was tried three times: each retry takes over what the one before had called. */
function triedBatch(
  last: { status?: string },
  first: { status?: string },
  called: readonly string[] = ["11"],
) {
  const orders = [{ requestId: "A-4711" }, { requestId: "B-4712" }];
  const Webhook = [runOf(0, { data: { main: [[{ json: { body: { orders } } }]] } }, {})];
  const call = (executionId: string) => ({ metadata: { subExecution: { executionId, workflowId: "w2" } } });
  const Call = called.map((id) => runOf(1, call(id), {}));
  const failed = {
    runData: { Webhook, Call, Send: [failedRun(2, "refused")] },
    ...failedAt("Send", "refused"),
  };
  const done = { runData: { Webhook, Call, Send: [runOf(2, {}, {})] }, lastNodeExecuted: "Send" };
  const tried = (id: number, retryOf: string | null, facts: { status?: string }) =>
    entry(id, "-", null, {
      ...(retryOf === null ? {} : { mode: "retry", retryOf }),
      ...facts,
      data: { resultData: facts.status === "error" ? failed : done },
    });
  return [
    tried(10, null, ERR),
    sub(11, 10, { requestId: "A-4711" }, first),
    tried(20, "10", ERR),
    tried(30, "20", last),
  ];
}

test("a request does not fail because its batch did, for another's sake, when a retry of it was retried", async () => {
  const { outcome } = await traced(triedBatch(ERR, {}), { requestId: "A-4711" });
  expect(outcome).toBe("success");
});

test("nor does it succeed because its batch did", async () => {
  const { outcome } = await traced(triedBatch({}, ERR), { requestId: "A-4711" });
  expect(outcome).toBe("error");
});

test("what a retry calls two levels below is the same sending as what was called first", async () => {
  const named = (childId: string) => ({
    message: "refused",
    name: "NodeApiError",
    executionId: childId,
    workflowId: "w2",
  });
  const failedCall = (id: number, childId: number, facts: object = {}) => {
    const error = named(String(childId));
    const failed = { executionStatus: "error", error, data: undefined };
    const rest = { runData: {}, resultData: { lastNodeExecuted: "Call", error } };
    return withoutId(entry(id, "x", null, { ...ERR, ...facts }, failed, rest));
  };
  const below = (id: number, parentId: number, one: FakeExecution): FakeExecution => ({
    ...one,
    id: String(id),
    mode: "integrated",
    data: { ...(one.data as object), parentExecution: { executionId: String(parentId), workflowId: "w1" } },
  });
  const { outcome, message } = await traced(
    [
      failedCall(10, 11, { retrySuccessId: "20" }),
      below(11, 10, failedCall(11, 12)),
      failedChild(12, 11, "refused"),
      withoutId(entry(20, "x", 21, { mode: "retry", retryOf: "10" })),
      below(21, 20, withoutId(entry(21, "x", 22))),
      sub(22, 21, ID),
    ],
    ID,
  );
  expect(message).not.toContain("sent 2 times");
  expect(outcome).toBe("success");
});

/** A batch that is given no ids at a known path, and fails at its call for the second; the first call answered with its id. */
const echoing = (sends: object) => {
  const Webhook = [runOf(0, {}, { orders: ["A-4711", "B-4712"] })];
  const error = { message: "boom", name: "NodeOperationError", executionId: "12", workflowId: "w2" };
  const named = { metadata: { subExecution: { executionId: "11", workflowId: "w2" } } };
  const Call = [runOf(1, named, sends), runOf(2, { executionStatus: "error", error, data: undefined }, {})];
  const resultData = { lastNodeExecuted: "Call", error, runData: { Webhook, Call } };
  return [
    entry(10, "-", null, { ...ERR, data: { resultData } }),
    sub(11, 10, { requestId: "A-4711" }),
    { ...failedChild(12, 10), ...sub(12, 10, { requestId: "B-4712" }, ERR) },
  ];
};

test("a batch that got an id back from what it called does not decide about it", async () => {
  const { outcome } = await traced(echoing({ requestId: "A-4711", status: "done" }), { requestId: "A-4711" });
  expect(outcome).toBe("success");
});

test("as it does not where nothing came back", async () => {
  const { outcome } = await traced(echoing({ status: "done" }), { requestId: "A-4711" });
  expect(outcome).toBe("success");
});

test("that a retry has succeeded since, which n8n does not keep, is told of a failure that was known before", async () => {
  const n8n = createFakeN8n([failedEntry(10, "req-1")]);
  let time = Date.UTC(2026, 0, 2);
  const { caller, outcome } = await traced(n8n, ID, { now: () => time });
  expect(outcome).toBe("error");
  n8n.executions = [
    failedEntry(10, "req-1", null, "Send", { retrySuccessId: "12" }),
    entry(14, "other", null),
  ];
  time += 3_600_000;
  const { message } = await caller.call("trace_request", ID);
  expect(message).toContain("a retry of it succeeded (execution 12)");
});
