/** Which items an expression or a node reads, how many of them are known, and which belong together. */
import { describe, expect, test } from "vitest";
import { viewOf } from "../../../src/executions/causes/execution-view.ts";
import { factsOf } from "../../../src/executions/causes/explain.ts";
import { code, deciding, HTTP, listing, SET, setting, webhook } from "../../support/everyday-steps.ts";
import { ACCUSES, findings } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";
import { threadSeconds } from "../../support/thread-seconds.ts";

describe("an expression that reads one item of a node", () => {
  const own = [{ n: "8" }, { n: "9" }];
  const steps = (settings: unknown[], node: Step): Step[] => [
    webhook({ go: true }),
    listing("Settings", settings, "Webhook"),
    listing("Rows", own, "Webhook"),
    { ...node, after: ["Rows"] },
  ];

  test.each<[string, unknown[], string]>([
    ["a default", [{ limit: 5 }, { limit: 0 }], "$('Settings').first().json.limit || 10"],
    ["a default for the last item", [{ limit: 0 }, { limit: 5 }], "$('Settings').last().json.limit || 10"],
    ["a truth test", [{ limit: "true" }, { limit: "false" }], "$('Settings').first().json.limit ? 'a' : 'b'"],
    [
      "a comparison",
      [{ limit: "9" }, { limit: "10" }],
      "$('Settings').first().json.limit > $json.n ? 'a' : 'b'",
    ],
    [
      "a paired item among more items",
      [{ limit: 5 }, { limit: 0 }, { limit: 7 }],
      "$('Settings').item.json.limit || 10",
    ],
  ])("is not judged by that node's other items: %s", (_name, settings, expression) => {
    expect(findings(steps(settings, setting("made", `={{ ${expression} }}`, own)))).not.toMatch(ACCUSES);
  });

  test("is judged by the item that it reads", () => {
    const value = "={{ $('Settings').first().json.limit || 10 }}";
    expect(findings(steps([{ limit: 0 }, { limit: 5 }], setting("made", value, own)))).toMatch(ACCUSES);
  });

  test("is not judged by the other items in a condition either", () => {
    const node = deciding("={{ $('Settings').first().json.mode }}", "equals", "live", [[], own]);
    expect(findings(steps([{ mode: "test" }, { mode: "Live" }], node))).not.toMatch(ACCUSES);
  });
});

describe("of many items only the first are read, so", () => {
  const many = (make: (index: number) => unknown): unknown[] =>
    Array.from({ length: 60 }, (_, at) => make(at));

  test("a Merge that joined most of them is not said to have found no match", () => {
    const left = many((index) => ({ mail: index === 3 ? "Ann@x.org" : `m${index}@x.org`, a: 1 }));
    const right = many((index) => ({ mail: index === 2 ? "ann@x.org" : `m${59 - index}@x.org`, b: 2 }));
    const merge = (joinMode: object): Step => ({
      name: "Merge",
      type: "n8n-nodes-base.merge",
      settings: { typeVersion: 3.1 },
      parameters: { mode: "combine", fieldsToMatchString: "mail", options: {}, ...joinMode },
      after: ["Sheet", "Shop"],
      sent: [many((index) => ({ mail: `m${index}@x.org`, a: 1, b: 2 })).slice(0, 57)],
    });
    const given = [webhook({}), listing("Sheet", left, "Webhook"), listing("Shop", right, "Webhook")];
    expect(findings([...given, merge({})])).not.toContain("found nothing alike");
    expect(findings([...given, merge({ joinMode: "enrichInput1" })])).not.toContain("found nothing alike");
  });

  test("near misses are counted as at least so many", () => {
    const items = many(() => ({ state: "Active" }));
    const steps = [webhook(...items), deciding("={{ $json.state }}", "equals", "active", [[], items])];
    expect(findings(steps)).toContain("in at least 25 of 60 items");
  });

  test("defaults are counted as at least so many", () => {
    const [items, sent] = [many(() => ({ limit: 0 })), many(() => ({ limit: 0, max: 500 }))];
    const steps = [webhook(...items), setting("max", "={{ $json.limit || 500 }}", sent, "number")];
    expect(findings(steps)).toContain("for at least 25 of 60 items");
  });

  test("reported failures are counted as at least so many", () => {
    const book = {
      ...{ name: "Book", type: HTTP, parameters: { method: "POST", url: "=https://a/{{ $json.id }}" } },
      sent: [many(() => ({ success: false, error: "closed" }))],
    };
    const note = { name: "Note", type: SET, parameters: { assignments: { assignments: [] } } };
    const steps = [webhook(...many((id) => ({ id }))), book, { ...note, sent: [many(() => ({ a: 1 }))] }];
    expect(findings(steps)).toContain("for at least 25 of 60 items");
  });
});

