/** What a trace says where calls, retries, batches and error handlers meet. Each case is a former defect. */
import { describe, expect, test } from "vitest";
import { View } from "../../../src/n8n/view.ts";
import {
  ERR,
  entry,
  errorRun,
  failedAt,
  failedChild,
  failedEntry,
  failedRun,
  ID,
  NODES,
  runOf,
  sub,
  traced,
} from "../../support/called-workflows.ts";
import { createFakeN8n, fakeExecution } from "../../support/fake-n8n.ts";

const orders = [{ requestId: "A-4711" }, { requestId: "B-4712" }];

const batchHook = { Webhook: [runOf(0, { data: { main: [[{ json: { body: { orders } } }]] } }, {})] };

/** Execution 10, which failed at "Call" with this error. */
const failedCall = (error: object, facts: Record<string, unknown> = {}, runData: object = {}) =>
  entry(
    10,
    "req-1",
    null,
    { ...ERR, ...facts },
    { executionStatus: "error", error, data: undefined },
    { runData, resultData: { lastNodeExecuted: "Call", error } },
  );

test("the sub-workflow is the culprit, even if its caller has a node of the same name", async () => {
  // As recorded (sub-currency-renamed): the caller's error repeats the child's node.
  const error = {
    message: "boom",
    name: "NodeApiError",
    node: { name: "HTTP Request" },
    executionId: "11",
    workflowId: "w2",
  };
  const nodes = [
    NODES[0],
    { name: "HTTP Request", type: "n8n-nodes-base.httpRequest", parameters: {} },
    NODES[1],
  ];
  const parent = failedCall(
    error,
    {
      workflowData: {
        id: "w1",
        name: "orders",
        nodes,
        connections: {
          Webhook: { main: [[{ node: "HTTP Request", type: "main", index: 0 }]] },
          "HTTP Request": { main: [[{ node: "Call", type: "main", index: 0 }]] },
        },
      },
    },
    { "HTTP Request": [runOf(1, {}, {})] },
  );
  const child = sub(
    11,
    10,
    ID,
    {
      ...ERR,
      workflowData: {
        id: "w2",
        name: "child",
        nodes: [
          { name: "Start", type: "n8n-nodes-base.executeWorkflowTrigger", parameters: {} },
          { name: "HTTP Request", type: "n8n-nodes-base.httpRequest", parameters: {} },
        ],
        connections: { Start: { main: [[{ node: "HTTP Request", type: "main", index: 0 }]] } },
      },
    },
    {
      runData: { Start: [runOf(0, {}, ID)], "HTTP Request": [failedRun(1, "boom")] },
      ...failedAt("HTTP Request", "boom"),
    },
  );
  const answer = await traced([parent, child]);
  expect(answer.failure).toMatchObject({ executionId: "11" });
});

describe("a later successful delivery does not hide the failure of", () => {
  test("a sub-workflow whose caller is not kept", async () => {
    const failedAlone = await traced([sub(11, 10, ID, ERR)]);
    expect(failedAlone.outcome).toBe("error");
    const answer = await traced([sub(11, 10, ID, ERR), fakeExecution(200, "req-1")]);
    expect(answer.outcome).toBe("error");
  });
  test("an execution whose only remaining trace is the error workflow's run", async () => {
    const handler = errorRun(12, 10, ID);
    expect((await traced([handler])).outcome).toBe("error");
    const answer = await traced([handler, fakeExecution(200, "req-1")]);
    expect(answer.outcome).toBe("error");
  });
  test("a sub-workflow whose caller n8n fails to return", async () => {
    const n8n = createFakeN8n([entry(10, "x", 11, ERR), sub(11, 10, ID, ERR), fakeExecution(200, "req-1")]);
    n8n.broken.add("10");
    const answer = await traced(n8n);
    expect(answer.outcome).toBe("error");
  });
});

