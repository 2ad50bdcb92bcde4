/** Conditions that are always true, defaults that replace real values, runs unlike the last successes; and look-alikes. */
import { describe, expect, test } from "vitest";
import { viewOf } from "../../../src/executions/causes/execution-view.ts";
import type { Finding } from "../../../src/executions/causes/wording/finding.ts";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const HTTP = "n8n-nodes-base.httpRequest";
const SET = "n8n-nodes-base.set";
const start = (...jsons: unknown[]): Step => ({
  name: "Start",
  type: "n8n-nodes-base.webhook",
  sent: [jsons],
});
const post = (sent: unknown, name = "Ask", parameters: object = {}): Step => ({
  ...{ name, type: HTTP, parameters: { method: "POST", ...parameters } },
  sent: [[sent]],
});

function found(steps: readonly Step[], ...before: (readonly Step[])[]): Finding {
  const successes = before.map((one) => viewOf(steppedExecution(one)));
  return explain(steppedExecution(steps), { successes }).finding;
}
const isCalm = ({ confidence }: Finding): boolean => confidence !== "likely" && confidence !== "exact";

const stringTest = (leftValue: string, operation: string, rightValue: string) => ({
  ...{ leftValue, rightValue },
  operator: { type: "string", operation },
});
const decision = (conditions: readonly object[], sent: unknown[][], combinator = "or"): Step => ({
  ...{ name: "Open?", type: "n8n-nodes-base.if", sent },
  parameters: { conditions: { options: { caseSensitive: true }, combinator, conditions } },
});

describe("a decision that does not depend on the item", () => {
  const state = "={{ $json.state }}";
  const unlike = (operation: string) => [
    stringTest(state, operation, "a"),
    stringTest(state, operation, "b"),
  ];
  const item = { state: "a" };

  test.each<[string, Step]>([
    ["OR of two notEquals", decision(unlike("notEquals"), [[item]])],
    ["AND of two equals", decision(unlike("equals"), [[], [item]], "and")],
    [
      "in an expression",
      decision([stringTest("={{ $json.state !== 'a' || $json.state !== 'b' }}", "true", "")], [[item]]),
    ],
  ])("is reported: %s", (_name, step) => {
    expect(found([start(item), step])).toMatchObject({
      ...{ cause: "decided", field: "state", value: "a", confidence: "likely" },
      sentence: expect.stringMatching(/always true|never true/),
    });
  });

  test.each<[string, unknown, Step]>([
    ["the tests are joined by AND", item, decision(unlike("notEquals"), [[], [item]], "and")],
    ["no item has such a value", { state: "c" }, decision(unlike("notEquals"), [[{ state: "c" }]])],
    ["equal ones are joined by OR", item, decision(unlike("equals"), [[item]])],
  ])("is not assumed if %s", (_name, json, step) => {
    expect(isCalm(found([start(json), step]))).toBe(true);
  });

  test.each([
    ["Yes.", "likely"],
    ["**yes**", "likely"],
    ["yes, but", "observed"],
  ])("that compares %s with yes is %s", (text, confidence) => {
    const steps = [
      start({ text }),
      decision([stringTest("={{ $json.text }}", "equals", "yes")], [[], [{ text }]]),
    ];
    expect(found(steps).confidence).toBe(confidence);
  });
});

describe("a value compared or replaced by an expression", () => {
  const set = (value: string): Step => ({
    ...{ name: "Set it", type: SET, sent: [[{ is: true }]] },
    parameters: { assignments: { assignments: [{ name: "is", value: `={{ ${value} }}` }] } },
  });

  test.each<[string, object, string, string]>([
    ["numbers compared as texts", { a: "100", b: "90" }, "$json.a > $json.b", "letters"],
    ["days compared as texts", { a: "02.01.2026", b: "31.12.2025" }, "$json.a > $json.b", "letters"],
    ["a number and its text", { a: "5" }, "$json.a === 5 ? 1 : 2", "strictly"],
    ["0 replaced", { a: 0 }, "$json.a || 5000", "default 5000"],
    ["0 as a text replaced", { a: "0" }, "Number($json.a) || 5", "default 5"],
    ["0 replaced by a condition", { a: 0 }, "$json.a ? $json.a : 7", "default 7"],
    ["false replaced", { a: false }, "$json.a || true", "default true"],
  ])("is reported: %s", (_name, json, expression, words) => {
    const finding = found([start(json), set(expression)]);
    expect(finding.confidence).toBe("likely");
    expect(finding.sentence).toContain(words);
  });

  test.each<[string, object, string]>([
    ["numbers", { a: 100, b: 90 }, "$json.a > $json.b"],
    ["texts in the same order as their numbers", { a: "95", b: "90" }, "$json.a > $json.b"],
    ["texts that are converted", { a: "100", b: "90" }, "Number($json.a) > Number($json.b)"],
    ["texts that are calculated with", { a: "100", b: "90" }, "$json.a > $json.b * 1"],
    ["names", { a: "Bea", b: "Ann" }, "$json.a > $json.b"],
    ["a default for nothing", { a: null }, "$json.a || 5000"],
    ["a default of 0", { a: 0 }, "$json.a || 0"],
    ["a default that keeps 0", { a: 0 }, "$json.a ?? 5"],
    ["a word for 0", { a: 0 }, "$json.a || 'none'"],
  ])("is not blamed: %s", (_name, json, expression) => {
    expect(isCalm(found([start(json), set(expression)]))).toBe(true);
  });
});