describe("a Merge of 7 and '7'", () => {
  const [shop, stock] = [
    { sku: "7", price: 12 },
    { sku: 7, count: 3 },
  ];
  const steps = (options: object, sent: unknown[]): Step[] => [
    webhook({ go: true }),
    listing("Sheet", [shop], "Webhook"),
    listing("Stock", [stock], "Webhook"),
    {
      name: "Merge",
      type: "n8n-nodes-base.merge",
      settings: { typeVersion: 3.1 },
      parameters: { mode: "combine", fieldsToMatchString: "sku", options },
      after: ["Sheet", "Stock"],
      sent: [sent],
    },
  ];

  test("matches them with fuzzyCompare, and finds no match without", () => {
    expect(findings(steps({ fuzzyCompare: true }, [{ ...shop, ...stock }]))).not.toMatch(ACCUSES);
    expect(findings(steps({}, []))).toMatch(/^likely: .*found nothing alike/m);
  });
});

describe("code that changes the order of items", () => {
  const customers = [
    { name: "Bea", spent: 1 },
    { name: "Ann", spent: 9 },
    { name: "Cid", spent: 5 },
  ];
  const sorted = [customers[1], customers[2], customers[0]];
  const steps = (jsCode: string): Step[] => [
    webhook({ go: true }),
    { name: "Customers", type: "n8n-nodes-base.postgres", sent: [customers] },
    code(jsCode, sorted),
    setting("text", "=Hello {{ $('Customers').item.json.name }}", sorted),
  ];

  test.each([
    "return $input.all().sort((a, b) => b.json.spent - a.json.spent);",
    "const items = $input.all();\nitems.sort((a, b) => b.json.spent - a.json.spent);\nreturn items;",
    "return $input.all().sort(bySpent).map((item) => ({ ...item, json: { name: item.json.name } }));",
    "return $input.all().sort(({ json: a }, { json: b }) => b.spent - a.spent);",
    "const out = [];\nfor (const item of $input.all()) out.push(item);\nreturn out.sort(bySpent);",
    "const seen = [];\nfor (const item of $input.all()) seen.push({ key: item.json.name });\nreturn $input.all().sort(bySpent);",
    "const sums = $input.all().map((item) => ({ n: item.json.name }));\nreturn $input.all().sort(by(sums));",
  ])("keeps their links if it returns the same objects, in which n8n set pairedItem: %s", (jsCode) => {
    expect(findings(steps(jsCode))).not.toMatch(ACCUSES);
  });

  test.each([
    "return $input.all().map((i) => ({ json: i.json })).sort(bySpent);",
    'return $input.all().map((i) => ({ "json": i.json })).sort(bySpent);',
    "return $input.all().sort(bySpent).map((i) => ({ name: i.json.name, spent: i.json.spent }));",
    "const out = [];\nfor (const i of $input.all()) out.push({ name: i.json.name });\nreturn out.sort(bySpent);",
    "return $input.all().map((i) => i.json).sort(bySpent);",
  ])("loses their links if it returns new objects: %s", (jsCode) => {
    expect(findings(steps(jsCode))).toMatch(ACCUSES);
  });
});

test("the first item may be read as a base value by which each item is divided", () => {
  const rows = [100, 110, 99].map((price, day) => ({ day, price }));
  const value = "={{ $json.price / $('Prices').first().json.price - 1 }}";
  const changes = rows.map((row) => ({ ...row, change: row.price / 100 - 1 }));
  const steps = [
    webhook({}),
    listing("Prices", rows, "Webhook"),
    setting("change", value, changes, "number"),
  ];
  expect(findings(steps)).not.toMatch(ACCUSES);
});

