/** Conditions that decide whatever the item, defaults that replace real values, and runs unlike the last successes; beside each, one that is meant so. */
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

const test2 = (leftValue: string, operation: string, rightValue: string) => ({
  ...{ leftValue, rightValue },
  operator: { type: "string", operation },
});
const decision = (conditions: readonly object[], sent: unknown[][], combinator = "or"): Step => ({
  ...{ name: "Open?", type: "n8n-nodes-base.if", sent },
  parameters: { conditions: { options: { caseSensitive: true }, combinator, conditions } },
});

describe("a decision that does not depend on the item", () => {
  const state = "={{ $json.state }}";
  const unlike = (operation: string) => [test2(state, operation, "a"), test2(state, operation, "b")];
  const item = { state: "a" };

  test.each<[string, Step]>([
    ["OR of unequal ones", decision(unlike("notEquals"), [[item]])],
    ["AND of equal ones", decision(unlike("equals"), [[], [item]], "and")],
    [
      "in an expression",
      decision([test2("={{ $json.state !== 'a' || $json.state !== 'b' }}", "true", "")], [[item]]),
    ],
  ])("%s is told", (_name, step) => {
    expect(found([start(item), step])).toMatchObject({
      ...{ cause: "decided", field: "state", value: "a", confidence: "likely" },
      sentence: expect.stringMatching(/always true|never true/),
    });
  });

  test.each<[string, unknown, Step]>([
    ["the tests are joined by AND", item, decision(unlike("notEquals"), [[], [item]], "and")],
    ["no item has such a value", { state: "c" }, decision(unlike("notEquals"), [[{ state: "c" }]])],
    ["equal ones are joined by OR", item, decision(unlike("equals"), [[item]])],
  ])("nothing is told if %s", (_name, json, step) => {
    expect(isCalm(found([start(json), step]))).toBe(true);
  });

  test.each([
    ["Yes.", "likely"],
    ["**yes**", "likely"],
    ["yes, but", "observed"],
  ])("the word %s is near to yes: %s", (text, confidence) => {
    const steps = [
      start({ text }),
      decision([test2("={{ $json.text }}", "equals", "yes")], [[], [{ text }]]),
    ];
    expect(found(steps).confidence).toBe(confidence);
  });
});

describe("values compared or replaced by an expression", () => {
  const set = (value: string): Step => ({
    ...{ name: "Set it", type: SET, sent: [[{ is: true }]] },
    parameters: { assignments: { assignments: [{ name: "is", value: `={{ ${value} }}` }] } },
  });

  test.each<[string, object, string, string]>([
    ["numbers by their letters", { a: "100", b: "90" }, "$json.a > $json.b", "letters"],
    ["days by their letters", { a: "02.01.2026", b: "31.12.2025" }, "$json.a > $json.b", "letters"],
    ["a number and its text", { a: "5" }, "$json.a === 5 ? 1 : 2", "strictly"],
    ["0 replaced", { a: 0 }, "$json.a || 5000", "default 5000"],
    ["0 as a text replaced", { a: "0" }, "Number($json.a) || 5", "default 5"],
    ["0 replaced by a condition", { a: 0 }, "$json.a ? $json.a : 7", "default 7"],
    ["false replaced", { a: false }, "$json.a || true", "default true"],
  ])("%s", (_name, json, expression, words) => {
    const finding = found([start(json), set(expression)]);
    expect(finding.confidence).toBe("likely");
    expect(finding.sentence).toContain(words);
  });

  test.each<[string, object, string]>([
    ["numbers", { a: 100, b: 90 }, "$json.a > $json.b"],
    ["texts that stand as numbers do", { a: "95", b: "90" }, "$json.a > $json.b"],
    ["texts that are converted", { a: "100", b: "90" }, "Number($json.a) > Number($json.b)"],
    ["texts that are calculated with", { a: "100", b: "90" }, "$json.a > $json.b * 1"],
    ["names", { a: "Bea", b: "Ann" }, "$json.a > $json.b"],
    ["a default for nothing", { a: null }, "$json.a || 5000"],
    ["a default of 0", { a: 0 }, "$json.a || 0"],
    ["a default that keeps 0", { a: 0 }, "$json.a ?? 5"],
    ["a word for 0", { a: 0 }, "$json.a || 'none'"],
  ])("nothing is told of %s", (_name, json, expression) => {
    expect(isCalm(found([start(json), set(expression)]))).toBe(true);
  });
});

