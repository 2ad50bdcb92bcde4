/** Which item another one was made from, and which one a reference to another node reads. */
import { describe, expect, test } from "vitest";
import { explain, sentencesOf } from "../../support/explain.ts";
import { rejection, undefinedRead } from "../../support/failing-steps.ts";
import { linkedInOrder, type RecordedNode, type RecordedRun, recorded } from "../../support/recorded-runs.ts";

const BASE = "n8n-nodes-base.";
const START: RecordedNode = { name: "Start", type: `${BASE}webhook` };
const code = (name: string, jsCode: string): RecordedNode => ({
  name,
  type: `${BASE}code`,
  parameters: { jsCode },
});
const USE = code(
  "Use",
  "return $input.all().map((item) => ({ json: { mail: item.json.customer.email.toLowerCase() } }))",
);
const FULL = { id: 1, customer: { email: "ann@shop.example" } };
const BARE = { id: 2, customer: {} };

describe("a node that only passes items on is not blamed for a missing field or file", () => {
  test.each(["filter", "if", "sort", "removeDuplicates", "limit"])("%s", (type) => {
    const error = undefinedRead("toLowerCase");
    const execution = recorded({
      nodes: [
        START,
        { name: "Get", type: `${BASE}httpRequest` },
        { name: "Some", type: `${BASE}${type}` },
        USE,
      ],
      links: linkedInOrder("Start", "Get", "Some", "Use"),
      runs: [
        { node: "Start", out: [[{}]] },
        {
          node: "Get",
          from: [["Start"]],
          out: [[FULL, BARE].map((json) => ({ json, pairedItem: { item: 0 } }))],
        },
        { node: "Some", from: [["Get"]], out: [[{ json: BARE, pairedItem: { item: 1 } }]] },
        { node: "Use", from: [["Some"]], error },
      ],
      error,
    });
    const { finding } = explain(execution);
    expect(finding).toMatchObject({ cause: "field_missing", field: "customer.email", node: "Get" });
    expect(finding.sentence).not.toContain("was not passed on");
  });

  test("Split Out with the other fields", () => {
    const error = undefinedRead("email");
    const orders = [
      { id: 1, lines: ["a", "b"], customer: { email: "ann@shop.example" } },
      { id: 2, lines: ["c"] },
    ];
    const execution = recorded({
      nodes: [
        START,
        { name: "Orders", type: `${BASE}httpRequest` },
        {
          name: "Lines",
          type: `${BASE}splitOut`,
          parameters: { fieldToSplitOut: "lines", include: "allOtherFields" },
        },
        code("Use", "return $input.all().map((item) => ({ json: { mail: item.json.customer.email } }))"),
      ],
      links: linkedInOrder("Start", "Orders", "Lines", "Use"),
      runs: [
        { node: "Start", out: [[{}]] },
        {
          node: "Orders",
          from: [["Start"]],
          out: [orders.map((json) => ({ json, pairedItem: { item: 0 } }))],
        },
        {
          node: "Lines",
          from: [["Orders"]],
          out: [
            [
              { json: { ...orders[0], lines: "a" }, pairedItem: { item: 0 } },
              { json: { ...orders[0], lines: "b" }, pairedItem: { item: 0 } },
              { json: { ...orders[1], lines: "c" }, pairedItem: { item: 1 } },
            ],
          ],
        },
        { node: "Use", from: [["Lines"]], error },
      ],
      error,
    });
    expect(explain(execution).finding).toMatchObject({ field: "customer", node: "Orders" });
  });

  test("the done output of Loop Over Items, which passes on what its body sent", () => {
    const error = undefinedRead("toLowerCase");
    const execution = recorded({
      nodes: [
        START,
        { name: "Loop", type: `${BASE}splitInBatches`, parameters: { options: {} } },
        { name: "Ask", type: `${BASE}httpRequest` },
        USE,
      ],
      links: [
        ["Start", "Loop"],
        ["Loop", "Use", 0],
        ["Loop", "Ask", 1],
        ["Ask", "Loop"],
      ],
      runs: [
        { node: "Start", out: [[{ id: 1 }]] },
        { node: "Loop", from: [["Start"]], out: [[], [{ id: 1 }]] },
        { node: "Ask", from: [["Loop", 1, 0]], out: [[BARE]] },
        { node: "Loop", from: [["Ask", 0, 0]], out: [[BARE], []] },
        { node: "Use", from: [["Loop", 0, 1]], error },
      ],
      error,
    });
    expect(explain(execution).finding).toMatchObject({ field: "customer.email", node: "Ask" });
  });

  const NO_FILE = {
    name: "NodeOperationError",
    message:
      "This operation expects the node's input data to contain a binary file 'data', but none was found [item 0]",
    context: { itemIndex: 0 },
  };

  test("but a node that could have made the file is, although it passed its input on", () => {
    const execution = recorded({
      nodes: [
        START,
        { name: "Get", type: `${BASE}httpRequest` },
        { name: "Read", type: `${BASE}extractFromFile`, parameters: { binaryPropertyName: "data" } },
      ],
      links: linkedInOrder("Start", "Get", "Read"),
      runs: [
        { node: "Start", out: [[{ id: 1 }]] },
        { node: "Get", from: [["Start"]], out: [[{ id: 1 }]] },
        { node: "Read", from: [["Get"]], error: NO_FILE },
      ],
      error: NO_FILE,
    });
    expect(explain(execution).finding).toMatchObject({ cause: "file", node: "Get" });
  });

  test("a filter before a node that needs a file", () => {
    const execution = recorded({
      nodes: [
        START,
        { name: "Get", type: `${BASE}httpRequest` },
        { name: "Some", type: `${BASE}filter` },
        { name: "Read", type: `${BASE}extractFromFile`, parameters: { binaryPropertyName: "data" } },
      ],
      links: linkedInOrder("Start", "Get", "Some", "Read"),
      runs: [
        { node: "Start", out: [[{}]] },
        { node: "Get", from: [["Start"]], out: [[{ id: 1 }]] },
        { node: "Some", from: [["Get"]], out: [[{ id: 1 }]] },
        { node: "Read", from: [["Some"]], error: NO_FILE },
      ],
      error: NO_FILE,
    });
    expect(explain(execution).finding).toMatchObject({ cause: "file", node: "Get" });
  });
});

