/** Successes whose items were skipped, mixed up, repeated or routed wrongly; beside each, a correct workflow. */
import { describe, expect, test } from "vitest";
import { viewOf } from "../../../src/executions/causes/execution-view.ts";
import { factsOf } from "../../../src/executions/causes/explain.ts";
import { type Finding, toFinding } from "../../../src/executions/causes/wording/finding.ts";
import { explain } from "../../support/explain.ts";
import { type Flow, flowView, LOOP, type Run } from "../../support/flow-executions.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const START: Step = { name: "Start", type: `${BASE}webhook`, sent: [[{ body: { a: 1 } }]] };
const listed = (...items: readonly unknown[]): Step => ({ name: "List", sent: [items] });
const people = (...names: readonly string[]): Step =>
  listed(...names.map((name) => ({ name, mail: `${name}@x` })));
const sent = (count: number, item: object = { ok: true }): object[] =>
  Array.from({ length: count }, () => item);
const coded = (jsCode: string, count = 1): Step => ({
  name: "Write",
  parameters: { jsCode },
  sent: [sent(count, { text: "t" })],
});
const posted = (count: number, more: Partial<Step> & { body?: string } = {}): Step => ({
  name: "Post",
  type: `${BASE}httpRequest`,
  parameters: {
    method: "POST",
    url: "https://x.example",
    jsonBody: more.body ?? "={{ JSON.stringify($json) }}",
  },
  sent: [sent(count)],
  ...more,
});

function explained(steps: readonly Step[], ...before: readonly (readonly Step[])[]) {
  const successes = before.map((each) => viewOf(steppedExecution(each, { id: "6" })));
  return explain(steppedExecution(steps), { successes });
}
const finding = (steps: readonly Step[], ...before: readonly (readonly Step[])[]) =>
  explained(steps, ...before).finding;
const NOTHING = { cause: "nothing_found" };

describe("code that reads only one of its items", () => {
  test.each([
    "const c = $input.first().json; return [{ json: c }]",
    "return [{ json: items[0].json }]",
    "return [{ json: { text: $json.name } }]",
    "const all = $input.all();\nreturn [all[0]]",
    "const [one] = $input.all(); return [one]",
  ])("is reported: %s", (text) => {
    const steps = [START, people("a", "b", "c"), coded(text), posted(1)];
    const good = [START, people("a"), coded(text), posted(1)];
    expect(finding(steps, good)).toMatchObject({
      cause: "items_unread",
      node: "Write",
      confidence: "likely",
    });
    expect(finding(steps, good).sentence).toContain("3 items, and its code reads only the first");
    // Taking the first result of a search happens every time.
    expect(finding(steps, steps, good)).toMatchObject({ confidence: "observed" });
    expect(finding(steps)).toMatchObject({ confidence: "observed" });
  });

  test.each([
    "return $input.all().map((i) => i)",
    "return [{ json: { first: $input.first().json, count: items.length } }]",
    "const rows = $input.all(); return [{ json: { sum: rows.reduce((a, r) => a, rows[0].json.x) } }]",
    "return [{ json: { done: true } }]",
    "// $input.first() is not enough\nreturn items",
  ])("is not assumed if it reads all items, or none: %s", (text) => {
    const good = [START, people("a"), coded(text), posted(1)];
    expect(finding([START, people("a", "b", "c"), coded(text), posted(1)], good)).toMatchObject(NOTHING);
  });
});

describe("Execute Once", () => {
  const once = (body: string): Step => posted(1, { settings: { executeOnce: true }, body });

  test("is reported for a node that uses an item's values", () => {
    const found = finding(
      [START, people("a", "b"), once("={{ $json.mail }}")],
      [START, people("a"), once("={{ $json.mail }}")],
    );
    expect(found).toMatchObject({ cause: "items_unread", node: "Post", confidence: "likely" });
    expect(found.sentence).toContain("Execute Once");
  });

  test("is not reported for a node that does not depend on the item", () => {
    expect(finding([START, people("a", "b"), once("done")])).toMatchObject(NOTHING);
  });
});

