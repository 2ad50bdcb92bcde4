/** Values that everyday workflows handle as intended are not called wrong; beside them, some that are wrong. */
import { describe, expect, test } from "vitest";
import { code, deciding, HTTP, listing, made, setting, webhook } from "../../support/everyday-steps.ts";
import { ACCUSES, findings } from "../../support/explain.ts";
import type { Step } from "../../support/stepped-execution.ts";

describe("a comparison with both types of a value", () => {
  test.each<[string, unknown, string]>([
    ["a flag or its text", true, "$json.a === 'true' || $json.a === true"],
    ["a code or its text", 200, "$json.a === '200' || $json.a === 200"],
    ["one of several forms", 1, "['1', 1].includes($json.a) || $json.a === '1' ? 'yes' : 'no'"],
  ])("is not blamed: %s", (_name, a, expression) => {
    expect(findings(made({ a }, `={{ ${expression} }}`, true, "boolean"))).not.toMatch(ACCUSES);
  });

  test.each<[unknown, string, unknown]>([
    [1, "$json.a === '1' ? 1 : 0", 0],
    [true, "$json.a === 'true' ? true : false", false],
  ])("is blamed if the other type (%s) occurs only in the result", (a, expression, now) => {
    expect(findings(made({ a }, `={{ ${expression} }}`, now))).toMatch(ACCUSES);
  });

  test("is blamed if it compares with only one type", () => {
    expect(findings(made({ a: 200 }, "={{ $json.a === '200' }}", false, "boolean"))).toMatch(ACCUSES);
  });
});

describe("a test whether a text is present is not blamed", () => {
  test.each<[string, string, string, unknown]>([
    ["a present text is converted to a number", "0", "$json.qty ? Number($json.qty) : 0", 0],
    ["it also excludes the text false", "false", "$json.qty && $json.qty !== 'false' ? 'yes' : 'no'", "no"],
    ["a present text is passed on", "0", "$json.qty ? $json.qty : ''", "0"],
  ])("if %s", (_name, qty, expression, now) => {
    expect(findings(made({ qty }, `={{ ${expression} }}`, now))).not.toMatch(ACCUSES);
  });

  test("if code throws for a missing text", () => {
    const jsCode =
      "for (const item of $input.all()) {\n  if (!item.json.qty) throw new Error('qty is missing');\n  item.json.qty = Number(item.json.qty);\n}\nreturn $input.all();";
    expect(findings([webhook({ qty: "0" }), code(jsCode, [{ qty: 0 }])])).not.toMatch(ACCUSES);
  });
});

test("a text 0 that selects another field, whose name begins alike, is reported as counting as true", () => {
  const expression = "$json.opt ? $json.opt_in : 'none'";
  expect(findings(made({ opt: "0", opt_in: "x" }, `={{ ${expression} }}`, "x"))).toMatch(ACCUSES);
});

test("a guard against division by zero is not reported as a default", () => {
  const json = { total: 0, count: 0 };
  expect(findings(made(json, "={{ $json.total / ($json.count || 1) }}", 0, "number"))).not.toMatch(ACCUSES);
});

