/** Successes whose outputs report a failure, values that broke, and values of a mistaken type; beside each, look-alikes. */
import { describe, expect, test } from "vitest";
import { viewOf } from "../../../src/executions/causes/execution-view.ts";
import type { Finding } from "../../../src/executions/causes/wording/finding.ts";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const HTTP = "n8n-nodes-base.httpRequest";
const POST = { method: "POST" };
const start = (body: unknown = { id: 1 }): Step => ({
  name: "Start",
  type: "n8n-nodes-base.webhook",
  sent: [[{ body }]],
});
const ask = (sent: unknown, step: Partial<Step> = {}): Step => ({
  ...{ name: "Ask", type: HTTP, parameters: POST, sent: [[sent]] },
  ...step,
});
const noted = (parameters: unknown = {}): Step => ({
  name: "Note",
  type: "n8n-nodes-base.set",
  parameters,
  sent: [[{ note: "kept" }]],
});

function found(steps: readonly Step[], before: readonly Step[] | null = null, facts = {}): Finding {
  const successes = before === null ? [] : [viewOf(steppedExecution(before))];
  return explain(steppedExecution(steps, facts), { successes }).finding;
}

describe("a response that reports a failure", () => {
  test("shows only the fixed part of a fault's name, and its whole text", () => {
    const said = `${"x".repeat(295)} a-key-at-the-border`;
    expect(found([start(), ask({ "Jane Doe:Fault": { faultstring: said } }), noted()])).toMatchObject({
      cause: "reported_failure",
      field: "Fault",
      said,
    });
  });

  test.each<[string, Step, string, string | undefined]>([
    [
      "GraphQL's errors",
      ask({ data: null, errors: [{ message: "no field" }] }),
      '"errors" holds 1 entry',
      "no field",
    ],
    [
      "user errors below data",
      ask({ data: { create: { userErrors: [{ message: "taken" }] } } }),
      "userErrors",
      "taken",
    ],
    [
      "a fault in XML",
      ask({ data: "<s:Body><s:Fault><faultstring>blocked</faultstring>" }),
      "holds a fault",
      "blocked",
    ],
    [
      "a fault that was parsed",
      ask({ "s:Body": { "s:Fault": { faultstring: "blocked" } } }),
      "a fault",
      "blocked",
    ],
    ["ok is false", ask({ ok: false, error: "channel_not_found" }), '"ok" is false', "channel_not_found"],
    ["a state", ask({ status: "failed", reason: "no money" }), '"status" says so', "no money"],
    ["a text of JSON", ask({ data: '{"success":false,"message":"closed"}' }), '"success" is false', "closed"],
    [
      "an exit code",
      ask({ code: 2, stdout: "", stderr: "denied" }, { type: "n8n-nodes-base.ssh" }),
      '"code" is 2',
      "denied",
    ],
    [
      "recipients",
      ask({ rejected: ["a@b.c"] }, { type: "n8n-nodes-base.emailSend" }),
      '"rejected" holds 1',
      "a@b.c",
    ],
    [
      "a status in a full response",
      ask({ statusCode: 422, headers: {}, body: {} }),
      '"statusCode" is 422',
      undefined,
    ],
    [
      "one result of several",
      ask({ results: [{ status: "ok" }, { status: "error" }] }),
      '"status" says so',
      undefined,
    ],
  ])("is recognized by %s", (_name, step, sentence, said) => {
    const finding = found([start(), step, noted()]);
    expect(finding).toMatchObject({ cause: "reported_failure", node: "Ask", confidence: "likely" });
    expect(finding.sentence).toContain(sentence);
    if (said !== undefined) expect(finding.said).toBe(said);
    expect(finding.sentence).not.toContain(said ?? "\0");
  });

  test("is only observed if the next node is sent the whole response, and nothing else follows", () => {
    const post = { method: "POST", jsonBody: "={{ JSON.stringify($json) }}" };
    const tell: Step = { ...noted(post), name: "Tell", type: HTTP };
    const refused = ask({ ok: false, reason: "closed" });
    expect(found([start(), refused, tell])).toMatchObject({
      cause: "reported_failure",
      confidence: "observed",
    });
    expect(found([start(), refused, noted(), tell]).confidence).toBe("likely");
    const member = { ...tell, parameters: { jsonBody: "={{ JSON.stringify($json.order) }}" } };
    expect(found([start(), refused, member]).confidence).toBe("likely");
  });

  test.each<[string, Step]>([
    [
      "members without an error",
      ask({ errors: [], error: null, success: true, status: "ok", failed: 0, exitCode: 0 }),
    ],
    ["an error that says there is none", ask({ id: 1, error: "No error" })],
    ["rows of a table", ask({ status: "failed", error: "x" }, { type: "n8n-nodes-base.postgres" })],
    ["a rate of errors", ask({ error_rate: 0.5, errors_url: "x", statusText: "failed" })],
    ["a state deep in what was asked for", ask({ order: { payment: { status: "failed" } } })],
  ])("is not assumed for %s", (_name, step) => {
    expect(found([start(), step, noted()]).cause).toBe("nothing_found");
  });

  const refused = ask({ success: false, message: "planted" });
  test.each<[string, readonly Step[], readonly Step[] | null]>([
    ["a later node looks at it", [start(), refused, noted({ value: "={{ $json.success }}" })], null],
    [
      "an IF decides at once",
      [start(), refused, { ...noted({ left: "={{ $json.id }}" }), type: "n8n-nodes-base.if" }],
      null,
    ],
    ["the caller gets it", [start(), refused, { ...noted(), type: "n8n-nodes-base.respondToWebhook" }], null],
    [
      "one of the rows it was asked for says so",
      [start(), ask({ data: [{ state: "ok" }, { state: "failed" }] }, { parameters: {} }), noted()],
      [start(), ask({ data: [] }), noted()],
    ],
    [
      "one of the rows that became items says so",
      [start(), ask({}, { parameters: {}, sent: [[{ state: "ok" }, { state: "failed" }]] }), noted()],
      [start(), ask({ state: "ok" }), noted()],
    ],
    [
      "it was asked for a job's state",
      [start(), ask({ state: "failed" }, { parameters: {} }), noted()],
      null,
    ],
    [
      "the node told the service so",
      [start(), ask({ status: "failed" }, { parameters: { ...POST, body: "status failed" } }), noted()],
      null,
    ],
  ])("is only observed if %s", (_name, steps, before) => {
    const finding = found(steps, before);
    expect(finding).toMatchObject({ cause: "reported_failure", confidence: "observed" });
    expect(finding.sentence).not.toMatch(/fail|error|planted/);
  });

  test("is not reported if the last success had it too", () => {
    const steps = [start(), refused, noted()];
    expect(found(steps, steps).cause).toBe("nothing_found");
  });

  test("is evidence for a failure that it caused", () => {
    const error = { name: "NodeOperationError", message: "x" };
    const { finding, evidence } = explain(steppedExecution([start(), refused, { name: "Label", error }]));
    expect(finding.node).toBe("Label");
    expect(evidence).toContainEqual(expect.objectContaining({ cause: "reported_failure", node: "Ask" }));
  });

  test("is assumed for an HTML page if the last success got data", () => {
    const steps = [start(), ask({ data: "<!DOCTYPE html><html><title>Log in</title>" }), noted()];
    expect(found(steps, [start(), ask({ id: 1 }), noted()])).toMatchObject({
      confidence: "likely",
      said: "Log in",
    });
    expect(found(steps).confidence).toBe("observed");
  });
});

