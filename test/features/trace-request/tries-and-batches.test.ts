/** Which attempt decides where calls, batches or retries ran several times. */
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
import { createFakeN8n, type FakeExecution, jsonAnswer } from "../../support/fake-n8n.ts";

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
const during = (from: number, to: number) => ({ startedAt: at(from), stoppedAt: at(to) });

test("a call that its node repeated successfully has not failed, even if its batch has", async () => {
  const { outcome } = await traced([
    { ...withoutId(failedEntry(10, "x", 12, "Send")), ...during(10, 20) },
    { ...failedChild(11, 10), ...during(11, 12) },
    { ...sub(12, 10, ID), ...during(13, 14) },
  ]);
  expect(outcome).toBe("success");
});

test("the retry of a sub-workflow does not mean that its caller continued", async () => {
  // n8n 2.40.5 retries with the data of the retried execution, `parentExecution` included (`execution.service.js`).
  const error = { message: "Error executing workflow with item at index 0", name: "NodeOperationError" };
  const caller = entry(
    10,
    "req-1",
    null,
    { ...ERR, ...during(10, 12.05) },
    { executionStatus: "error", error, data: undefined },
    { runData: {}, resultData: { lastNodeExecuted: "Call", error: { ...error, node: { name: "Call" } } } },
  );
  const { failure } = await traced([
    caller,
    { ...failedChild(11, 10), ...during(11, 12) },
    { ...failedChild(20, 10), ...during(60, 61), mode: "retry", retryOf: "11" },
  ]);
  expect(failure?.executionId).toBe("11");
});

const named = (childId: number) => ({
  metadata: { subExecution: { executionId: String(childId), workflowId: "w2" } },
});

