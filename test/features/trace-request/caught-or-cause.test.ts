/** Which failed sub-workflow ended its caller, and what is said of one that did not. */
import { expect, test } from "vitest";
import {
  CONNECTIONS,
  ERR,
  entry,
  errorRun,
  failedAt,
  failedChild,
  failedEntry,
  failedRun,
  goesOn,
  ID,
  runOf,
  sub,
  traced,
  withoutId,
} from "../../support/called-workflows.ts";

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
const caughtThenSend = (between: number) =>
  entry(
    10,
    "req-1",
    null,
    {
      ...ERR,
      startedAt: at(10),
      stoppedAt: at(10.2 + between),
      workflowData: { ...goesOn("Call"), id: "w1", connections: CONNECTIONS },
    },
    { data: { main: [[{ json: { error: "optional lookup failed" } }]] } },
    { runData: { Send: [failedRun(2, "Payment refused")] }, resultData: failedAt("Send", "Payment refused") },
  );

test.each([
  ["0.4 seconds later", 0.4],
  ["two seconds later", 2],
  ["right afterwards, at a node that calls no workflow", 0],
])("a look-up whose failure was caught is not the cause of a failure %s", async (_when, between) => {
  const answer = await traced([
    caughtThenSend(between),
    { ...failedChild(11, 10), startedAt: at(10.1), stoppedAt: at(10.2) },
  ]);
  expect(answer.failure?.executionId).toBe("10");
});

test("a sub-workflow is the cause of a failed call that n8n stored seconds later", async () => {
  const caller = entry(
    10,
    "req-1",
    null,
    { ...ERR, startedAt: at(10), stoppedAt: at(14) },
    { executionStatus: "error", error: { message: "refused", name: "NodeOperationError" }, data: undefined },
    {
      runData: {},
      resultData: {
        lastNodeExecuted: "Call",
        error: {
          message: "refused",
          name: "NodeOperationError",
          node: { name: "Call", type: "n8n-nodes-base.executeWorkflow" },
        },
      },
    },
  );
  const answer = await traced([caller, { ...failedChild(11, 10), startedAt: at(10.1), stoppedAt: at(10.2) }]);
  expect(answer.failure?.executionId).toBe("11");
});

test("a sub-workflow is not the cause of an error that names a later call", async () => {
  const error = { message: "refused", name: "NodeApiError", executionId: "12", workflowId: "w2" };
  const nodes = ["Look up", "Call"].map((name) => ({ name, type: "n8n-nodes-base.executeWorkflow" }));
  const runData = {
    Webhook: [runOf(0, {}, { body: { requestId: "req-1" } })],
    "Look up": [runOf(1, {}, { error: "optional lookup failed" })],
    Call: [runOf(2, { executionStatus: "error", error, data: undefined }, {})],
  };
  const caller = {
    ...entry(10, "req-1", null, { ...ERR, startedAt: at(10), stoppedAt: at(12) }),
    workflowData: { id: "w1", name: "orders", nodes, connections: {} },
    data: { resultData: { runData, lastNodeExecuted: "Call", error } },
  };
  const lookUp = { ...failedChild(11, 10), startedAt: at(10.5), stoppedAt: at(11) };
  const { failure } = await traced([caller, lookUp]);
  expect(failure?.executionId).toBe("10");
});

test("an error workflow's call with the id is a failure, like its own run", async () => {
  const answer = await traced([
    withoutId(failedEntry(10, "x")),
    errorRun(12, 10, { nothing: 1 }, {}, 13),
    sub(13, 12, ID),
  ]);
  expect(answer.outcome).toBe("error");
});

test("an error workflow's call is a failure even if the failed execution is not kept", async () => {
  const answer = await traced([errorRun(12, 10, { nothing: 1 }, {}, 13), sub(13, 12, ID)]);
  expect(answer.outcome).toBe("error");
});

test("a canceled retry is reported as canceled", async () => {
  const answer = await traced([
    failedEntry(10, "req-1"),
    failedEntry(11, "req-1", null, "Send", { retryOf: "10", mode: "retry", status: "canceled" }),
  ]);
  expect(answer.message).toContain("canceled");
});

test("a canceled batch is not reported as a request of unknown outcome", async () => {
  const answer = await traced([withoutId(entry(10, "x", 11, { status: "canceled" })), sub(11, 10, ID)]);
  expect(answer.message).not.toContain("is not known to have succeeded (canceled)");
});

test("a failed call by a successful retry is reported", async () => {
  const answer = await traced([
    failedEntry(10, "req-1", null, "Send", { retrySuccessId: "20" }),
    entry(20, "req-1", 21, { retryOf: "10", mode: "retry" }),
    failedChild(21, 20),
  ]);
  expect(answer.message).toContain("1 failed");
});
