/** n8n does not store a parameter that has its default value, so its meaning follows from the node's type. */
import { describe, expect, test } from "vitest";
import { type Relative, viewOf } from "../../../src/executions/causes/execution-view.ts";
import { HTTP, posting, webhook } from "../../support/everyday-steps.ts";
import { explain, findings, sentencesOf } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

describe("a node whose default operation is not stored", () => {
  const news = [{ text: "a" }, { text: "b" }, { text: "c" }];
  const posts: Step = {
    name: "Tell team",
    type: "n8n-nodes-base.slack",
    settings: { typeVersion: 2.3 },
    parameters: {
      select: "channel",
      channelId: { __rl: true, value: "C1", mode: "list" },
      text: "New orders are there",
      otherOptions: {},
    },
    sent: [news.map(() => ({ ok: true, channel: "C1" }))],
  };

  test("is understood: Slack posts the same text for each item", () => {
    expect(findings([webhook(...news), posts])).toContain("nothing in it depends on the item");
  });

  test("is treated like one whose operation is stored (control)", () => {
    const written = { ...posts, parameters: { ...(posts.parameters as object), operation: "post" } };
    expect(findings([webhook(...news), written])).toContain("nothing in it depends on the item");
  });

  const again: Relative = {
    role: "again",
    id: "6",
    workflowName: "Orders",
    status: "success",
    isLater: false,
  };
  test.each<[string, Step]>([
    [
      "Postgres inserts",
      {
        name: "Store",
        type: "n8n-nodes-base.postgres",
        parameters: { table: { value: "orders" }, columns: {} },
        sent: [[{ id: 1 }]],
      },
    ],
    [
      "a query inserts",
      {
        name: "Store",
        type: "n8n-nodes-base.postgres",
        parameters: { operation: "executeQuery", query: "INSERT INTO orders (id) VALUES (1)" },
        sent: [[{ success: true }]],
      },
    ],
    [
      "a query with an expression inserts",
      {
        name: "Store",
        type: "n8n-nodes-base.postgres",
        parameters: { operation: "executeQuery", query: "=INSERT INTO orders (id) VALUES ({{ $json.id }})" },
        sent: [[{ success: true }]],
      },
    ],
    [
      "Gmail sends",
      {
        name: "Mail",
        type: "n8n-nodes-base.gmail",
        parameters: { sendTo: "a@b.c", subject: "s", message: "m" },
        sent: [[{ id: "x", labelIds: ["SENT"] }]],
      },
    ],
  ])("may have acted twice for the same request: %s", (_name, step) => {
    const { finding } = explain(steppedExecution([webhook({ id: 1 }), step]), { relatives: [again] });
    expect(finding.sentence).toContain("done twice");
  });
});

describe("a default parameter that is not stored", () => {
  const merging = (
    left: readonly object[],
    right: readonly object[],
    parameters: object,
    sent: readonly object[],
  ): Step[] => [
    webhook({}),
    { name: "Orders", type: "n8n-nodes-base.postgres", after: ["Webhook"], sent: [left] },
    { name: "Prices", type: HTTP, after: ["Webhook"], sent: [right] },
    {
      name: "Merge",
      type: "n8n-nodes-base.merge",
      settings: { typeVersion: 3.1 },
      parameters: { mode: "combine", options: {}, ...parameters },
      after: ["Orders", "Prices"],
      sent: [sent],
    },
    posting(sent.map(() => ({ ok: true }))),
  ];

  test("makes Merge combine by matching fields: doubled matches are reported", () => {
    const left = [
      { sku: "a", order: 1 },
      { sku: "b", order: 2 },
    ];
    const right = ["a", "a", "a", "b", "b"].map((sku, price) => ({ sku, price }));
    const joined = right.map((one) => ({ ...left.find(({ sku }) => sku === one.sku), ...one }));
    const steps = (parameters: object): Step[] =>
      merging(left, right, { fieldsToMatchString: "sku", ...parameters }, joined);
    expect(findings(steps({ combineBy: "combineByFields" }))).toContain("each match makes an item");
    expect(findings(steps({}))).toContain("each match makes an item");
  });

  test.each([
    ["keepEverything", [1, 2, 3], [2, 3, 4], [1, 2, 3, 4]],
    ["keepNonMatches", [1, 2], [8, 9, 10], [1, 2, 8, 9, 10]],
  ])(
    "does not make a Merge with %s, which also sends items without a match, look doubled",
    (joinMode, ...ids) => {
      const [left = [], right = [], sent = []] = ids.map((all) => all.map((id) => ({ id })));
      const steps = merging(left, right, { fieldsToMatchString: "id", joinMode }, sent);
      expect(findings(steps)).not.toContain("each match makes an item");
    },
  );

  test("makes Return All off: a full page may not be all", () => {
    const rows = Array.from({ length: 20 }, (_, id) => ({ id }));
    const steps = (parameters: object): Step[] => [
      webhook({}),
      {
        name: "Tasks",
        type: "n8n-nodes-base.clickUp",
        parameters: { operation: "getAll", ...parameters },
        sent: [rows],
      },
    ];
    expect(findings(steps({ returnAll: false, limit: 20 }))).toContain("there may be more");
    expect(findings(steps({ limit: 20 }))).toContain("there may be more");
  });

  test("makes an old IF compare numbers by smaller", () => {
    const steps = (stock: number, sent: unknown[][]): Step[] => [
      webhook({ stock }),
      {
        name: "If",
        type: "n8n-nodes-base.if",
        settings: { typeVersion: 1 },
        parameters: { conditions: { number: [{ value1: "={{ $json.stock }}", value2: 10 }] } },
        sent,
      },
    ];
    const now = steps(3, [[{ stock: 3 }], []]);
    const said = findings(now, steps(50, [[], [{ stock: 50 }]]));
    expect(said).not.toContain("equals 10");
  });
});

const items = [1, 2, 3, 4].map((id) => ({ id: String(id) }));

/** The explanation of a retry that succeeded after a failure at the third item. */
function retryOf(node: Omit<Step, "name" | "sent" | "error">, error: Record<string, unknown>): string {
  const failed = steppedExecution(
    [webhook(...items), { ...node, name: "Work", error: { ...error, context: { itemIndex: 2 } } }],
    { id: "6", status: "error" },
  );
  const again = steppedExecution(
    [webhook(...items), { ...node, name: "Work", sent: [items.map((item) => ({ ...item, ok: true }))] }],
    { mode: "retry", retryOf: "6" },
  );
  return sentencesOf(explain(again, { retried: viewOf(failed) }));
}

test("a retry has repeated nothing if Google Sheets only read, its default operation", () => {
  const said = retryOf(
    {
      type: "n8n-nodes-base.googleSheets",
      settings: { typeVersion: 4.5 },
      parameters: {
        filtersUI: { values: [{ lookupColumn: "id", lookupValue: "={{ $json.id.trim() }}" }] },
      },
    },
    { name: "ExpressionError", message: "Cannot read properties of null (reading 'trim') [item 2]" },
  );
  expect(said).not.toContain("had already done");
});