describe("one item's value used for all items", () => {
  const set = (value: string, count: number): Step => ({
    name: "Address",
    type: `${BASE}set`,
    parameters: { value },
    sent: [sent(count, { to: "a@x" })],
  });

  test("is reported with the field", () => {
    const found = finding([START, people("a", "b", "c"), set("={{ $('List').first().json.mail }}", 3)]);
    expect(found).toMatchObject({ cause: "items_unread", field: "mail", confidence: "likely" });
    expect(found.sentence).toContain('only the first item of "List"');
  });

  test.each([
    ["each item's own", [people("a", "b")], "={{ $('List').item.json.mail }}"],
    ["the same in all items", [listed({ mail: "m" }, { mail: "m" })], "={{ $('List').first().json.mail }}"],
    [
      "the only item of its node",
      [people("a"), listed({ x: 1 }, { x: 2 })],
      "={{ $('Start').first().json.body.a }}",
    ],
  ])("is not reported if it is %s", (_why, before, value) => {
    expect(finding([START, ...before, set(value, 2)])).toMatchObject(NOTHING);
  });
});

describe("a reference to an item linked by position", () => {
  const ranked = (jsCode: string, ...names: readonly string[]): Step => ({
    name: "Rank",
    parameters: { jsCode },
    sent: [names.map((name) => ({ name }))],
  });
  const address: Step = {
    name: "Address",
    type: `${BASE}set`,
    parameters: { value: "={{ $('List').item.json.mail }}" },
    sent: [sent(2)],
  };

  test("is reported after code changed the order", () => {
    const found = finding([
      START,
      people("a", "b"),
      ranked("return items.map(({ json }) => ({ json })).sort()", "b", "a"),
      address,
    ]);
    expect(found).toMatchObject({ cause: "items_mixed", node: "Rank", confidence: "likely" });
    expect(found.sentence).toContain("by position");
  });

  test.each([
    ["the order is the same", ranked("return items.sort()", "a", "b")],
    ["the code says which item each came from", ranked("return { pairedItem: 1 }", "b", "a")],
    ["n8n's own node sorted them", { ...ranked("", "b", "a"), type: `${BASE}sort` }],
  ])("is not reported if %s", (_why, rank) => {
    expect(finding([START, people("a", "b"), rank, address])).toMatchObject(NOTHING);
  });

  test("by Merge is reported if its inputs differ in order", () => {
    const merge = (...names: readonly string[]): Step[] => [
      { name: "Other", sent: [names.map((name) => ({ name }))], after: ["Start"] },
      {
        name: "Join",
        type: `${BASE}merge`,
        parameters: { combineBy: "combineByPosition" },
        after: ["List", "Other"],
        sent: [sent(2)],
      },
    ];
    expect(finding([START, people("a", "b"), ...merge("b", "a")])).toMatchObject({
      cause: "items_mixed",
      node: "Join",
    });
    expect(finding([START, people("a", "b"), ...merge("a", "b")])).toMatchObject(NOTHING);
  });
});

describe("a node that ran for each item", () => {
  test("is reported if nothing in it depends on the item", () => {
    const found = finding([
      START,
      people("a", "b", "c"),
      posted(3, { body: "={{ $('Start').first().json.body.a }}" }),
    ]);
    expect(found).toMatchObject({ cause: "repeated", node: "Post", confidence: "likely" });
    expect(found.sentence).toContain("did the same 3 times");
  });

  test("is only observed if it sends the item's data", () => {
    const good = [START, people("a"), posted(1)];
    expect(finding([START, people("a", "b", "c"), posted(3)], good)).toMatchObject({
      cause: "repeated",
      confidence: "observed",
    });
    expect(finding([START, people("a", "b", "c"), posted(3)])).toMatchObject(NOTHING);
  });
});