describe("a broken-looking text is not blamed if somebody wrote it", () => {
  const page = "After login the page shows: Welcome undefined. Please help!";
  const message = "Cannot read properties of undefined (reading 'id') [line 3]";
  const execution = { id: "5", url: "https://n8n/5", error: { message, stack: "" }, mode: "webhook" };

  test.each<[string, string, object, string, string]>([
    ["a customer", "webhook", { body: { message: page } }, "body.message", page],
    ["an error message", "errorTrigger", { execution }, "execution.error.message", `Failed: ${message}`],
  ])("such as the text of %s, passed on from an earlier node", (_name, type, json, path, text) => {
    const trigger: Step = { name: "First", type: `n8n-nodes-base.${type}`, parameters: {}, sent: [[json]] };
    const row = { id: 4, mail: "a@b.c" };
    const value = `=${text === page ? "" : "Failed: "}{{ $('First').item.json.${path} }}`;
    expect(
      findings([trigger, listing("Find", [row], "First"), setting("text", value, [{ ...row, text }])]),
    ).not.toMatch(ACCUSES);
  });

  test.each<[string, string, string]>([
    ["a prompt", "If the price is undefined, leave it out.", "If the price is undefined, leave it out."],
    ["an expression", "={{ $json.middleName || 'null' }}", "null"],
  ])("in the parameter itself, such as %s", (_name, value, now) => {
    expect(findings(made({ name: "Ada" }, value, now))).not.toMatch(ACCUSES);
  });

  test("in the code itself, as a validation message", () => {
    const errors = ["Invalid Date: use YYYY-MM-DD"];
    const jsCode = `const errors = [];\nif (!isDay($json.date)) errors.push('${errors[0]}');\nreturn { errors };`;
    const steps = [webhook({ date: "tomorrow" }), code(jsCode, [{ errors }], { mode: "runOnceForEachItem" })];
    expect(findings(steps)).not.toMatch(ACCUSES);
  });

  test("but is blamed if the code only compares with that word", () => {
    const jsCode =
      "if (typeof $json.name === 'undefined') return [];\nreturn { text: 'Hello ' + $json.nam };";
    const text = "Hello undefined";
    expect(
      findings([webhook({ name: "Ada" }), code(jsCode, [{ text }], { mode: "runOnceForEachItem" })]),
    ).toContain("undefined");
  });

  test.each<[string, object]>([
    ["a cell NaN, as pandas writes a missing one", { sku: "A1", discount: "NaN" }],
    ["a note with the word undefined", { sku: "A1", note: "colour: undefined" }],
  ])("in a file, such as %s", (_name, row) => {
    const extract = { name: "Extract", type: "n8n-nodes-base.extractFromFile", parameters: {} };
    const steps: Step[] = [
      webhook({ file: "prices.csv" }),
      listing("Get file", [{}], "Webhook"),
      { ...extract, sent: [[{ sku: "A0", price: "3" }, row]] },
    ];
    expect(findings(steps)).not.toMatch(ACCUSES);
  });
});

describe("an intended conversion", () => {
  test.each<[string, object, string, unknown, string]>([
    [
      "$if chose the empty text",
      { t: "80" },
      '={{ $if($json.t.toNumber() > 100, "10%", "") }}',
      "",
      "string",
    ],
    [
      "the part after a dash is taken, and there is none",
      { t: "Invoice" },
      "={{ $json.t.split(' - ')[1] }}",
      null,
      "string",
    ],
    ["the field is a number", { quantity: "0012" }, "={{ $json.quantity }}", 12, "number"],
    [
      "the international prefix is removed",
      { phone: "00491511234567" },
      "={{ $json.phone.replace(/^00/, '') }}",
      "491511234567",
      "string",
    ],
    [
      "the padding is removed",
      { no: "000000000012345678" },
      "={{ $json.no.replace(/^0+/, '') }}",
      "12345678",
      "string",
    ],
    [
      "its comma was replaced by a dot",
      { price: "12,5" },
      "={{ Math.floor($json.price.replace(',', '.')) }}",
      12,
      "number",
    ],
    [
      "the format says month first",
      { d: "3.4.2026" },
      "={{ DateTime.fromFormat($json.d, 'M.d.yyyy').toISODate() }}",
      "2026-03-04",
      "string",
    ],
    [
      "nanoseconds are only divided",
      { ts: 1_790_000_000_000_000_000 },
      "={{ new Date($json.ts / 1e6).toISOString() }}",
      "2026-09-21T14:13:20.000Z",
      "string",
    ],
  ])("is not reported as a loss: %s", (_name, json, value, now, type) => {
    const [start, set] = made(json, value, now, type);
    const steps = [start, listing("Ask", [json], "Webhook"), set].filter((step) => step !== undefined);
    expect(findings(steps)).not.toMatch(ACCUSES);
  });

  test("is not reported as a loss if code converts a padded quantity to a number", () => {
    const jsCode =
      "return $input.all().map((i) => ({ json: { ...i.json, quantity: Number(i.json.quantity) } }));";
    expect(findings([webhook({ quantity: "0012" }), code(jsCode, [{ quantity: 12 }])])).not.toMatch(ACCUSES);
  });

  test("is reported as a loss for a postal code, whatever the field's type", () => {
    expect(findings(made({ zip: "02139" }, "={{ $json.zip }}", 2139, "number"))).toMatch(ACCUSES);
  });
});

describe("texts that were concatenated instead of added", () => {
  test.each<[string, object, string, number]>([
    ["two fields", { net: "50", tax: "8" }, "={{ $json.net + $json.tax }}", 508],
    ["a field and a number", { count: "5" }, "={{ $json.count + 1 }}", 51],
  ])("are reported if the result is a number: %s", (_name, json, value, sum) => {
    expect(findings(made(json, value, sum, "number"))).toMatch(/^likely: .*"50" \+ "8" is "508"/m);
    expect(findings(made(json, value, String(sum)))).not.toMatch(ACCUSES);
  });

  test("are not reported if they form a year and month", () => {
    const json = { year: "2026", month: "12" };
    expect(findings(made(json, "={{ $json.year + $json.month }}", 202_612, "number"))).not.toMatch(ACCUSES);
  });
});