test("lists combined by position may differ in order if code made one from the other", () => {
  const [names, getters] = [
    ["Ann", "Bea", "Cid"],
    ["Bea", "Cid", "Ann"],
  ];
  const jsCode =
    "const names = $input.all().map((i) => i.json.giver);\nnames.push(names.shift());\nreturn names.map((getter) => ({ json: { getter } }));";
  const steps: Step[] = [
    webhook({}),
    listing(
      "Givers",
      names.map((giver) => ({ giver })),
      "Webhook",
    ),
    {
      ...code(
        jsCode,
        getters.map((getter) => ({ getter })),
      ),
      after: ["Givers"],
    },
    {
      name: "Merge",
      type: "n8n-nodes-base.merge",
      settings: { typeVersion: 3.1 },
      parameters: { mode: "combine", combineBy: "combineByPosition", options: {} },
      after: ["Givers", "Code"],
      sent: [names.map((giver, at) => ({ giver, getter: getters[at] }))],
    },
  ];
  expect(findings(steps)).not.toMatch(ACCUSES);
});

test("events counted by name are not reported as different things with one name", () => {
  const names = ["click", "click", "purchase"];
  const count: Step = {
    name: "Count",
    type: "n8n-nodes-base.summarize",
    parameters: { fieldsToSummarize: { values: [{ field: "eventId" }] }, fieldsToSplitBy: "eventName" },
    sent: [
      [
        { eventName: "click", count_eventId: 2 },
        { eventName: "purchase", count_eventId: 1 },
      ],
    ],
  };
  const events = names.map((eventName, at) => ({ eventName, eventId: `e${at}` }));
  expect(findings([webhook(...events), count])).not.toMatch(ACCUSES);
});

test("a node that did not run is not said to have gone on with an empty item", () => {
  const find: Step = {
    name: "Find",
    type: "n8n-nodes-base.postgres",
    settings: { alwaysOutputData: true },
    parameters: { operation: "select" },
    sent: [[{}]],
  };
  const mail: Step = { name: "Mail", type: "n8n-nodes-base.gmail", parameters: { sendTo: "a@b.c" } };
  expect(findings([webhook({ id: 1 }), find, mail])).not.toContain('"Mail" went on');
});

test("twenty nodes that read a sheet of 80 columns by .item are explained within two seconds", () => {
  const rows = Array.from({ length: 25 }, (_, row) =>
    Object.fromEntries(Array.from({ length: 80 }, (__, column) => [`c${column}`, `v${column}-${row}`])),
  );
  const sets = Array.from({ length: 20 }, (_, index) => ({
    ...setting("x", "={{ $('Rows').item.json.c0 }}", rows),
    name: `Set ${index}`,
  }));
  const execution = steppedExecution([
    webhook({}),
    { name: "Rows", type: "n8n-nodes-base.googleSheets", sent: [rows] },
    ...sets,
  ]);
  expect(threadSeconds(() => factsOf(viewOf(execution)))).toBeLessThan(2);
}, 60_000);

test("reading first() of a node that entered a Merge by its second input is reported", () => {
  const orders = [{ id: 1 }, { id: 2 }, { id: 3 }];
  const prices = orders.map(({ id }) => ({ key: id * 2 }));
  const steps: Step[] = [
    webhook({ go: true }),
    listing("Prices", prices, "Webhook"),
    listing("Orders", orders, "Webhook"),
    {
      name: "Merge",
      type: "n8n-nodes-base.merge",
      parameters: { mode: "combine", combineBy: "combineByPosition", options: {} },
      after: ["Prices", "Orders"],
      sent: [orders.map((order, index) => ({ ...order, ...prices[index] }))],
    },
    {
      name: "Book",
      type: HTTP,
      parameters: { method: "POST", url: "=https://a/{{ $('Orders').first().json.id }}/{{ $json.key }}" },
      sent: [orders],
    },
  ];
  expect(findings(steps)).toMatch(ACCUSES);
});
