/** What code reads of its items where the engine's message names something else, and what it only seems to read. */
import { describe, expect, test } from "vitest";
import { webhook } from "../../support/everyday-steps.ts";
import { findingOn } from "../../support/explain.ts";
import { throwing } from "../../support/failing-steps.ts";
import type { Step } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";

describe("the key of a look-up is not called a missing list", () => {
  test.each([
    [
      "a destructured entry",
      "const PRICES = { 1: ['Mug', 9] };\nconst [name, price] = PRICES[$json.productId];\nreturn { json: { name, price } };",
      "undefined is not iterable (cannot read property Symbol(Symbol.iterator))",
    ],
    [
      "the keys of an entry",
      "const FIELDS = { 1: { sku: 'a' } };\nconst names = Object.keys(FIELDS[$json.productId]);\nreturn { json: { names } };",
      "Cannot convert undefined or null to object",
    ],
    [
      "a loop over an entry",
      "const LINES = { 1: ['a'] };\nfor (const line of LINES[$json.productId]) console.log(line);\nreturn { json: {} };",
      "LINES[$json.productId] is not iterable",
    ],
  ])("%s", (_what, text, message) => {
    const finding = findingOn(
      webhook({ productId: 5 }),
      throwing(text, message, { line: 2 }, { mode: "runOnceForEachItem" }),
    );
    expect(finding.field).not.toBe("productId");
    expect(finding.sentence).not.toContain("needs a list in");
  });
});

test("the variable that is no list is blamed, not another field on its line", () => {
  const text =
    "const rows = $input.first().json.rows;\nreturn [...rows, $input.first().json.extra].map((json) => ({ json }));";
  const finding = findingOn(
    webhook({ rows: { id: 1 } }),
    throwing(text, "rows is not iterable", { line: 2 }),
  );
  expect(finding).toMatchObject({ cause: "wrong_type", field: "rows" });
});

test("a name declared in another block is not said to be defined nowhere", () => {
  const text = "if ($input.first().json.a) { const total = 2; }\nreturn [{ json: { total } }];";
  const { sentence } = findingOn(
    webhook({ a: 1 }),
    throwing(text, "total is not defined", { name: "ReferenceError", line: 2 }),
  );
  expect(sentence).not.toContain("defined nowhere");
});

describe("a name is said to be defined nowhere if it only occurs in", () => {
  test.each([
    ["the list of a loop", "for (const row of rows) out.push(row);"],
    ["a comment", "// let us copy the rows\nreturn rows;"],
    ["the value of another variable", "const one = 1, count = rows.length;"],
  ])("%s", (_what, text) => {
    const use = throwing(`const out = [];\n${text}`, "rows is not defined", {
      name: "ReferenceError",
      line: 2,
    });
    expect(findingOn(webhook({ a: 1 }), use).sentence).toContain("defined nowhere");
  });
});

describe("a path that is not read from an item is not called missing", () => {
  test.each([
    [
      "in a parameter with the name of another variable",
      "const user = $input.first().json.user;\nconst people = [{ boss: { name: 'Ann' } }, {}];\nreturn people.map((user) => ({ json: { name: user.boss.name } }));",
      3,
    ],
    [
      "in a comment",
      "const table = {};\nreturn $input.all().map((item) => ({ json: { name: table[item.json.key].name } })); // was item.json.boss.name",
      2,
    ],
    [
      "in a text",
      "const labels = {};\nreturn [{ json: { text: 'see $json.boss.name', name: labels.first.name } }];",
      2,
    ],
  ])("%s", (_what, text, line) => {
    const use = throwing(text, "Cannot read properties of undefined (reading 'name')", { line });
    expect(findingOn(webhook({ key: "a", user: { id: 1 } }), use).cause).not.toBe("field_missing");
  });
});