test("an answer with another id at the same path does not make the entry a batch", async () => {
  const upstream = runOf(
    1,
    { data: { main: [[{ json: { headers: { "x-request-id": "up-000123" }, statusCode: 200 } }]] } },
    {},
  );
  const error = failedAt("Send", "Payment refused");
  const parent = entry(
    10,
    "-",
    11,
    ERR,
    {},
    {
      runData: {
        Webhook: [
          runOf(0, { data: { main: [[{ json: { headers: { "x-request-id": "req-1" }, body: {} } }]] } }, {}),
        ],
        Ask: [upstream],
        Send: [failedRun(3, "Payment refused")],
      },
      resultData: error,
    },
  );
  (parent.workflowData as { nodes: unknown[] }).nodes = [
    ...NODES,
    { name: "Ask", type: "n8n-nodes-base.httpRequest", parameters: {} },
  ];
  const answer = await traced([parent, sub(11, 10, ID)]);
  expect(answer.outcome).toBe("error");
});

test("a later retry that succeeded and is not kept is mentioned beside an earlier failed one", async () => {
  const answer = await traced([
    fakeExecution(10, "req-1", { ...ERR, retrySuccessId: "12" }),
    fakeExecution(11, "req-1", { ...ERR, mode: "retry", retryOf: "10" }),
    fakeExecution(13, "x"),
  ]);
  expect(answer.message).toMatch(/execution 12/);
});

test("the caller of an execution that received the id does not count as called by it", async () => {
  const top = entry(9, "x", 10, ERR);
  const middle = sub(10, 9, { x: 1 }, ERR);
  const answer = await traced([top, middle, sub(11, 10, ID)]);
  expect(answer.message).not.toContain("1 failed");
});

test("an error handler with the id and a sub-workflow count as one delivery", async () => {
  const handler = errorRun(12, 10, ID);
  const answer = await traced([failedEntry(10, "x", 11), sub(11, 10, ID), handler]);
  expect(answer.message).not.toContain("sent 2 times");
});

test("a retry that n8n fails to return is not reported as not kept", async () => {
  const n8n = createFakeN8n([
    fakeExecution(10, "req-1", { ...ERR, retrySuccessId: "12" }),
    fakeExecution(12, "req-1", { mode: "retry", retryOf: "10" }),
  ]);
  n8n.broken.add("12");
  const answer = await traced(n8n);
  expect(answer.message).not.toContain("does not keep");
});

test("the sub-workflow is the culprit of a call per item, of which n8n keeps no id", async () => {
  // n8n 2.40.5, ExecuteWorkflow.node.js: `throw new NodeOperationError(this.getNode(), error, {message, description, itemIndex})`
  // where `error` is no NodeOperationError (a Code node failed): executionId stays in `cause`, which is not saved with it.
  const error = {
    message: "Error executing workflow with item at index 0",
    name: "NodeOperationError",
    description: "boom [line 1]",
    context: { itemIndex: 0 },
    node: { name: "Call", type: "n8n-nodes-base.executeWorkflow", parameters: {} },
  };
  const parent = failedCall(error);
  const child = sub(11, 10, ID, ERR, {
    runData: { Start: [runOf(0, {}, ID)], Work: [failedRun(1, "boom [line 1]")] },
    ...failedAt("Work", "boom [line 1]"),
  });
  const answer = await traced([parent, child]);
  expect(answer.failure).toMatchObject({ executionId: "11" });
});

test("a call with `waitMs` waits for the running caller, which may hold the id itself", async () => {
  let time = Date.UTC(2026, 0, 2);
  const running = entry(10, "-", null, {
    mode: "trigger",
    status: "running",
    stoppedAt: null,
    data: { resultData: { runData: {} } },
  });
  const ended = entry(
    10,
    "-",
    11,
    { mode: "trigger", ...ERR },
    {},
    {
      runData: {
        Webhook: [runOf(0, {}, ID)],
        Send: [failedRun(2, "Payment refused")],
      },
      resultData: failedAt("Send", "Payment refused"),
    },
  );
  const n8n = createFakeN8n([running, sub(11, 10, ID)]);
  const sleep = async (ms: number) => {
    time += ms;
    n8n.executions = [ended, sub(11, 10, ID)];
  };
  const answer = await traced(n8n, { ...ID, waitMs: 20_000 }, { now: () => time, sleep });
  expect(answer.outcome).toBe("error");
});

