/** What goes with a failure: tries, error workflows, nodes that did not run, rounds of a loop. */
import { describe, expect, test } from "vitest";
import { explain } from "../../support/explain.ts";
import { type RecordedNode, type RecordedRun, recorded } from "../../support/recorded-runs.ts";
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
  const error = {
    name: "NodeOperationError",
    message: "Payment failed",
    context: {},
    node: { name: "Stop" },
  };
  const refused = {
    id: 1,
    error: { message: "402", name: "AxiosError", code: "ERR_BAD_REQUEST", status: 402 },
  };
  const execution = recorded({
    nodes: [
      { name: "Start", type: `${BASE}webhook` },
      { name: "Paid?", type: `${BASE}if` },
      { name: "Charge", type: `${BASE}httpRequest`, onError: "continueErrorOutput" },
      { name: "Stop", type: `${BASE}stopAndError` },
      { name: "Ok", type: `${BASE}noOp` },
    ],
    links: [
      ["Start", "Paid?"],
      ["Paid?", "Charge", 1],
      ["Charge", "Ok", 0],
      ["Charge", "Stop", 1],
    ],
    runs: [
      { node: "Start", out: [[{ id: 1 }]] },
      { node: "Paid?", from: [["Start"]], out: [[], [{ id: 1 }]] },
      { node: "Charge", from: [["Paid?", 1]], out: [[], [{ json: refused, pairedItem: { item: 0 } }]] },
      { node: "Stop", from: [["Charge", 1]], error },
    ],
    error,
  });
  expect(explain(execution).finding.sentence).toContain('"Charge"');
});