test("an item that a Switch sent to two outputs is reported, unless it always did", () => {
  const by = (outputs: readonly (readonly unknown[])[]): Step[] => [
    {
      name: "By kind",
      type: `${BASE}switch`,
      parameters: { options: { allMatchingOutputs: true } },
      sent: outputs,
    },
    { ...posted(1), name: "Charge", after: [["By kind", 0]] },
    { ...posted(1), name: "Refund", after: [["By kind", 1]] },
  ];
  const good = [START, ...by([[{ a: 1 }], []])];
  const found = finding([START, ...by([[{ a: 1 }], [{ a: 1 }]])], good);
  expect(found).toMatchObject({ cause: "repeated", node: "By kind", confidence: "likely" });
  expect(finding(good, good)).toMatchObject(NOTHING);
});

describe("Remove Duplicates", () => {
  const dedupe = (dedupeValue: string): Step => ({
    name: "New only",
    type: `${BASE}removeDuplicates`,
    parameters: { operation: "removeItemsSeenInPreviousExecutions", dedupeValue },
    sent: [[], people("a", "b").sent?.[0] ?? []],
  });

  test.each(["name", "={{ $('Start').first().json.body.a }}"])(
    "is reported if it compares a value that is the same for all items: %s",
    (value) => {
      expect(finding([START, people("a", "b"), dedupe(value)])).toMatchObject({
        cause: "dropped",
        node: "New only",
        confidence: "likely",
      });
    },
  );

  test("is only observed if it compares the item's own field, which is named", () => {
    const found = finding([START, people("a", "b"), dedupe("={{ $json.name }}")]);
    expect(found).toMatchObject({ cause: "dropped", node: "New only", confidence: "observed" });
    expect(found.sentence).toContain(
      '(2 items) as seen before, here or in an earlier execution: it tells items apart by "name"',
    );
  });
});

describe("a page of a longer list", () => {
  const fetched = (json: object): Step => ({ name: "Fetch", type: `${BASE}httpRequest`, sent: [[json]] });

  test.each([
    { has_more: true },
    { data: { users: { pageInfo: { hasNextPage: true } } } },
    { next: "https://x.example?page=2" },
    { items: [1, 2, 3, 4, 5], total: 40 },
    { data: [1, 2, 3, 4, 5], meta: { total: 13 } },
    { data: [1], meta: { page: 1, pages: 2 } },
    { content: [1], number: 0, last: false },
    { page: 1, total_pages: 4 },
  ])("is recognized by what says so: %j", (json) => {
    const found = finding([START, fetched(json)], [START, fetched({ has_more: false })]);
    expect(found).toMatchObject({ cause: "dropped", node: "Fetch", confidence: "likely" });
    expect(finding([START, fetched(json)])).toMatchObject({ confidence: "observed" });
  });

  test.each([
    { has_more: false },
    { next: null },
    { items: [1, 2], total: 2 },
    { order: { total: 40 } },
    { lines: [1, 2, 3, 4, 5], total: 99.5 },
    { list: [1, 2, 3, 4, 5], owner: { count: 9 } },
  ])("is not assumed for %j", (json) => {
    expect(finding([START, fetched(json)])).toMatchObject(NOTHING);
  });

  test("is not reported if the workflow checks for more", () => {
    const asks: Step = {
      name: "More?",
      type: `${BASE}set`,
      parameters: { a: "={{ $json.has_more }}" },
      sent: [[{}]],
    };
    expect(finding([START, fetched({ has_more: true }), asks])).toMatchObject(NOTHING);
  });

  test("is assumed if it is full and Return All is off", () => {
    const rows = (count: number): Step => ({
      name: "Rows",
      type: `${BASE}airtable`,
      parameters: { operation: "search", returnAll: false, limit: 50 },
      sent: [sent(count)],
    });
    expect(finding([START, rows(50)], [START, rows(49)])).toMatchObject({
      cause: "dropped",
      confidence: "likely",
    });
    expect(finding([START, rows(49)])).toMatchObject(NOTHING);
  });
});