test("a later successful delivery does not hide a failure whose caller may not be seen", async () => {
  const requestId = "req-a1b2c3d4-0001";
  const view = View.from({ seen: ["w2", "w3"], data: ["w2", "w3"] });
  const posted = fakeExecution(200, requestId, {
    workflowId: "w3",
    workflowData: { id: "w3", name: "other", nodes: [] },
  });
  const answer = await traced(
    [entry(10, requestId, null, ERR), sub(11, 10, { requestId }, ERR), posted],
    { requestId },
    { view },
  );
  expect(answer.outcome).toBe("error");
});

test("a batch that calls a sub-workflow twice for one request has sent it once", async () => {
  const calls = (ids: string[]) => ({
    Call: ids.map((executionId, i) =>
      runOf(i + 1, { metadata: { subExecution: { executionId, workflowId: "w2" } } }, {}),
    ),
  });
  const batch = entry(10, "x", null, {
    data: { resultData: { lastNodeExecuted: "Call", runData: { ...batchHook, ...calls(["12", "13"]) } } },
  });
  const answer = await traced(
    [
      batch,
      sub(11, 10, { requestId: "A-4711" }, ERR),
      sub(12, 10, { requestId: "A-4711" }),
      sub(13, 10, { requestId: "B-4712" }),
    ],
    { requestId: "A-4711" },
  );
  expect(answer.message).not.toMatch(/sent again|sent 2 times/);
});

test("the retry, not the failed execution, is reported as sent again successfully", async () => {
  const answer = await traced([
    fakeExecution(5, "req-1", ERR),
    fakeExecution(10, "req-1", { ...ERR, retrySuccessId: "12" }),
    fakeExecution(14, "x"),
  ]);
  expect(answer.message).not.toContain("sent again (execution 10)");
});

test("a failure before a successful retry in n8n is not attributed to the retry", async () => {
  const error = { message: "boom", name: "NodeOperationError", executionId: "11", workflowId: "w2" };
  const first = failedCall(error);
  const retry = entry(20, "req-1", 21, { mode: "retry", retryOf: "10" });
  const answer = await traced([first, failedChild(11, 10, "boom"), retry, sub(21, 20, ID)]);
  expect(answer._guidance.example).toContain('"20"');
});

test("an execution that a restored n8n has again is found", async () => {
  let time = Date.UTC(2026, 0, 2);
  const n8n = createFakeN8n([entry(10, "req-1", 11), fakeExecution(13, "y")]);
  const { caller } = await traced(n8n, ID, { now: () => time });
  n8n.executions = [entry(10, "req-1", 11), sub(11, 10, ID, ERR), fakeExecution(13, "y")];
  time += 600_000;
  const again = await caller.call("trace_request", ID);
  expect(again.message).toContain("1 failed");
});

test("a waiting call keeps an execution that is in no list for a moment", async () => {
  let time = Date.UTC(2026, 0, 2);
  const running = entry(10, "req-1", null, { status: "running", stoppedAt: null });
  const n8n = createFakeN8n([fakeExecution(5, "y"), running]);
  let looks = 0;
  const sleep = async (ms: number) => {
    time += ms;
    looks += 1;
    n8n.executions =
      looks === 1 ? [fakeExecution(5, "y")] : [fakeExecution(5, "y"), entry(10, "req-1", null)];
  };
  const answer = await traced(n8n, { ...ID, waitMs: 20_000 }, { now: () => time, sleep });
  expect(answer.outcome).toBe("success");
});