describe("a value that broke", () => {
  const set = (value: string, now: unknown, name = "zip"): Step => ({
    name: "Edit",
    type: "n8n-nodes-base.set",
    parameters: { assignments: { assignments: [{ name, value, type: "string" }] } },
    sent: [[{ [name]: now }]],
  });
  const zip = "={{ $json.body.zip }}";

  test.each<[string, unknown, Step, string]>([
    ["leading zeros", { zip: "02139" }, set(zip, 2139), "leading zeros"],
    ["a plus sign", { zip: "+491701234567" }, set(zip, 491_701_234_567), "plus sign"],
    ["a comma", { zip: "12,50" }, set(zip, 12), "cut off at a separator"],
    ["thousands", { zip: "1.234,56" }, set(zip, 1.234), "cut off at a separator"],
    ["day and month", { zip: "03.04.2026" }, set(zip, "2026-03-04"), "day and month"],
    [
      "a calculation of nothing",
      { zip: "abc" },
      set("={{ Number($json.body.zip) }}", null),
      "came out empty",
    ],
    ["no date", { zip: "x" }, set("={{ x }}", "Invalid DateTime"), "Invalid Date"],
    ["an object in a text", { zip: {} }, set("={{ x }}", "to [object Object]"), "[object Object]"],
    ["undefined in a text", {}, set("={{ x }}", "https://x.example/undefined/a"), '"undefined"'],
    ["NaN", {}, set("={{ x }}", "Total: NaN €"), "NaN"],
    ["a placeholder", {}, set("Dear {{ $json.name }}", "Dear {{ $json.name }}"), "placeholder"],
    ["another encoding", {}, set("={{ x }}", "MÃ¼ller"), "encoding"],
  ])("is reported: %s", (_name, body, step, sentence) => {
    const finding = found([start(body), step]);
    expect(finding).toMatchObject({
      cause: "broken_value",
      node: "Edit",
      field: "zip",
      confidence: "likely",
    });
    expect(finding.sentence).toContain(sentence);
    const usual = found([start(body), step], [start(body), step]);
    expect(usual.cause).toBe("nothing_found");
  });

  test.each<[string, unknown, Step]>([
    ["a number without zeros", { zip: "94110" }, set(zip, 94_110)],
    ["an amount with its unit", { zip: "12,00 €" }, set(zip, 12)],
    ["a number without its plus sign", { zip: "+491701234567" }, set(zip, "491701234567")],
    ["a pattern that is not there", { zip: "x" }, set("={{ $json.body.zip.match(/a-z/) }}", null)],
    ["one digit of an hour", { zip: "08" }, set(zip, 8)],
    ["a default", { zip: "abc" }, set("={{ Number($json.body.zip) || '' }}", "")],
    ["letters in capitals", { zip: "-" }, set("={{ $json.body.zip.replace('-', '').toUpperCase() }}", "")],
    ["a name", {}, set("={{ x }}", "Infinity Pools")],
    ["a name in capitals", { zip: "to infinity" }, set("={{ $json.body.zip.toTitleCase() }}", "To Infinity")],
    ["a word of the workflow", { zip: 1 }, set("=To Infinity, {{ $json.body.zip }}", "To Infinity, 1")],
    ["a dish", { zip: "nan bread" }, set("={{ $json.body.zip.toTitleCase() }}", "NaN Bread")],
    ["padded quantities", { quantity: "0960" }, set("={{ Number($json.body.quantity) }}", 960)],
    ["a sentence about JavaScript", {}, set("={{ x }}", "undefinedness of null values")],
  ])("is not assumed for %s", (_name, body, step) => {
    expect(found([start(body), step]).cause).toBe("nothing_found");
  });

  test("is reported although one of the last successes had it too", () => {
    const steps = (now: string): Step[] => [start({ zip: "x" }), set("={{ x }}", now)];
    const of = (now: string) => steppedExecution(steps(now));
    const broken = of("Invalid DateTime");
    const causeAfter = (...earlier: (typeof broken)[]) =>
      explain(broken, { successes: earlier.map((one) => viewOf(one)) }).finding.cause;
    expect(causeAfter(of("2026-01-01"), broken)).toBe("broken_value");
    expect(causeAfter(broken, broken)).toBe("nothing_found");
  });

  test("is not blamed on a node that only passed it on", () => {
    const body = { zip: "https://x.example/undefined" };
    expect(found([start(body), set(zip, body.zip)])).toMatchObject({ node: "Start", confidence: "observed" });
    expect(found([start({ zip: `${"x".repeat(150)} undefined` })]).cause).toBe("nothing_found");
  });

  test("is not assumed for Infinity in a service's title", () => {
    const film: Step = {
      name: "Film",
      type: "n8n-nodes-base.httpRequest",
      sent: [[{ title: "To Infinity" }]],
    };
    expect(found([start({ id: 1 }), film]).cause).toBe("nothing_found");
  });

  test.each([
    ["by its name", { zip: "02139", other: "1" }, { zip: 2139 }],
    ["by its digits", { address: { code: "02139" } }, { postal: 2139 }],
  ])("is found in the output of code %s", (_name, body, sent) => {
    const finding = found([start(body), { name: "Code", sent: [[sent]] }]);
    expect(finding).toMatchObject({ cause: "broken_value", node: "Code", said: "02139" });
    expect(found([start({ ...body, zip: "2139" }), { name: "Code", sent: [[{ zip: 2139 }]] }]).said).not.toBe(
      "2139",
    );
  });

  test("is reported for a number above 2^53 if the workflow reads it", () => {
    const order = { order: 9_007_199_254_740_992 };
    expect(found([start(order), set("={{ $json.body.order }}", 9_007_199_254_740_992)]).node).toBe("Start");
    expect(found([start(order), set(zip, "x")]).cause).not.toBe("broken_value");
  });

  test.each([
    ["2026-11-01T01:30:00Z", "2026-10-31", "broken_value"],
    ["2026-11-01T01:30:00Z", "2026-10", "broken_value"],
    ["2026-11-01T01:30:00Z", "2026-11-02", "nothing_found"],
    ["2026-11-01T12:30:00Z", "2026-11-01", "nothing_found"],
  ])("is observed for a day of another time zone: %s as %s in New York is %s", (paid, day, cause) => {
    const steps = [start({ zip: paid }), set("={{ DateTime.fromISO($json.body.zip).toISODate() }}", day)];
    const plain = steppedExecution(steps);
    const workflowData = { ...plain.workflowData, settings: { timezone: "America/New_York" } };
    expect(found(steps, null, { workflowData })).toMatchObject({ cause, confidence: "observed" });
  });
});