describe("a decision", () => {
  const decided = (value: unknown, options: object = {}, leftValue = "={{ $json.state }}"): Step[] => [
    listed({ state: value }, { state: value }),
    {
      name: "Paid?",
      type: `${BASE}if`,
      parameters: {
        conditions: {
          options: { caseSensitive: true, ...options },
          conditions: [{ leftValue, rightValue: "PAID", operator: { type: "string", operation: "equals" } }],
        },
      },
      sent: [[], sent(2)],
    },
    { name: "Remind", after: [["Paid?", 1]], sent: [sent(2)] },
  ];

  test.each([
    ["paid", "only in upper and lower case"],
    ["PAID ", "only by blanks"],
  ])("that nearly matched says what differed: %s", (value, why) => {
    const found = finding([START, ...decided(value)]);
    expect(found).toMatchObject({ cause: "decided", field: "state", value, confidence: "likely" });
    expect(found.sentence).toContain(`"state" equals "PAID" (case-sensitive), and in 2 of 2 items`);
    expect(found.sentence).toContain(why);
  });

  test("about a fixed text instead of an expression is reported", () => {
    expect(finding([START, ...decided("PAID", {}, "state")])).toMatchObject({
      cause: "decided",
      confidence: "likely",
    });
  });

  test.each([
    ["open", {}],
    ["paid", { caseSensitive: false }],
  ])("about a different value is not reported: %s %j", (value, options) => {
    const [list = START, paid = START, ...after] = decided(value, options);
    expect(finding([START, list, paid, ...after])).toMatchObject(NOTHING);
  });

  test("that differs from the last success has both values", () => {
    const [, , remind = START] = decided("open");
    const [list = START, paid = START] = decided("PAID");
    const good = [
      START,
      list,
      { ...paid, sent: [sent(2), []] },
      { ...remind, after: [["Paid?", 0] as const] },
    ];
    const found = finding([START, ...decided("open")], good);
    expect(found).toMatchObject({ cause: "decided", value: "open", was: "PAID", confidence: "observed" });
    expect(found.sentence).not.toMatch(/open/);
  });
});

test.each<[unknown, string, string]>([
  [200, "number", '"statusCode" equals 200'],
  [true, "boolean", '"statusCode" equals true'],
  ["", "string", '"statusCode" equals an empty text'],
  ["={{ $json.other }}", "string", '"statusCode" equals another value'],
  ["s3cret/9", "string", '"statusCode" equals a fixed text (case-sensitive)'],
])("a comparison with %j is put into words", (rightValue, type, words) => {
  const conditions = [
    { leftValue: "={{ $json.statusCode }}", rightValue, operator: { type, operation: "equals" } },
  ];
  const decided = (...sent: (readonly unknown[])[]): Step[] => [
    { ...START, sent: [[{ statusCode: 304 }]] },
    { name: "Changed?", type: `${BASE}if`, parameters: { conditions: { conditions } }, sent },
  ];
  const found = finding(decided([], [{}]), decided([{}], []));
  expect(found.sentence).toContain(`tests whether ${words}, sent 1 item by output 2`);
});

