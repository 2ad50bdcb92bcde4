/** A node that calls a workflow once for each item: n8n names the calls at the items alone (ExecuteWorkflow.node.js). */
import { describe, expect, test } from "vitest";
import { ERR, failedAt, failedRun, runOf, sub, traced } from "../../support/called-workflows.ts";
import { type FakeExecution, fakeExecution } from "../../support/fake-n8n.ts";

const A = { requestId: "req-A" };
const B = { requestId: "req-B" };

const calledAt = (json: object, executionId: number, more: object = {}) => ({
  json,
  metadata: { subExecution: { executionId: String(executionId), workflowId: "w2" }, ...more },
});

/** A schedule that called 11 for A, which answered, and 12 for B, whose failure it caught; then it may have failed. */
function nightly(runs: readonly object[], failsAfter: boolean): FakeExecution {
  const nodes = [
    { name: "Schedule", type: "n8n-nodes-base.scheduleTrigger", parameters: {} },
    {
      name: "Call",
      type: "n8n-nodes-base.executeWorkflow",
      parameters: { mode: "each" },
      onError: "continueRegularOutput",
    },
    { name: "Send", type: "n8n-nodes-base.httpRequest", parameters: {} },
  ];
  return fakeExecution(10, "-", {
    ...(failsAfter ? ERR : {}),
    mode: "trigger",
    workflowData: { id: "w1", name: "nightly", nodes, connections: {} },
    data: {
      resultData: {
        runData: {
          Schedule: [runOf(0, {}, {})],
          Call: runs,
          ...(failsAfter ? { Send: [failedRun(3, "refused")] } : {}),
        },
        ...(failsAfter ? failedAt("Send", "refused") : { lastNodeExecuted: "Call" }),
      },
    },
  });
}

const COUNTED = { subExecutionsCount: 1 };
const inOneRun = [
  runOf(
    1,
    {
      metadata: { subExecutionsCount: 2 },
      data: { main: [[calledAt(A, 11), calledAt({ error: "boom" }, 12, COUNTED)]] },
    },
    {},
  ),
];
const inALoop = [
  runOf(1, { metadata: { subExecution: { executionId: "11", workflowId: "w2" }, ...COUNTED } }, A),
  runOf(2, { data: { main: [[calledAt({ error: "boom" }, 12, COUNTED)]] } }, {}),
];

describe.each([
  ["once per item", inOneRun],
  ["in a loop", inALoop],
])("called %s, one request succeeds and the other fails", (_how, runs) => {
  const all = (failsAfter: boolean) => [nightly(runs, failsAfter), sub(11, 10, A), sub(12, 10, B, ERR)];

  test.each([false, true])(
    "the good one keeps its success (its batch fails afterwards: %s)",
    async (fails) => {
      const { outcome, executions, message } = await traced(all(fails), A);
      expect(outcome).toBe("success");
      expect(executions.map(({ id }) => id)).not.toContain("12");
      expect(message).not.toContain("swallowed");
    },
  );

  test("the caught failure is the other's", async () => {
    const { outcome, failure } = await traced(all(false), B);
    expect([outcome, failure?.executionId]).toEqual(["error", "12"]);
  });
});