describe("a reference to another node reads", () => {
  test("the output that leads to the reader", () => {
    const error = undefinedRead("city");
    const execution = recorded({
      nodes: [
        START,
        { name: "Known?", type: `${BASE}if` },
        { name: "Yes", type: `${BASE}noOp` },
        code("Use", "return [{ json: { city: $('Known?').first().json.address.city } }]"),
      ],
      links: [
        ["Start", "Known?"],
        ["Known?", "Yes", 0],
        ["Known?", "Use", 1],
      ],
      runs: [
        { node: "Start", out: [[{ id: 1 }, { id: 2 }]] },
        {
          node: "Known?",
          from: [["Start"]],
          out: [
            [{ json: { id: 1 }, pairedItem: { item: 0 } }],
            [{ json: { id: 2 }, pairedItem: { item: 1 } }],
          ],
        },
        { node: "Yes", from: [["Known?"]], out: [[{ id: 1 }]] },
        { node: "Use", from: [["Known?", 1]], error },
      ],
      error,
    });
    expect(explain(execution).finding).toMatchObject({ field: "address", value: { id: 2 } });
  });

  test("the current round of a loop, not the first one", () => {
    const error = rejection("400", "Bad Request");
    const roundRuns = (round: number, customer: object): RecordedRun[] => [
      { node: "Loop", from: [round === 0 ? ["Start"] : ["Mail", 0, round - 1]], out: [[], [{ id: round }]] },
      { node: "Customer", from: [["Loop", 1, round]], out: [[customer]] },
      { node: "Check", from: [["Customer", 0, round]], out: [[{ ok: true }]] },
    ];
    const execution = recorded({
      nodes: [
        START,
        { name: "Loop", type: `${BASE}splitInBatches`, parameters: { options: {} } },
        { name: "Customer", type: `${BASE}httpRequest` },
        { name: "Check", type: `${BASE}httpRequest` },
        {
          name: "Mail",
          type: `${BASE}httpRequest`,
          parameters: {
            url: "https://shop.example/orders",
            sendBody: true,
            bodyParameters: {
              parameters: [{ name: "reply", value: "={{ $('Customer').item.json.reply }}" }],
            },
          },
        },
      ],
      links: [
        ["Start", "Loop"],
        ["Loop", "Customer", 1],
        ["Customer", "Check"],
        ["Check", "Mail"],
        ["Mail", "Loop"],
      ],
      runs: [
        { node: "Start", out: [[{ id: 0 }, { id: 1 }]] },
        ...roundRuns(0, { n: 1, reply: "" }),
        { node: "Mail", from: [["Check", 0, 0]], out: [[{ sent: true }]] },
        ...roundRuns(1, { n: 2, reply: "bob@shop.example" }),
        { node: "Mail", from: [["Check", 0, 1]], error },
      ],
      error,
    });
    const explanation = explain(execution);
    expect(sentencesOf(explanation)).not.toContain("empty");
    const reply = { reply: "bob@shop.example" };
    const parameters = explanation.evidence.find(({ cause }) => cause === "parameters");
    expect(parameters?.value ?? reply).toEqual(reply);
  });

  test("only the first item with first()", () => {
    const error = undefinedRead("name", 2);
    const execution = recorded({
      nodes: [
        START,
        code(
          "Use",
          "const owners = { a: { name: 'Ann' } };\nreturn [{ json: { by: $input.first().json.user.name, to: owners[$input.first().json.to].name } }]",
        ),
      ],
      links: linkedInOrder("Start", "Use"),
      runs: [
        { node: "Start", out: [[{ user: { name: "Bob" }, to: "b" }, { to: "a" }]] },
        { node: "Use", from: [["Start"]], error },
      ],
      error,
    });
    expect(explain(execution).finding.cause).not.toBe("field_missing");
  });

  test("the first item with first() in a condition, whichever item is tested", () => {
    const error = {
      name: "NodeOperationError",
      message: "Wrong type: '1,1' is a string but was expecting a number [condition 0, item 1]",
      context: { itemIndex: 1 },
    };
    const leftValue = "={{ $('Rates').first().json.eur }}";
    const row = { leftValue, rightValue: 5, operator: { type: "number", operation: "equals" } };
    const execution = recorded({
      nodes: [
        START,
        { name: "Rates", type: `${BASE}httpRequest` },
        code("Lines", ""),
        { name: "Big?", type: `${BASE}if`, parameters: { conditions: { conditions: [row] } } },
      ],
      links: linkedInOrder("Start", "Rates", "Lines", "Big?"),
      runs: [
        { node: "Start", out: [[{}]] },
        { node: "Rates", from: [["Start"]], out: [[{ eur: "1,1" }, { eur: 2 }]] },
        { node: "Lines", from: [["Rates"]], out: [[{ a: 1 }, { a: 2 }]] },
        { node: "Big?", from: [["Lines"]], error },
      ],
      error,
    });
    expect(explain(execution).finding).toMatchObject({ field: "eur", value: "1,1" });
  });

  test("with `.item` the item from which the current one was made, not the one at the same index", () => {
    const error = { ...undefinedRead("city"), context: { itemIndex: 0 } };
    const execution = recorded({
      nodes: [
        START,
        { name: "Get", type: `${BASE}httpRequest` },
        { name: "Some", type: `${BASE}filter` },
        {
          ...code("Use", ""),
          parameters: {
            mode: "runOnceForEachItem",
            jsCode: "return { json: { city: $('Get').item.json.address.city } }",
          },
        },
      ],
      links: linkedInOrder("Start", "Get", "Some", "Use"),
      runs: [
        { node: "Start", out: [[{}]] },
        {
          node: "Get",
          from: [["Start"]],
          out: [[{ id: 1 }, { id: 2 }].map((json) => ({ json, pairedItem: 0 }))],
        },
        { node: "Some", from: [["Get"]], out: [[{ json: { id: 2 }, pairedItem: { item: 1 } }]] },
        { node: "Use", from: [["Some"]], error },
      ],
      error,
    });
    expect(explain(execution).finding).toMatchObject({ field: "address", value: { id: 2 } });
  });
});