describe("an answer that refuses, as those of the last successes did not", () => {
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
  ])("%s", (_name, now, before, words) => {
    const finding = found(paid(now), paid(before), paid(before));
    expect(finding).toMatchObject({ cause: "reported_failure", node: "Ask", confidence: "likely" });
    expect(finding.sentence).toContain(words);
  });

  const refused = { resultCode: "Refused" };
  const good = { resultCode: "Authorised" };
  const looks = decision([test2("={{ $json.resultCode }}", "equals", "Authorised")], [[], [refused]]);
  test.each<[string, Step[], Step[]]>([
    ["a later node looks at it", paid(refused, looks), paid(good)],
    ["the successes say so too", paid(refused), paid(refused)],
    ["it was sent so", [start(refused), post(refused), note], [start(good), post(good), note]],
    ["it is one of many rows that were read", readRows("blocked"), readRows("active")],
  ])("nothing is told if %s", (_name, now, before) => {
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
    decision([test2("={{ $json.body?.decision ?? '' }}", operation, right)], [[asked]]);
  const grant = post({ granted: true }, "Grant");

  test("is told where the decision looks only for a refusal", () => {
    expect(found([start(asked), wait(asked), decided("notEquals", "rejected"), grant])).toMatchObject({
      ...{ cause: "unanswered", node: "Wait", confidence: "likely" },
      sentence: expect.stringContaining('"Open?" let that through'),
    });
  });

  test.each<[string, Step, Step]>([
    ["the decision looks for an approval", wait(asked), decided("equals", "approved")],
    ["somebody answered", wait({ body: { decision: "ok" } }), decided("notEquals", "rejected")],
    ["it has no time limit", wait(asked, {}), decided("notEquals", "rejected")],
  ])("raises no alarm if %s", (_name, waited, step) => {
    expect(isCalm(found([start(asked), waited, step, grant]))).toBe(true);
  });
});

describe("a file of another kind", () => {
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

  test("is told of the node that read it", () => {
    expect(found(read({ "%PDF-1.4": "1 0 obj" }), usual, usual)).toMatchObject({
      ...{ cause: "read_otherwise", node: "Read", confidence: "likely" },
      sentence: expect.stringMatching(/\("hours"\): what it read is a PDF file\. "Book" needs that/),
    });
  });

  test("is told though the first of its readers says what to take instead", () => {
    const jsonBody = "={{ $('Read').item.json.hours }}";
    const both = (row: object): Step[] => [...read(row).map(prepared), post({ id: 1 }, "Pay", { jsonBody })];
    expect(found(both({ other: 1 }), both({ no: 1, hours: 3 }), both({ no: 1, hours: 3 })).cause).toBe(
      "read_otherwise",
    );
  });

  test.each<[string, Step[], (readonly Step[])[]]>([
    ["a column is left", read({ no: 1 }), [usual, usual]],
    ["one success shows no constant", read({ other: 1 }), [usual]],
    ["who reads them says what to take instead", read({ other: 1 }).map(prepared), [usual, usual]],
    ["nobody reads the columns", read({ other: 1 }).slice(0, 2), [usual, usual]],
  ])("raises no alarm if %s", (_name, now, before) => {
    expect(found(now, ...before).cause).not.toBe("read_otherwise");
  });
});

test.each([
  ["status.code", { status: { code: "closed" } }, { status: { code: "open" } }],
  [undefined, { "status.code": "closed" }, { "status.code": "open" }],
])(
  "of a value that was always the same, the path %s is named: each of its keys is known",
  (field, now, was) => {
    const steps = (sent: object): Step[] => [start({}), post(sent)];
    const finding = found(steps(now), steps(was), steps(was));
    expect(finding).toMatchObject({ cause: "differs", node: "Ask" });
    expect(finding.field).toBe(field);
  },
);