describe("a path that is read from an item is called missing", () => {
  test.each([
    ["after a URL in a template", "`https://shop.example/PUT`", "name"],
    ["between apostrophes in a template", "`it's PUT's`", "name"],
    ["by a quoted name", "'by ' + $('Webhook').first().json['boss'].name", "name"],
    ["by a name like a file name", "$('Webhook').first().json.boss['a.json']", "a.json"],
    ["after a text", "'see // ' + $json.boss.name", "name"],
    [
      "after a regular expression with quotation marks",
      `$json.key.replace(/["']/g, '') + $json.boss.name.split('@')`,
      "name",
    ],
    ["after two slashes in a template", "`$\u007b$json.key}//PUT`", "name"],
  ])("%s", (_what, value, member) => {
    const text = `return [{ json: { text: ${value.replace("PUT", "$\u007b$json.boss.name}")} } }];`;
    const use = throwing(text, `Cannot read properties of undefined (reading '${member}')`);
    expect(findingOn(webhook({ key: "a" }), use)).toMatchObject({ cause: "field_missing", field: "boss" });
  });
});

test("a variable is recognized although a function elsewhere has a parameter of that name", () => {
  const text =
    "const boss = $input.first().json.boss;\nconst name = boss.name.first;\nconst wordsOf = (boss) => boss.name + boss.id;\nreturn [{ json: { name, words: wordsOf(boss) } }];";
  const use = throwing(text, "Cannot read properties of undefined (reading 'first')", { line: 2 });
  expect(findingOn(webhook({ boss: { id: 1 } }), use)).toMatchObject({
    cause: "field_missing",
    field: "boss.name",
  });
});

describe("a date that code or an expression cannot read", () => {
  const invoices: Step = {
    ...{ name: "Invoices", type: `${BASE}httpRequest` },
    sent: [[{ due: "2026-12-01" }, { due: "31/12/2026" }, { due: 1_796_000_000_000 }]],
  };
  test.each([
    "return $input.all().map(({ json }) => new Date(json.due).toISOString());",
    "return $input.all().map(({ json: invoice, pairedItem }) => new Date(invoice.due).toISOString());",
    "for (const { json } of $input.all()) { new Date(json.due).toISOString(); }",
    "for (const one of $input.all()) { new Date(one.json.due).toISOString(); }",
  ])("is told with its field and its item: %s", (jsCode) => {
    expect(findingOn(invoices, throwing(jsCode, "Invalid time value", { name: "RangeError" })).sentence).toBe(
      '"Use" failed because a date is not one: it is made from "due", a text in item 2 of 3 that "Invoices" sent.',
    );
  });

  test("is not another field of its expression, and none if all of them are dates", () => {
    const set = (value: string): Step => ({
      name: "Use",
      type: `${BASE}set`,
      parameters: { a: "={{ $json.title.trim() }}", value },
      error: { name: "NodeOperationError", message: "cannot convert to Luxon DateTime" },
    });
    const use = set("={{ $json.when.toDateTime() }}");
    expect(findingOn(webhook({ title: "Call", when: "soon" }), use).field).toBe("when");
    expect(findingOn(webhook({ title: "Call", when: "2026-12-01" }), use).field).toBeUndefined();
  });
});

test("a key that is called json, and an item passed on whole, are no reads of a field", () => {
  const jsCode =
    "return $input.all().map(({ json }) => ({ json: { ...json, due: new Date(0).toISOString() } }));";
  const { sentence } = findingOn(
    webhook({ due: "x" }),
    throwing(jsCode, "Invalid time value", { name: "RangeError" }),
  );
  expect(sentence).toBe('"Use" failed because a date is not one.');
});

test("a date that is made of its only field is told with it, even if it is converted first", () => {
  const use: Step = {
    name: "Use",
    type: `${BASE}set`,
    parameters: { value: "={{ new Date(Number($json.when)).toISOString() }}" },
    error: { name: "ExpressionError", message: "Invalid time value" },
  };
  expect(findingOn(webhook({ when: "soon" }), use).field).toBe("when");
});

test.each([
  "const ids = $input.all().map(({ json }) => json.id); const json = parse(ids);\nreturn json.lines[0];",
  "const ids = $input.all().map(({ json: all }) => all.id); const all = load(ids);\nreturn all.lines[0];",
  "for (const { json } of $input.all()) { ids.push(json.id); } const json = load(ids);\nreturn json.lines[0];",
])("the name of an item's json is another variable outside of its function: %s", (jsCode) => {
  const { field } = findingOn(
    webhook({ id: 1 }),
    throwing(jsCode, "Cannot read properties of undefined (reading '0') [line 2]", { name: "TypeError" }),
  );
  expect(field).toBeUndefined();
});
