/** What goes with a failure: tries, error workflows, credentials, and the way to a node. */
import { expect, test } from "vitest";
import { viewOf } from "../../../src/executions/causes/execution-view.ts";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const START: Step = { name: "Start", type: `${BASE}webhook`, sent: [[{}]] };
const DOWN = {
  name: "NodeApiError",
  message: "Service unavailable - try again later or consider setting this node to retry automatically",
  httpCode: "503",
  context: { itemIndex: 0 },
};
const said = (...args: Parameters<typeof steppedExecution>): string => {
  const { finding, evidence } = explain(steppedExecution(...args));
  return [finding, ...evidence].map(({ sentence }) => sentence).join("\n");
};

test.each([
  [10, 5],
  [1, 2],
])("of %d tries that are set, n8n makes %d", (maxTries, made) => {
  const settings = { retryOnFail: true, maxTries };
  const post: Step = { name: "Post", type: `${BASE}httpRequest`, settings, error: DOWN };
  expect(said([START, post])).toContain(`${made} times`);
});

test.each(["manual", "error"])("a failure in mode %s goes to no error workflow", (mode) => {
  const settings = { errorWorkflow: mode === "error" ? "w1" : "handler" };
  const nodes = [
    { name: "Start", type: `${BASE}webhook` },
    { name: "Post", type: `${BASE}httpRequest` },
  ];
  const post: Step = { name: "Post", type: `${BASE}httpRequest`, error: DOWN };
  const workflowData = { id: "w1", name: "Orders", nodes, connections: {}, settings };
  expect(said([START, post], { mode, workflowData })).not.toContain("error workflow");
});

test("a retry names the execution that it retries and where that failed, which called nothing", () => {
  const post: Step = { name: "Post", type: `${BASE}httpRequest`, sent: [[{}]] };
  const retried = viewOf(steppedExecution([START, { ...post, error: DOWN }], { id: "6" }));
  const retry = steppedExecution([START, post], { retryOf: "6" });
  const relatives = [
    { role: "caller", id: "6", workflowName: "w", status: "error", isLater: false },
  ] as const;
  const { finding, evidence } = explain(retry, { retried, relatives });
  expect(finding.cause).toBe("nothing_found");
  expect(evidence.map(({ sentence }) => sentence)).toEqual([
    'It is a retry of execution 6, which failed at "Post".',
  ]);
});

test("a credential of another type is not named as the one that was not chosen", () => {
  const post: Step = {
    name: "Post",
    type: `${BASE}slack`,
    parameters: { authentication: "oAuth2" },
    settings: { credentials: { slackApi: { id: "1", name: "Slack" } } },
    error: {
      name: "NodeOperationError",
      message: 'Node does not have any credentials set for "slackOAuth2Api"',
    },
  };
  expect(said([START, post])).not.toContain("(slackApi)");
});

test("Stop and Error behind an error output was reached because that node failed, not by a decision before it", () => {
  const charged = { id: 1, error: { message: "402", name: "AxiosError", status: 402 } };
  const steps: readonly Step[] = [
    { name: "Start", type: `${BASE}webhook`, sent: [[{ id: 1 }]] },
    { name: "Paid?", type: `${BASE}if`, sent: [[], [{ id: 1 }]] },
    {
      name: "Charge",
      type: `${BASE}httpRequest`,
      settings: { onError: "continueErrorOutput" },
      after: [["Paid?", 1]],
      sent: [[], [charged]],
    },
    {
      name: "Stop",
      type: `${BASE}stopAndError`,
      after: [["Charge", 1]],
      error: { name: "NodeOperationError", message: "Payment failed", context: {} },
    },
  ];
  expect(explain(steppedExecution(steps)).finding.sentence).toContain(
    'after "Charge" had taken its error output',
  );
});