describe("a condition on a part of a text", () => {
  const tested = (country: string): Step[] => [
    webhook({ country }),
    deciding("={{ $json.country }}", "contains", "US", [[], [{ country }]]),
  ];

  test("does not nearly match an abbreviation inside another word", () => {
    expect(findings(tested("Australia"))).not.toMatch(ACCUSES);
  });

  test("nearly matches it as a word of its own", () => {
    expect(findings(tested("New York, us"))).toContain("upper and lower case");
  });

  test.each([
    ["endsWith", ".pdf", "Invoice.PDF"],
    ["contains", "@gmail.com", "Ada@Gmail.com"],
    ["endsWith", ".csv", "prices.csv "],
  ])("that begins with a punctuation mark nearly matches inside a word: %s %s", (operation, text, file) => {
    const condition = deciding("={{ $json.file }}", operation, text, [[], [{ file }]]);
    expect(findings([webhook({ file }), condition])).toContain("differs from that");
  });
});

test("two tests joined by OR are not called always true if a third belongs to them", () => {
  const expression = "$json.state !== 'new' || $json.state !== 'open' && $json.isPaid";
  expect(
    findings(made({ state: "new", isPaid: false }, `={{ ${expression} }}`, false, "boolean")),
  ).not.toMatch(ACCUSES);
});

test("sorting postal codes as texts is not blamed", () => {
  const rows = [{ zip: "80331" }, { zip: "9010" }];
  const sort = { sortFieldsUi: { sortField: [{ fieldName: "zip" }] }, options: {} };
  const sorted: Step = { name: "Sort", type: "n8n-nodes-base.sort", parameters: sort, sent: [rows] };
  expect(findings([webhook(...rows.toReversed()), sorted])).not.toMatch(ACCUSES);
});

test("a broken word in a service's own response is only observed", () => {
  const steps: Step[] = [
    webhook({ id: 1 }),
    { name: "Ask", type: HTTP, parameters: { url: "https://a" }, sent: [[{ day: "Invalid Date" }]] },
  ];
  expect(findings(steps)).not.toMatch(ACCUSES);
});

describe("a misread number", () => {
  test.each<[string, string, number]>([
    ["1.234,56", "parseFloat($json.price.replace(',', '.'))", 1.234],
    ["$1,234.50", "parseFloat($json.price.replace('$', ''))", 1],
    ["1.234,56 €", "parseFloat($json.price.replace('€', ''))", 1.234],
  ])("is reported although something in it was replaced: %s by %s", (price, expression, now) => {
    expect(findings(made({ price }, `={{ ${expression} }}`, now, "number"))).toContain("separator");
  });

  test("is reported for an order number, which is no quantity", () => {
    const steps = made({ orderNumber: "000123" }, "={{ $json.orderNumber }}", 123, "number");
    expect(findings(steps)).toMatch(ACCUSES);
  });
});

test("numbers compared as texts are reported if one of them comes from another node", () => {
  const items = [{ amount: "5" }, { amount: "12" }];
  const sent = items.map((one) => ({ ...one, big: false }));
  const expression = "={{ $('Webhook').item.json.limit < $json.amount }}";
  const steps = [
    webhook({ limit: "6" }),
    listing("List", items, "Webhook"),
    setting("big", expression, sent, "boolean"),
  ];
  expect(findings(steps)).toMatch(ACCUSES);
});

test("a rounded timesheet_id is reported, as it is an id", () => {
  const sheet = webhook({ timesheet_id: 12_345_678_901_234_567_000 });
  const read = { name: "Get", type: HTTP, parameters: { url: "=https://a/{{ $json.timesheet_id }}" } };
  expect(findings([sheet, { ...read, sent: [[{ a: 1 }]] }])).toMatch(ACCUSES);
});

test("a broken value in XML made from an item is reported", () => {
  const xml = { name: "XML", type: "n8n-nodes-base.xml", parameters: { mode: "jsonToxml" } };
  const sent = [[{ data: "<to>[object Object]</to>" }]];
  expect(findings([webhook({ to: { a: 1 } }), { ...xml, sent }])).toMatch(ACCUSES);
});