describe("in a loop", () => {
  type Row = readonly [
    node: string,
    source: readonly [string, number, number] | null,
    ...outputs: (readonly object[])[],
  ];

  /** @param rows in the order of execution */
  function looped(rows: readonly Row[], nodes: Flow["nodes"]): Finding {
    const runs = rows.map(
      ([node, source, ...outputs]): Run => ({ node, from: source === null ? [] : [source], outputs }),
    );
    return toFinding(factsOf(flowView({ nodes }, runs)).root);
  }

  const Load = { type: `${BASE}set`, parameters: { a: "={{ $json.no }}" } };
  const Note = { type: `${BASE}set`, parameters: { a: "={{ $('Load').first().json.name }}" } };
  const NODES = { Each: LOOP, Load, Note };
  const rounds = (second: readonly Row[]): Row[] => [
    ["Start", null, [{}, {}]],
    ["Each", ["Start", 0, 0], [], [{ no: 1 }]],
    ["Load", ["Each", 1, 0], [{ name: "a" }]],
    ["Note", ["Load", 0, 0], [{}]],
    ["Each", ["Note", 0, 0], [], [{ no: 2 }]],
    ...second,
  ];

  test("all() after the loop is reported, as it reads only the last run", () => {
    const All = { type: `${BASE}code`, parameters: { jsCode: "return $('Load').all()" } };
    const twice: Row[] = [
      ...rounds([["Load", ["Each", 1, 1], [{ name: "b" }]]]),
      ["Each", ["Load", 0, 1], [{}, {}], []],
      ["All", ["Each", 0, 2], [{}]],
    ];
    expect(looped(twice, { Each: LOOP, Load, All })).toMatchObject({ cause: "items_unread", node: "All" });
    const once: Row[] = [
      ...rounds([]).slice(0, 4),
      ["Each", ["Note", 0, 0], [{}], []],
      ["All", ["Each", 0, 1], [{}]],
    ];
    expect(looped(once, { Each: LOOP, Load, All })).toMatchObject(NOTHING);
  });

  test("a value of an earlier round is reported", () => {
    const found = looped(rounds([["Note", ["Each", 1, 1], [{}]]]), NODES);
    expect(found).toMatchObject({ cause: "stale_value", node: "Note", confidence: "likely" });
    expect(found.sentence).toContain("from an earlier round");
  });

  test("a value of the current round, or the same in every round, is not reported", () => {
    const fresh: Row[] = [
      ["Load", ["Each", 1, 1], [{ name: "b" }]],
      ["Note", ["Load", 0, 1], [{}]],
    ];
    expect(looped(rounds(fresh), NODES)).toMatchObject(NOTHING);
    expect(
      looped(rounds([["Note", ["Each", 1, 1], [{}]]]), {
        ...NODES,
        Load: { ...Load, parameters: { a: "token" } },
      }),
    ).toMatchObject(NOTHING);
  });

  const inner = (last: readonly (readonly object[])[]): Row[] => [
    ["Start", null, [{}]],
    ["Each", ["Start", 0, 0], [], [{ a: 1 }]],
    ["Pay", ["Each", 1, 0], [{}]],
    ["Each", ["Pay", 0, 0], [{}], []],
    ["Start", null, [{ a: 2 }]],
    ["Each", ["Start", 0, 1], ...last],
  ];

  test("without a reset, skipped new items are reported", () => {
    expect(looped(inner([[{}], []]), { Each: LOOP })).toMatchObject({
      cause: "dropped",
      node: "Each",
      confidence: "likely",
    });
  });

  test("with a reset, no items are skipped", () => {
    const Each = { ...LOOP, parameters: { options: { reset: "={{ true }}" } } };
    expect(looped(inner([[], [{ a: 2 }]]), { Each })).toMatchObject(NOTHING);
  });
});

describe("Merge", () => {
  const merge = (parameters: object, made: readonly unknown[]): Step => ({
    name: "Both",
    type: `${BASE}merge`,
    parameters: { mode: "combine", ...parameters },
    after: [["Left", 0] as const, ["Right", 0] as const],
    sent: [made],
  });
  const side = (name: string, ...items: readonly unknown[]): Step => ({
    name,
    after: ["Start"],
    sent: [items],
  });
  const joined = (right: readonly unknown[], made: number): Step[] => [
    START,
    side("Left", { mail: "a" }, { mail: "b" }),
    side("Right", ...right),
    merge({ combineBy: "combineByFields", fieldsToMatchString: "mail" }, sent(made)),
    posted(made),
  ];
  const contacts = [{ mail: "a" }, { mail: "b" }, { mail: "c" }];

  test("that joins an item with two of the same key is reported if that is new", () => {
    const good = joined(contacts, 2);
    const twice = joined([...contacts, { mail: "a" }], 3);
    expect(finding(twice, good)).toMatchObject({ cause: "repeated", node: "Both", confidence: "likely" });
    expect(finding(twice, twice).confidence).toBe("observed");
    // A customer may have several orders.
    expect(finding(joined([{ mail: "a" }, { mail: "a" }, { mail: "b" }], 3), good).confidence).toBe(
      "observed",
    );
  });

  test("by position is reported if the order differs, even under another field name", () => {
    const merged = (...right: readonly string[]): Step[] => [
      START,
      side("Left", { sku: "A" }, { sku: "B" }),
      side("Right", ...right.map((article) => ({ article }))),
      merge({ combineBy: "combineByPosition" }, sent(2)),
    ];
    expect(finding(merged("B", "A"))).toMatchObject({ cause: "items_mixed", confidence: "likely" });
    expect(finding(merged("A", "B"))).toMatchObject(NOTHING);
  });
});

