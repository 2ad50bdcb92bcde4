/** The circumstances of a failure: retries, error workflows, credentials, and the path to a node. */
import { expect, test } from "vitest";
import { viewOf } from "../../../src/executions/causes/execution-view.ts";
import { explain, sentencesOf } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const START: Step = { name: "Start", type: `${BASE}webhook`, sent: [[{}]] };
const DOWN = {
  name: "NodeApiError",
  message: "Service unavailable - try again later or consider setting this node to retry automatically",
  httpCode: "503",
  context: { itemIndex: 0 },
};
const said = (...args: Parameters<typeof steppedExecution>): string =>
  sentencesOf(explain(steppedExecution(...args)));

test.each([
  [10, 5],
  [1, 2],
])("a setting of %d tries means that n8n tries %d times", (maxTries, tries) => {
  const settings = { retryOnFail: true, maxTries };
  const post: Step = { name: "Post", type: `${BASE}httpRequest`, settings, error: DOWN };
  expect(said([START, post])).toContain(`${tries} times`);
});

test.each(["manual", "error"])("no error workflow is said to run for a failure in mode %s", (mode) => {
  const settings = { errorWorkflow: mode === "error" ? "w1" : "handler" };
  const nodes = [
    { name: "Start", type: `${BASE}webhook` },
    { name: "Post", type: `${BASE}httpRequest` },
  ];
  const post: Step = { name: "Post", type: `${BASE}httpRequest`, error: DOWN };
  const workflowData = { id: "w1", name: "Orders", nodes, connections: {}, settings };
  expect(said([START, post], { mode, workflowData })).not.toContain("error workflow");
});

test("a retry names the execution it retries and where that failed, and does not call it a caller", () => {
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

test("a credential of another type is not named as the missing one", () => {
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

test("Stop and Error behind an error output is explained by that failure, not by an earlier decision", () => {
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
