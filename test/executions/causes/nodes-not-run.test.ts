/** Why a node that an expression reads had not run. */
import { describe, expect, test } from "vitest";
import { explain } from "../../support/explain.ts";
import { linkedInOrder, type RecordedNode, type RecordedRun, recorded } from "../../support/recorded-runs.ts";
import { threadSeconds } from "../../support/thread-seconds.ts";

const BASE = "n8n-nodes-base.";

describe("another branch is said to have been taken", () => {
  const error = {
    name: "ExpressionError",
    message: "Node 'Rates' hasn't been executed",
    context: {
      runIndex: 0,
      itemIndex: 0,
      nodeCause: "Rates",
      descriptionKey: "pairedItemNoConnection",
      functionality: "pairedItem",
      type: "no_execution_data",
    },
  };
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
  const runs: RecordedRun[] = [
    { node: "Start", out: [[{}]] },
    { node: "Price", from: [["Start"]], error },
  ];

  test("if a decision sent nothing to the node", () => {
    const decision: RecordedNode = { name: "Premium?", type: `${BASE}if` };
    const execution = recorded({
      nodes: [...nodes, decision],
      links: [
        ["Start", "Premium?"],
        ["Premium?", "Rates", 0],
        ["Premium?", "Price", 1],
        ["Rates", "Price"],
      ],
      runs: [
        { node: "Start", out: [[{}]] },
        { node: "Premium?", from: [["Start"]], out: [[], [{}]] },
        { node: "Price", from: [["Premium?", 1]], error },
      ],
      error,
    });
    expect(explain(execution).finding.sentence).toContain("another branch was taken");
  });

  test.each([
    ["both branches run, and the other one is later", "Start"],
    ["the node comes after the one that reads it", "Price"],
  ])("not if %s", (_why, before) => {
    const links = [...linkedInOrder("Start", "Price"), ...linkedInOrder(before, "Rates")];
    const { sentence } = explain(recorded({ nodes, links, runs, error })).finding;
    expect(sentence).toContain("which had not run by then");
  });

  test("not if the node ran and sent fewer items", () => {
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
      links: linkedInOrder("Start", "Rates", "Lines", "Price"),
      runs: [
        { node: "Start", out: [[{}]] },
        { node: "Rates", from: [["Start"]], out: [[{ eur: 1, lines: [{ a: 1 }, { a: 2 }] }]] },
        { node: "Lines", from: [["Rates"]], out: [[{ a: 1 }, { json: { a: 2 }, pairedItem: { item: 0 } }]] },
        { node: "Price", from: [["Lines"]], error: tooFew },
      ],
      error: tooFew,
    });
    expect(explain(execution).finding.sentence).toContain(
      'reads an item of "Rates" that is not there: it sent fewer items',
    );
  });
});

describe("a node that never runs in the execution is not said to run later", () => {
  const START: RecordedNode = { name: "Daily", type: `${BASE}scheduleTrigger` };
  const use = (read: string): RecordedNode => ({
    name: "Use",
    type: `${BASE}set`,
    parameters: { value: `={{ $('${read}').first().json.id }}` },
  });
  const sentenceOf = (
    read: string,
    nodes: readonly RecordedNode[],
    links: readonly (readonly [from: string, to: string])[],
  ): string => {
    const context = { nodeCause: read, type: "no_execution_data", itemIndex: 0, runIndex: 0 };
    const error = { name: "ExpressionError", message: `Node '${read}' hasn't been executed`, context };
    const runs: RecordedRun[] = [
      { node: "Daily", out: [[{}]] },
      { node: "Use", from: [["Daily"]], error },
    ];
    const execution = recorded({
      nodes: [START, use(read), ...nodes],
      links: [["Daily", "Use"], ...links],
      runs,
      error,
    });
    return explain(execution).finding.sentence;
  };

  test.each(["Webhook", "Prepare"])("such as %s of another trigger", (read) => {
    const nodes = [
      { name: "Webhook", type: `${BASE}webhook` },
      { name: "Prepare", type: `${BASE}set` },
    ];
    const sentence = sentenceOf(read, nodes, linkedInOrder("Webhook", "Prepare", "Use"));
    expect(sentence).toContain("did not run in this execution, nor did anything that leads to it");
  });

  test("but a node that reads itself in its first run had not run by then", () => {
    expect(sentenceOf("Use", [], [])).toContain("which had not run by then");
  });

  test("and a long workflow is searched in linear time", () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `N${index}`);
    const nodes = names.map((name) => ({ name, type: `${BASE}set` }));
    const seconds = threadSeconds(() => sentenceOf("N1999", nodes, linkedInOrder("Use", ...names)));
    expect(seconds).toBeLessThan(2);
  });
});