describe("a response that rejects a request, unlike those of the last successes", () => {
  const note: Step = { name: "Note", type: SET, parameters: {}, sent: [[{ kept: true }]] };
  const paid = (answer: unknown, ...more: Step[]) => [start({ id: 1 }), post(answer), ...more, note];

  test.each<[string, unknown, unknown, string]>([
    ["a word", { resultCode: "Refused" }, { resultCode: "Authorised" }, '"refused"'],
    [
      "one of several",
      { lines: [{ state: "ok" }, { state: "rejected" }] },
      { lines: [{ state: "ok" }] },
      "for 1 of 2",
    ],
    [
      "a code before a text",
      { answer: "ERR 0014;used" },
      { answer: "OK 0;12" },
      '"answer" is an error message',
    ],
    ["nobody accepted", { accepted: [] }, { accepted: ["a@b.c"] }, '"accepted" is empty'],
  ])("is reported: %s", (_name, now, before, words) => {
    const finding = found(paid(now), paid(before), paid(before));
    expect(finding).toMatchObject({ cause: "reported_failure", node: "Ask", confidence: "likely" });
    expect(finding.sentence).toContain(words);
  });

  const refused = { resultCode: "Refused" };
  const good = { resultCode: "Authorised" };
  const looks = decision([stringTest("={{ $json.resultCode }}", "equals", "Authorised")], [[], [refused]]);
  test.each<[string, Step[], Step[]]>([
    ["a later node looks at it", paid(refused, looks), paid(good)],
    ["the successes say so too", paid(refused), paid(refused)],
    ["the request contained it", [start(refused), post(refused), note], [start(good), post(good), note]],
    ["it is one of many rows that were read", readRows("blocked"), readRows("active")],
  ])("raises no alarm if %s", (_name, now, before) => {
    expect(isCalm(found(now, before, before))).toBe(true);
  });

  function readRows(state: string): Step[] {
    const rows = [{ s: "active" }, { s: state }];
    return [start({ id: 1 }), { name: "Read", type: HTTP, parameters: {}, sent: [rows] }, post({ id: 1 })];
  }
});

describe("a wait that nobody answered", () => {
  const asked = { asked: "Ann" };
  const wait = (sent: unknown, parameters: object = { limitWaitTime: true }): Step => ({
    ...{ name: "Wait", type: "n8n-nodes-base.wait", sent: [[sent]] },
    parameters: { resume: "webhook", ...parameters },
  });
  const decided = (operation: string, right: string) =>
    decision([stringTest("={{ $json.body?.decision ?? '' }}", operation, right)], [[asked]]);
  const grant = post({ granted: true }, "Grant");

  test("is reported if the decision only looks for a rejection", () => {
    expect(found([start(asked), wait(asked), decided("notEquals", "rejected"), grant])).toMatchObject({
      ...{ cause: "unanswered", node: "Wait", confidence: "likely" },
      sentence: expect.stringContaining('"Open?" let that through'),
    });
  });

  test.each<[string, Step, Step]>([
    ["the decision looks for an approval", wait(asked), decided("equals", "approved")],
    ["somebody answered", wait({ body: { decision: "ok" } }), decided("notEquals", "rejected")],
    ["it has no time limit", wait(asked, {}), decided("notEquals", "rejected")],
    [
      "its time limit is switched off",
      wait(asked, { limitWaitTime: false }),
      decided("notEquals", "rejected"),
    ],
  ])("raises no alarm if %s", (_name, waited, step) => {
    expect(isCalm(found([start(asked), waited, step, grant]))).toBe(true);
  });
});

describe("a file of another type", () => {
  const read = (...rows: unknown[]): Step[] => [
    start({ id: 1 }),
    { name: "Read", type: "n8n-nodes-base.extractFromFile", parameters: {}, sent: [rows] },
    post({ ok: true }, "Book", { jsonBody: "={{ { hours: $json.hours } }}" }),
  ];
  const usual = read({ no: 1, hours: 8 });
  const prepared = (step: Step): Step =>
    step.name === "Book"
      ? post({ ok: true }, "Book", { jsonBody: "={{ { hours: $json.hours ?? 8 } }}" })
      : step;

  test("is reported at the node that read it", () => {
    expect(found(read({ "%PDF-1.4": "1 0 obj" }), usual, usual)).toMatchObject({
      ...{ cause: "read_otherwise", node: "Read", confidence: "likely" },
      sentence: expect.stringMatching(/\("hours"\): what it read is a PDF file\. "Book" needs that/),
    });
  });

  test("is reported although the first reader of its columns has a default", () => {
    const jsonBody = "={{ $('Read').item.json.hours }}";
    const both = (row: object): Step[] => [...read(row).map(prepared), post({ id: 1 }, "Pay", { jsonBody })];
    expect(found(both({ other: 1 }), both({ no: 1, hours: 3 }), both({ no: 1, hours: 3 })).cause).toBe(
      "read_otherwise",
    );
  });

  test.each<[string, Step[], (readonly Step[])[]]>([
    ["a column is left", read({ no: 1 }), [usual, usual]],
    ["only one success is known", read({ other: 1 }), [usual]],
    ["their reader has a default", read({ other: 1 }).map(prepared), [usual, usual]],
    ["nobody reads the columns", read({ other: 1 }).slice(0, 2), [usual, usual]],
  ])("raises no alarm if %s", (_name, now, before) => {
    expect(found(now, ...before).cause).not.toBe("read_otherwise");
  });
});

test.each([
  ["status.code", { status: { code: "closed" } }, { status: { code: "open" } }],
  [undefined, { "status.code": "closed" }, { "status.code": "open" }],
])(
  "a value unlike that of all successes is named by the path %s, or by none if a key has a dot",
  (field, now, was) => {
    const steps = (sent: object): Step[] => [start({}), post(sent)];
    const finding = found(steps(now), steps(was), steps(was));
    expect(finding).toMatchObject({ cause: "differs", node: "Ask" });
    expect(finding.field).toBe(field);
  },
);
