/** n8n stores no parameter that has its default: what a node does then is known by its type. */
import { describe, expect, test } from "vitest";
import { type Relative, viewOf } from "../../../src/executions/causes/execution-view.ts";
import { HTTP, posting, webhook } from "../../support/everyday-steps.ts";
import { explain, told } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

describe("a node whose operation is its default, which n8n does not store", () => {
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

  test("Slack posts the same text for each item", () => {
    expect(told([webhook(...news), posts])).toContain("nothing in it depends on the item");
  });

  test("control: with the operation written out", () => {
    const written = { ...posts, parameters: { ...(posts.parameters as object), operation: "post" } };
    expect(told([webhook(...news), written])).toContain("nothing in it depends on the item");
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
  ])("the same request twice has perhaps been done twice: %s", (_name, step) => {
    const { finding } = explain(steppedExecution([webhook({ id: 1 }), step]), { relatives: [again] });
    expect(finding.sentence).toContain("done twice");
  });
});

describe("a parameter that n8n does not store, because it has its default", () => {
  test("Merge combines by matching fields unless it says otherwise: a doubled join is told", () => {
    const left = [
      { sku: "a", order: 1 },
      { sku: "b", order: 2 },
    ];
    const right = ["a", "a", "a", "b", "b"].map((sku, price) => ({ sku, price }));
    const joined = right.map((one) => ({ ...left.find(({ sku }) => sku === one.sku), ...one }));
    const steps = (parameters: object): Step[] => [
      webhook({}),
      { name: "Orders", type: "n8n-nodes-base.postgres", after: ["Webhook"], sent: [left] },
      { name: "Prices", type: HTTP, after: ["Webhook"], sent: [right] },
      {
        name: "Merge",
        type: "n8n-nodes-base.merge",
        settings: { typeVersion: 3.1 },
        parameters: { mode: "combine", fieldsToMatchString: "sku", options: {}, ...parameters },
        after: ["Orders", "Prices"],
        sent: [joined],
      },
      posting(joined.map(() => ({ ok: true }))),
    ];
    expect(told(steps({ combineBy: "combineByFields" }))).toContain("each match makes an item");
    expect(told(steps({}))).toContain("each match makes an item");
  });

  test.each([
    ["keepEverything", [1, 2, 3], [2, 3, 4], [1, 2, 3, 4]],
    ["keepNonMatches", [1, 2], [8, 9, 10], [1, 2, 8, 9, 10]],
  ])(
    "a Merge with %s sends what matches nothing, too: more items are no doubled ones",
    (joinMode, ...ids) => {
      const [left = [], right = [], sent = []] = ids.map((all) => all.map((id) => ({ id })));
      const steps: Step[] = [
        webhook({}),
        { name: "Orders", type: "n8n-nodes-base.postgres", after: ["Webhook"], sent: [left] },
        { name: "Prices", type: HTTP, after: ["Webhook"], sent: [right] },
        {
          name: "Merge",
          type: "n8n-nodes-base.merge",
          settings: { typeVersion: 3.1 },
          parameters: { mode: "combine", fieldsToMatchString: "id", joinMode, options: {} },
          after: ["Orders", "Prices"],
          sent: [sent],
        },
        posting(sent.map(() => ({ ok: true }))),
      ];
      expect(told(steps)).not.toContain("each match makes an item");
    },
  );

  test("an app gives no more than its limit unless Return All is on", () => {
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
    expect(told(steps({ returnAll: false, limit: 20 }))).toContain("there may be more");
    expect(told(steps({ limit: 20 }))).toContain("there may be more");
  });

  test("an old IF compares numbers by smaller unless it says otherwise", () => {
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
    const said = told(now, steps(50, [[], [{ stock: 50 }]]));
    expect(said).not.toContain("equals 10");
  });
});

const items = [1, 2, 3, 4].map((id) => ({ id: String(id) }));

/** A retry that succeeded, of an execution that failed at the third item. */
function retryOf(node: Omit<Step, "name" | "sent" | "error">, error: Record<string, unknown>): string {
  const failed = steppedExecution(
    [webhook(...items), { ...node, name: "Work", error: { ...error, context: { itemIndex: 2 } } }],
    { id: "6", status: "error" },
  );
  const again = steppedExecution(
    [webhook(...items), { ...node, name: "Work", sent: [items.map((item) => ({ ...item, ok: true }))] }],
    { mode: "retry", retryOf: "6" },
  );
  const { finding, evidence } = explain(again, { retried: viewOf(failed) });
  return [finding, ...evidence].map(({ sentence }) => sentence).join("\n");
}

test("a retry has repeated nothing of what Google Sheets only read, which is its default", () => {
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
