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

describe("another branch is not claimed", () => {
  const unexecuted = (name: string) => ({
    name: "ExpressionError",
    message: `Node '${name}' hasn't been executed`,
    context: {
      runIndex: 0,
      itemIndex: 0,
      nodeCause: name,
      descriptionKey: "pairedItemNoConnection",
      functionality: "pairedItem",
      type: "no_execution_data",
    },
  });
  const price: RecordedNode = {
    name: "Price",
    type: `${BASE}set`,
    parameters: {
      assignments: { assignments: [{ name: "eur", value: "={{ $('Rates').first().json.eur }}" }] },
    },
  };
  const nodes: RecordedNode[] = [
    { name: "Start", type: `${BASE}webhook` },
    price,
    { name: "Rates", type: `${BASE}httpRequest` },
  ];
  const error = unexecuted("Rates");
  const runs: RecordedRun[] = [
    { node: "Start", out: [[{}]] },
    { node: "Price", from: [["Start"]], error },
  ];

  test("where both branches run, and the other one is later", () => {
    const execution = recorded({
      nodes,
      links: [
        ["Start", "Price"],
        ["Start", "Rates"],
      ],
      runs,
      error,
    });
    expect(explain(execution).finding.sentence).not.toContain("another branch was taken");
  });

  test("where the node comes behind the one that reads it", () => {
    const execution = recorded({
      nodes,
      links: [
        ["Start", "Price"],
        ["Price", "Rates"],
      ],
      runs,
      error,
    });
    expect(explain(execution).finding.sentence).not.toContain("another branch was taken");
  });

  test("where the node ran, and sent fewer items", () => {
    const tooFew = {
      ...error,
      message: `"Rates" node has 1 item(s) but you're trying to access item 1`,
      context: { ...error.context, itemIndex: 1, descriptionKey: "pairedItemInvalidIndex" },
    };
    const old: RecordedNode = {
      ...price,
      parameters: {
        assignments: { assignments: [{ name: "eur", value: '={{ $node["Rates"].json.eur }}' }] },
      },
    };
    const execution = recorded({
      nodes: [
        ...nodes.filter(({ name }) => name !== "Price"),
        old,
        { name: "Lines", type: `${BASE}splitOut` },
      ],
      links: [
        ["Start", "Rates"],
        ["Rates", "Lines"],
        ["Lines", "Price"],
      ],
      runs: [
        { node: "Start", out: [[{}]] },
        { node: "Rates", from: [["Start"]], out: [[{ eur: 1, lines: [{ a: 1 }, { a: 2 }] }]] },
        { node: "Lines", from: [["Rates"]], out: [[{ a: 1 }, { json: { a: 2 }, pairedItem: { item: 0 } }]] },
        { node: "Price", from: [["Lines"]], error: tooFew },
      ],
      error: tooFew,
    });
    expect(explain(execution).finding.sentence).not.toContain("did not run");
  });
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

test("more rounds of a loop than were read are not told as all", () => {
  const nodes: RecordedNode[] = [
    { name: "Start", type: `${BASE}webhook` },
    { name: "Ask", type: `${BASE}httpRequest` },
    {
      name: "Done?",
      type: `${BASE}if`,
      parameters: {
        conditions: {
          conditions: [
            {
              leftValue: "={{ $json.state }}",
              rightValue: "done",
              operator: { type: "string", operation: "equals" },
            },
          ],
        },
      },
    },
    { name: "End", type: `${BASE}noOp` },
  ];
  const rounds = Array.from({ length: 300 }, (_, round): RecordedRun[] => {
    const state = round < 100 ? "pending" : "failed";
    return [
      { node: "Ask", from: [round === 0 ? ["Start"] : ["Done?", 1, round - 1]], out: [[{ state }]] },
      { node: "Done?", from: [["Ask", 0, round]], out: [[], [{ state }]] },
    ];
  });
  const runs = [{ node: "Start", out: [[{}]] }, ...rounds.flat()];
  const links = [
    ["Start", "Ask"],
    ["Ask", "Done?"],
    ["Done?", "End", 0],
    ["Done?", "Ask", 1],
  ] as const;
  const made = recorded({ nodes, links, runs });
  const execution = {
    ...made,
    status: "canceled" as const,
    stoppedAt: "2026-09-21T00:01:00.100Z",
    workflowData: { ...made.workflowData, settings: { executionTimeout: 60 } },
  };
  const { sentence, value } = explain(execution).finding;
  expect(sentence).not.toContain("ran 200 rounds again");
  expect(value).not.toBe("pending");
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