/** A batch of two orders in three attempts: each retry takes over what the one before had called. */
function triedBatch(last: { status?: string }, first: { status?: string }) {
  const orders = [{ requestId: "A-4711" }, { requestId: "B-4712" }];
  const Webhook = [runOf(0, { data: { main: [[{ json: { body: { orders } } }]] } }, {})];
  const Call = [runOf(1, named(11), {})];
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

test("a request does not fail with its batch, even in the retry of a retry", async () => {
  const { outcome } = await traced(triedBatch(ERR, {}), { requestId: "A-4711" });
  expect(outcome).toBe("success");
});

test("a failed request does not succeed because its batch did", async () => {
  const { outcome } = await traced(triedBatch({}, ERR), { requestId: "A-4711" });
  expect(outcome).toBe("error");
});

/** The execution, called by another one. */
const below = (id: number, parentId: number, one: FakeExecution): FakeExecution => ({
  ...one,
  id: String(id),
  mode: "integrated",
  data: { ...(one.data as object), parentExecution: { executionId: String(parentId), workflowId: "w1" } },
});
const errorOf = (childId: number) => ({
  message: "refused",
  name: "NodeApiError",
  executionId: String(childId),
  workflowId: "w2",
});
const failedOf = (childId: number) => ({
  executionStatus: "error",
  error: errorOf(childId),
  data: undefined,
});
/** An execution that failed because its call did. */
const failedCall = (id: number, childId: number, facts: object = {}): FakeExecution =>
  entry(id, "req-1", null, { ...ERR, ...facts }, failedOf(childId), {
    runData: {},
    resultData: { lastNodeExecuted: "Call", error: errorOf(childId) },
  });

test("what a retry calls two levels below is the same delivery as the first call", async () => {
  const { outcome, message } = await traced([
    withoutId(failedCall(10, 11, { retrySuccessId: "20" })),
    below(11, 10, withoutId(failedCall(11, 12))),
    failedChild(12, 11, "refused"),
    withoutId(entry(20, "x", 21, { mode: "retry", retryOf: "10" })),
    below(21, 20, withoutId(entry(21, "x", 22))),
    sub(22, 21, ID),
  ]);
  expect(message).not.toContain("sent 2 times");
  expect(outcome).toBe("success");
});

const STEPS = [
  { name: "Webhook", type: "n8n-nodes-base.webhook", parameters: {} },
  {
    name: "Charge",
    type: "n8n-nodes-base.executeWorkflow",
    parameters: { options: { waitForSubWorkflow: false } },
  },
  { name: "Notify", type: "n8n-nodes-base.executeWorkflow", parameters: {} },
  { name: "Send", type: "n8n-nodes-base.httpRequest", parameters: {} },
];
/** An execution without an id, which does not wait for what "Charge" calls. */
const steps = (
  id: number,
  facts: Record<string, unknown>,
  runs: Record<string, object>,
  failed: object = {},
): FakeExecution => {
  const all = { Webhook: {}, ...runs };
  const runData = Object.fromEntries(
    Object.entries(all).map(([node, more], index) => [node, [runOf(index, more, { job: "nightly" })]]),
  );
  return {
    ...entry(id, "-", null, facts),
    workflowData: { id: "w1", name: "nightly", nodes: STEPS, connections: {} },
    data: { resultData: { runData, lastNodeExecuted: Object.keys(all).at(-1), ...failed } },
  };
};
const refusedRun = { executionStatus: "error", error: { message: "refused", name: "NodeApiError" } };

/** Calls 11 and 12, and fails at a later node. */
const failedAfterTwoCalls = steps(
  10,
  { ...ERR, ...during(10, 20) },
  { Charge: named(11), Notify: named(12), Send: { ...refusedRun, data: undefined } },
  failedAt("Send", "refused"),
);

test("a failed call is not hidden by a later call of another workflow", async () => {
  const { outcome, failure } = await traced([
    failedAfterTwoCalls,
    { ...failedChild(11, 10), ...during(11, 12) },
    { ...sub(12, 10, ID), workflowId: "w3", ...during(13, 14) },
  ]);
  expect(outcome).toBe("error");
  expect(failure?.executionId).toBe("11");
});

test("a failed first call is reported where the same workflow was called again", async () => {
  const { outcome, message } = await traced([
    failedAfterTwoCalls,
    { ...failedChild(11, 10), ...during(11, 12) },
    { ...sub(12, 10, ID), ...during(13, 14) },
  ]);
  expect(outcome).toBe("success");
  expect(message).toContain('1 failed: "child" (execution 11)');
});

test("a retry does not repair a failure on another branch, which it does not call again", async () => {
  const { outcome, failure } = await traced([
    steps(
      10,
      { ...ERR, retrySuccessId: "20", ...during(10, 20) },
      { Charge: named(11), Notify: failedOf(13) },
      { error: errorOf(13) },
    ),
    { ...below(11, 10, withoutId(failedCall(11, 12))), ...during(11, 12) },
    { ...failedChild(12, 11, "charge refused"), ...during(11, 12) },
    { ...below(13, 10, withoutId(failedCall(13, 14))), ...during(13, 20) },
    { ...failedChild(14, 13, "notify refused"), ...during(13, 20) },
    steps(20, { mode: "retry", retryOf: "10", ...during(60, 70) }, { Charge: named(11), Notify: named(21) }),
    { ...below(21, 20, withoutId(entry(21, "x", 22))), ...during(61, 62) },
    { ...sub(22, 21, ID), ...during(61, 62) },
  ]);
  expect(outcome).toBe("error");
  expect(failure?.executionId).toBe("12");
});

test("a failed retry of a call does not mean that its batch continued after it", async () => {
  const { outcome } = await traced([
    steps(
      10,
      { ...ERR, ...during(10, 20) },
      { Charge: named(11), Notify: failedOf(12) },
      { error: errorOf(12) },
    ),
    { ...failedChild(11, 10), ...during(11, 12) },
    { ...failedChild(12, 10), ...during(13, 20) },
    { ...failedChild(30, 10), ...during(60, 61), mode: "retry", retryOf: "12" },
    { ...sub(40, 10, ID), ...during(70, 71), mode: "retry", retryOf: "11" },
  ]);
  expect(outcome).toBe("error");
});

test.each([
  { status: "running", startedAt: at(10), stoppedAt: null },
  { status: "canceled", ...during(10, 20) },
])("the last call of a workflow decides in a batch that is $status", async (facts) => {
  const { outcome } = await traced([
    steps(10, facts, {}),
    { ...failedChild(11, 10), ...during(11, 12) },
    { ...sub(12, 10, ID), ...during(13, 14) },
  ]);
  expect(outcome).toBe("success");
});

test("executions that name each other as their callers are answered", { timeout: 20_000 }, async () => {
  const { outcome } = await traced([failedChild(10, 12), failedChild(12, 10)]);
  expect(outcome).toBe("error");
});

/** A batch without ids at a known path that fails at its second call; the first call returned its id. */
const echoing = (sends: object) => {
  const Webhook = [runOf(0, {}, { orders: ["A-4711", "B-4712"] })];
  const error = { message: "boom", name: "NodeOperationError", executionId: "12", workflowId: "w2" };
  const Call = [
    runOf(1, named(11), sends),
    runOf(2, { executionStatus: "error", error, data: undefined }, {}),
  ];
  const resultData = { lastNodeExecuted: "Call", error, runData: { Webhook, Call } };
  return [
    entry(10, "-", null, { ...ERR, data: { resultData } }),
    sub(11, 10, { requestId: "A-4711" }),
    { ...failedChild(12, 10), ...sub(12, 10, { requestId: "B-4712" }, ERR) },
  ];
};

test("a batch that got an id back from its call does not decide about it", async () => {
  const { outcome } = await traced(echoing({ requestId: "A-4711", status: "done" }), { requestId: "A-4711" });
  expect(outcome).toBe("success");
});

test("a batch that got nothing back does not decide about the id", async () => {
  const { outcome } = await traced(echoing({ status: "done" }), { requestId: "A-4711" });
  expect(outcome).toBe("success");
});

/** A batch that continues after a failed call, which n8n names only at its item, and fails later. */
const caughtOne = (id: number, facts: object): FakeExecution => {
  const Webhook = [runOf(0, {}, { orders: ["A-4711", "B-4712"] })];
  const Call = [runOf(1, named(11), { requestId: "A-4711" }), runOf(2, {}, { error: "boom" })];
  const runData = { Webhook, Call, Send: [failedRun(3, "refused")] };
  return entry(id, "-", null, {
    ...ERR,
    ...facts,
    data: { resultData: { ...failedAt("Send", "refused"), runData } },
  });
};

test("a batch that continues after a failed call does not decide about the id", async () => {
  const { outcome } = await traced(
    [
      caughtOne(10, {}),
      sub(11, 10, { requestId: "A-4711" }),
      sub(12, 10, { requestId: "B-4712" }, ERR),
      caughtOne(20, { mode: "retry", retryOf: "10" }),
    ],
    { requestId: "A-4711" },
  );
  expect(outcome).toBe("success");
});

test("a trace of such a batch by its execution id reports that it failed", async () => {
  const { outcome, message } = await traced(echoing({ requestId: "A-4711" }), { requestId: "execution:10" });
  expect(message).toContain("execution 10");
  expect(outcome).toBe("error");
});

test("the last of several calls decides, not the one that was retried last", async () => {
  const { outcome } = await traced([
    steps(10, during(10, 20), { Notify: named(12), Send: {} }),
    { ...failedChild(11, 10), ...during(11, 12) },
    { ...sub(12, 10, ID), ...during(13, 14) },
    { ...failedChild(20, 10), ...during(60, 61), mode: "retry", retryOf: "11" },
  ]);
  expect(outcome).toBe("success");
});

const failedBelow = (facts: object) => [failedCall(10, 11, facts), failedChild(11, 10, "refused")];

test.each([
  [
    "of the retried execution",
    (facts: Record<string, unknown>) => [failedEntry(10, "req-1", null, "Send", facts)],
  ],
  ["below the retried execution", failedBelow],
])("a later successful retry is reported for a known failure %s", async (_where, failed) => {
  const n8n = createFakeN8n(failed({}));
  let time = Date.UTC(2026, 0, 2);
  const { caller, outcome } = await traced(n8n, ID, { now: () => time });
  expect(outcome).toBe("error");
  n8n.executions = [...failed({ retrySuccessId: "12" }), entry(14, "other", null)];
  time += 3_600_000;
  const { message } = await caller.call("trace_request", ID);
  expect(message).toContain("a retry of it succeeded (execution 12)");
});

test("a failure is reported even if n8n fails while its retry is looked up", async () => {
  const n8n = createFakeN8n(failedBelow({}));
  let time = Date.UTC(2026, 0, 2);
  let isDown = false;
  const fetch: typeof n8n.fetch = async (address, init) => {
    if (isDown) return new Response("", { status: 503 });
    const answer = await n8n.fetch(address, init);
    const isLook = String(address).includes("/executions/10?");
    const text = await answer.clone().text();
    isDown = isLook && text.includes('"retrySuccessId":"12"');
    // As if the lists that are read did not reach back to it.
    return isLook || !answer.ok
      ? answer
      : jsonAnswer(text.replaceAll('"retrySuccessId":"12"', '"retrySuccessId":null'));
  };
  const asked = { requestId: "execution:11" };
  const { caller } = await traced({ ...n8n, fetch }, asked, { now: () => time, sleep: async () => {} });
  n8n.executions.splice(0, 2, ...failedBelow({ retrySuccessId: "12" }));
  time += 3_600_000;
  const { status, message } = await caller.call("trace_request", asked);
  expect(isDown).toBe(true);
  expect(message).toContain("failed");
  expect(status).toBe("success");
});