describe("Aggregate", () => {
  const collected = (discounts: readonly number[], read: string): Step[] => [
    START,
    listed({ sku: "A", discount: 1 }, { sku: "B", discount: null }),
    { name: "Columns", type: `${BASE}aggregate`, parameters: {}, sent: [[{ skus: ["A", "B"], discounts }]] },
    coded(`const { skus, discounts } = $input.first().json; return skus.map((sku, i) => ${read})`),
  ];

  test("that omits missing values is reported if its lists are read by index", () => {
    expect(finding(collected([1], "discounts[i]"))).toMatchObject({ cause: "items_mixed", node: "Columns" });
    expect(finding(collected([1], "discounts.length"))).toMatchObject(NOTHING);
    expect(finding(collected([1, 2], "discounts[i]"))).toMatchObject(NOTHING);
  });
});

test("Summarize by a name is reported if it merges items with different numbers", () => {
  const summed = (...numbers: readonly string[]): Step[] => [
    START,
    listed(...numbers.map((customer_no) => ({ customer_name: "Ann", customer_no })), { customer_name: "Bo" }),
    {
      name: "Sum",
      type: `${BASE}summarize`,
      parameters: { fieldsToSplitBy: "customer_name" },
      sent: [sent(2)],
    },
  ];
  expect(finding(summed("1", "2"))).toMatchObject({
    cause: "items_mixed",
    node: "Sum",
    confidence: "likely",
  });
  expect(finding(summed("1", "1"))).toMatchObject(NOTHING);
});

describe("a write", () => {
  const saved = (...mails: readonly string[]): Step[] => [
    START,
    listed(...mails.map((mail, index) => ({ mail, index }))),
    {
      name: "Save",
      type: `${BASE}mySql`,
      parameters: { operation: "upsert", columnToMatchOn: "mail" },
      sent: [sent(1, { success: true })],
    },
  ];
  const update = (row: object, ...behind: readonly Step[]): Step[] => [
    START,
    {
      name: "Book",
      type: `${BASE}postgres`,
      parameters: { operation: "executeQuery", query: "UPDATE t" },
      sent: [[row]],
    },
    ...behind,
  ];

  test("under the same key is reported as overwriting, unless it always did", () => {
    const found = finding(saved("a", "b", "a"), saved("a", "b"));
    expect(found).toMatchObject({ cause: "overwritten", node: "Save", confidence: "likely" });
    expect(found.sentence).toContain("2 of 3 are left");
    expect(finding(saved("a", "a"), saved("b", "b")).confidence).toBe("observed");
    expect(finding(saved("a", "b"), saved("a", "b"))).toMatchObject(NOTHING);
  });

  test("that returned a row and now returns none is reported, unless a decision checks it", () => {
    const [none, row] = [{ success: true }, { id: 1 }];
    const hit = update(row, posted(1));
    expect(finding(update(none, posted(1)), hit)).toMatchObject({ node: "Book", confidence: "likely" });
    const decided: Step = { name: "Any?", type: `${BASE}if`, sent: [[none]] };
    expect(finding(update(none, decided, posted(1)), hit).confidence).toBe("observed");
    expect(finding(update(none, posted(1)), update(none, posted(1)))).toMatchObject(NOTHING);
  });
});
