/** Successes whose own outputs say otherwise, and values that broke on their way; beside each, one that is meant so. */
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

describe("an answer that reports a failure", () => {
  test("shows of a fault's name only the part that is fixed, and what it says whole", () => {
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
  ])("%s", (_name, step, sentence, said) => {
    const finding = found([start(), step, noted()]);
    expect(finding).toMatchObject({ cause: "reported_failure", node: "Ask", confidence: "likely" });
    expect(finding.sentence).toContain(sentence);
    if (said !== undefined) expect(finding.said).toBe(said);
    expect(finding.sentence).not.toContain(said ?? "\0");
  });

  test("is calm where the next node is sent the whole answer, and no other one", () => {
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
      "errors that are none",
      ask({ errors: [], error: null, success: true, status: "ok", failed: 0, exitCode: 0 }),
    ],
    ["an error that says there is none", ask({ id: 1, error: "No error" })],
    ["rows of a table", ask({ status: "failed", error: "x" }, { type: "n8n-nodes-base.postgres" })],
    ["a rate of errors", ask({ error_rate: 0.5, errors_url: "x", statusText: "failed" })],
    ["a state deep in what was asked for", ask({ order: { payment: { status: "failed" } } })],
  ])("%s: nothing is told", (_name, step) => {
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
  ])("is calm where %s", (_name, steps, before) => {
    const finding = found(steps, before);
    expect(finding).toMatchObject({ cause: "reported_failure", confidence: "observed" });
    expect(finding.sentence).not.toMatch(/fail|error|planted/);
  });

  test("is normal where the last success reports it too", () => {
    const steps = [start(), refused, noted()];
    expect(found(steps, steps).cause).toBe("nothing_found");
  });

  test("is told beside a failure that came of it", () => {
    const error = { name: "NodeOperationError", message: "x" };
    const { finding, evidence } = explain(steppedExecution([start(), refused, { name: "Label", error }]));
    expect(finding.node).toBe("Label");
    expect(evidence).toContainEqual(expect.objectContaining({ cause: "reported_failure", node: "Ask" }));
  });

  test("a page in place of data is told where the last success got data", () => {
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
  ])("%s", (_name, body, step, sentence) => {
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
  ])("%s is none", (_name, body, step) => {
    expect(found([start(body), step]).cause).toBe("nothing_found");
  });

  test("in one of the last successes as well is told all the same", () => {
    const steps = (now: string): Step[] => [start({ zip: "x" }), set("={{ x }}", now)];
    const of = (now: string) => steppedExecution(steps(now));
    const broken = of("Invalid DateTime");
    const causeAfter = (...earlier: (typeof broken)[]) =>
      explain(broken, { successes: earlier.map((one) => viewOf(one)) }).finding.cause;
    expect(causeAfter(of("2026-01-01"), broken)).toBe("broken_value");
    expect(causeAfter(broken, broken)).toBe("nothing_found");
  });

  test("a text that came so is not blamed on who handed it on", () => {
    const body = { zip: "https://x.example/undefined" };
    expect(found([start(body), set(zip, body.zip)])).toMatchObject({ node: "Start", confidence: "observed" });
    expect(found([start({ zip: `${"x".repeat(150)} undefined` })]).cause).toBe("nothing_found");
  });

  test("a title that a service sent is no number that could not be calculated", () => {
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
  ])("what code lost is found %s", (_name, body, sent) => {
    const finding = found([start(body), { name: "Code", sent: [[sent]] }]);
    expect(finding).toMatchObject({ cause: "broken_value", node: "Code", said: "02139" });
    expect(found([start({ ...body, zip: "2139" }), { name: "Code", sent: [[{ zip: 2139 }]] }]).said).not.toBe(
      "2139",
    );
  });

  test("a number above 2^53 is told where the workflow reads it", () => {
    const order = { order: 9_007_199_254_740_992 };
    expect(found([start(order), set("={{ $json.body.order }}", 9_007_199_254_740_992)]).node).toBe("Start");
    expect(found([start(order), set(zip, "x")]).cause).not.toBe("broken_value");
  });

  test.each([
    ["2026-11-01T01:30:00Z", "2026-10-31", "broken_value"],
    ["2026-11-01T01:30:00Z", "2026-10", "broken_value"],
    ["2026-11-01T01:30:00Z", "2026-11-02", "nothing_found"],
    ["2026-11-01T12:30:00Z", "2026-11-01", "nothing_found"],
  ])("%s as %s in New York: %s, calmly", (paid, day, cause) => {
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
  const keyed = (left: unknown, right: unknown, type = "compareDatasets"): Step[] => [
    { name: "Left", sent: [[{ sku: left }]] },
    { name: "Right", sent: [[{ sku: right }]], after: ["Left"] },
    {
      ...reading(type, { mergeByFields: { values: [{ field1: "sku", field2: "sku" }] } }),
      after: ["Left", "Right"],
      // What is alike leaves by the first output of a Merge, or by the middle ones of Compare Datasets: nothing is.
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
    ["a key's spelling", keyed("A-1 ", "a-1", "merge"), "spelled otherwise"],
    [
      "a request",
      [start(), code("let a = 1\nfetch('x').then((r) => { a = r })\nreturn [{ json: { a } }]")],
      "await",
    ],
    ["a loop", [start(), code("items.forEach(async (one) => { await fetch('x') })\nreturn items")], "await"],
  ])("%s", (_name, steps, sentence) => {
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
  ])("%s is none", (_name, steps) => {
    expect(found(steps).cause).not.toBe("mistaken_type");
  });

  test("a No is taken for one of two words where another run said yes", () => {
    const now = [start({ news: "No" }), choice];
    expect(found(now, [start({ news: "yes" }), choice])).toMatchObject({ cause: "mistaken_type" });
    expect(found(now, [start({ news: "Maybe" }), choice]).cause).not.toBe("mistaken_type");
  });

  test.each<[string, Step, unknown, unknown]>([
    ["a time that is past", wait, { at: "2020-01-01T00:00:00Z" }, { at: "2030-01-01T00:00:00Z" }],
  ])("%s is told as likely only beside a success without", (_name, step, now, before) => {
    expect(found([start(now), step], [start(before), step])).toMatchObject({
      cause: "mistaken_type",
      confidence: "likely",
    });
    expect(found([start(now), step])).toMatchObject({ cause: "mistaken_type", confidence: "observed" });
    expect(found([start(before), step]).cause).not.toBe("mistaken_type");
  });
});