describe("a value of a mistaken type", () => {
  const reading = (type: string, parameters: unknown): Step => ({
    ...{ name: "Use", type: `n8n-nodes-base.${type}`, parameters, sent: [[{ done: 1 }]] },
  });
  const choice = reading("set", { value: "={{ $json.body.news ? 'yes' : 'no' }}" });
  const offers = (...prices: unknown[]): Step => ({
    ...{ name: "Use", type: "n8n-nodes-base.sort", sent: [prices.map((price) => ({ price }))] },
    parameters: { sortFieldsUi: { sortField: [{ fieldName: "price", order: "ascending" }] } },
  });
  const keyed = (left: unknown, right: unknown, type = "compareDatasets", mode: object = {}): Step[] => [
    { name: "Left", sent: [[{ sku: left }]] },
    { name: "Right", sent: [[{ sku: right }]], after: ["Left"] },
    {
      ...reading(type, { ...mode, mergeByFields: { values: [{ field1: "sku", field2: "sku" }] } }),
      after: ["Left", "Right"],
      // Nothing matches: matches would leave by the first output of Merge, or the middle ones of Compare Datasets.
      sent: type === "merge" ? [[]] : [[{ sku: left }], [], [], [{ sku: right }]],
    },
  ];
  const code = (jsCode: string): Step => reading("code", { jsCode });
  const wait = reading("wait", { resume: "specificTime", dateTime: "={{ $json.body.at }}" });

  test.each<[string, readonly Step[], string]>([
    ["a text as truth", [start({ news: "false" }), choice], "counts as true"],
    ["negated", [start({ news: "null" }), code("if (!$json.body.news) return []")], "counts as true"],
    ["texts in order", [offers("10.50", "100.00", "9.90")], "letters"],
    ["days in order", [offers("01.12.2026", "02.01.2026")], "letters"],
    ["a key's type", keyed("1", 1), "a text at the first input and a number at the second"],
    ["a key's type at a Merge", keyed("1", 1, "merge"), "a text at the first input"],
    ["a key's spelling", keyed("A-1 ", "a-1", "merge"), "spelled otherwise"],
    [
      "a request",
      [start(), code("let a = 1\nfetch('x').then((r) => { a = r })\nreturn [{ json: { a } }]")],
      "await",
    ],
    ["a loop", [start(), code("items.forEach(async (one) => { await fetch('x') })\nreturn items")], "await"],
  ])("is reported: %s", (_name, steps, sentence) => {
    const finding = found(steps);
    expect(finding).toMatchObject({ cause: "mistaken_type", node: "Use", confidence: "likely" });
    expect(finding.sentence).toContain(sentence);
    expect(found(steps, steps).confidence).toBe("observed");
  });

  test.each<[string, readonly Step[]]>([
    ["a boolean", [start({ news: false }), choice]],
    [
      "a comparison",
      [start({ news: "false" }), reading("set", { value: "={{ $json.body.news === 'false' ? 1 : 2 }}" })],
    ],
    ["a fallback", [start({ news: "no" }), reading("set", { value: "={{ $json.body.news ?? 'no' }}" })]],
    ["numbers in order", [offers(9.9, 10.5)]],
    ["an answer in words", [start({ news: "No" }), choice]],
    ["names in order", [offers("10a", "9b")]],
    ["keys that are alike", keyed("1", "1")],
    ["keys that differ", keyed("1", 2)],
    ["keys left over from another mode", keyed("1", 1, "merge", { mode: "append" })],
    ["a request awaited later", [start(), code("const r = fetch('x')\nawait r\nreturn items")]],
    [
      "a request in an arrow function",
      [start(), code("const get = (u) =>\n  fetch(u)\nreturn [await get('x')]")],
    ],
    ["a request that is awaited", [start(), code("const r = await fetch('x')\nreturn r")]],
    [
      "requests that are awaited together",
      [start(), code("const all = [1].map(\n fetch('x'))\nawait Promise.all(all)")],
    ],
  ])("is not assumed for %s", (_name, steps) => {
    expect(found(steps).cause).not.toBe("mistaken_type");
  });

  test("is reported for the text No if an earlier run had yes", () => {
    const now = [start({ news: "No" }), choice];
    expect(found(now, [start({ news: "yes" }), choice])).toMatchObject({ cause: "mistaken_type" });
    expect(found(now, [start({ news: "Maybe" }), choice]).cause).not.toBe("mistaken_type");
  });

  test("is likely for a past time only if a success had a future one", () => {
    const [past, future] = ["2020", "2030"].map((year) => [start({ at: `${year}-01-01T00:00:00Z` }), wait]);
    expect(found(past ?? [], future)).toMatchObject({ cause: "mistaken_type", confidence: "likely" });
    expect(found(past ?? [])).toMatchObject({ cause: "mistaken_type", confidence: "observed" });
    expect(found(future ?? []).cause).not.toBe("mistaken_type");
  });
});
