/** If several reads of a node could have failed, the one that did is named, or none. */
import { describe, expect, test } from "vitest";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const START: Step = {
  name: "Start",
  type: "n8n-nodes-base.webhook",
  sent: [[{ body: { total: "12", size: "3" } }]],
};
const AI = "@n8n/n8n-nodes-langchain.";
const failing = (jsCode: string, message: string, more: object = {}): Step => ({
  name: "Greet",
  parameters: { jsCode },
  error: {
    name: "WrappedExecutionError",
    description: "TypeError",
    lineNumber: 1,
    message: `${message} [line 1]`,
    ...more,
  },
});
const explained = (step: Step) => explain(steppedExecution([START, step]));
const blame = (...args: Parameters<typeof failing>) => explained(failing(...args)).finding;
const NAME = "Cannot read properties of undefined (reading 'name')";

describe("a guarded read is not blamed", () => {
  test.each([
    ["if", "if ($json.body.vip) { use($json.body.vip.name) } return $json.body.customer.name"],
    ["&&", "const vip = $json.body.vip && $json.body.vip.name; return $json.body.customer.name"],
    ["?:", "return $json.body.vip ? $json.body.vip.name : $json.body.customer.name"],
    ["!==", "return $json.body.vip !== undefined ? $json.body.vip.name : $json.body.customer.name"],
    ["try", "try { use($json.body.vip.name) } catch (e) {} return $json.body.customer.name"],
  ])("if it is guarded by %s", (_how, jsCode) => {
    const finding = blame(jsCode, NAME);
    expect(finding).toMatchObject({ cause: "field_missing", field: "body.customer", confidence: "exact" });
    expect(finding.sentence).not.toContain("vip");
  });

  test("and nothing is blamed if no unguarded read is left", () => {
    const finding = blame("if ($json.body.vip) use($json.body.vip.name); return other()", NAME);
    expect(finding).toMatchObject({ cause: "node_failed", node: "Greet" });
  });
});

describe("among several unguarded reads", () => {
  const jsCode = "const one = $json.body.vip.name;\nreturn $json.body.customer.name";

  test("the one on the line that n8n names is blamed", () => {
    expect(blame(jsCode, NAME, { lineNumber: 2 })).toMatchObject({ field: "body.customer" });
    expect(blame(jsCode, NAME)).toMatchObject({ field: "body.vip" });
  });

  test("all are named as possible if no line is known", () => {
    const finding = blame(jsCode, NAME, { lineNumber: undefined });
    expect(finding).toMatchObject({ cause: "field_missing", node: "Start", confidence: "observed" });
    expect(finding.sentence).toBe(
      '"Greet" failed because it reads "name" of what is not there: of "body.vip" or "body.customer".',
    );
  });

  test("the one that the engine spells out is blamed", () => {
    const calls = "use($json.body.total.toFixed()); return $json.body.size.toFixed(2)";
    const finding = blame(calls, "$json.body.size.toFixed is not a function");
    expect(finding).toMatchObject({ cause: "wrong_type", field: "body.size" });
    const goes = "for (const a of $json.body.lines) use(a); for (const b of $json.body.rows) use(b)";
    const list = explained(failing(goes, "$json.body.rows is not iterable"));
    expect(list.finding).toMatchObject({ field: "body.rows" });
  });
});

describe("a read on another line than the one that n8n names", () => {
  const jsCode = "const order = $json.body;\nuse(order.customer.name);\nreturn label(order).name";

  test("is not blamed although its field is missing", () => {
    const finding = blame(jsCode, NAME, { lineNumber: 3 });
    expect(finding).toMatchObject({ cause: "node_failed", node: "Greet" });
    expect(finding.field).toBeUndefined();
  });

  test("is blamed if it was assigned to a variable that the line reads", () => {
    expect(blame(jsCode, NAME, { lineNumber: 2 })).toMatchObject({ field: "body.customer" });
    const chained = "const body = $json.body;\nreturn body\n  .customer\n  .name;";
    expect(blame(chained, NAME, { lineNumber: 4 })).toMatchObject({ field: "body.customer" });
  });

  test("is found through the parameter of a callback", () => {
    const rows =
      "return $input.all()\n  .map((row) => ({\n    json: { name: row.json.body.customer.name },\n  }))";
    expect(blame(rows, NAME, { lineNumber: 3 })).toMatchObject({ field: "body.customer" });
  });

  test("is not blamed for a method that is missing on the named line", () => {
    const lists = "use($json.body.total.map(String));\nreturn made().map(String)";
    const message = "made(...).map is not a function";
    expect(blame(lists, message, { lineNumber: 1 })).toMatchObject({ field: "body.total" });
    expect(blame(lists, message, { lineNumber: 2 }).cause).toBe("node_failed");
  });
});

test.each([
  [
    "with a part of it in a variable",
    "const res = await helpers.httpRequest(one);\nconst rows = res.rows;\nuse(rows.map(String), $json.body.total.map(String))",
    "rows.map is not a function",
  ],
  [
    "destructured",
    "const { data } = await fetch(one);\n\nuse(data.map(String), $json.body.total.map(String))",
    "data.map is not a function",
  ],
  [
    "assigned to a variable later",
    "let data;\ndata = (await fetch(one)).rows;\nfor (const row of data) use($json.body.note)",
    "data is not iterable",
  ],
])("a service's response %s is not blamed on an item's field", (_what, jsCode, message) => {
  const finding = blame(jsCode, message, { lineNumber: 3 });
  expect(finding).toMatchObject({ cause: "node_failed", node: "Greet" });
  expect(finding.field).toBeUndefined();
  const ofItem = jsCode.replace(/\(?await .*;/, "$json.body;");
  expect(blame(ofItem, message, { lineNumber: 3 }).cause).not.toBe("node_failed");
});

test("await of an item is not taken for a service's response", () => {
  const jsCode = "const order = await $input.first().json;\nreturn order.customer.name";
  expect(blame(jsCode, NAME, { lineNumber: 2 })).toMatchObject({ cause: "field_missing" });
});

test.each([
  [
    "a member",
    "const res = await helpers.httpRequest(one);\nuse(res.customer.name);\nuse($json.body.customer.name)",
    NAME,
  ],
  [
    "a list",
    "const res = await fetch(one);\nfor (const row of res.rows) use($json.body.note)",
    "res.rows is not iterable",
  ],
])("%s of a service's response to the code is not taken for an item's field", (_what, jsCode, message) => {
  const finding = blame(jsCode, message, { lineNumber: 2 });
  expect(finding).toMatchObject({ cause: "node_failed", node: "Greet" });
  expect(finding.field).toBeUndefined();
  const ofItem = jsCode.replace(/await .*;/, "$json.body;");
  expect(blame(ofItem, message, { lineNumber: 2 }).cause).toBe("field_missing");
});

test("a service's response that is not valid JSON is not blamed on an item's field", () => {
  const jsCode =
    "const text = await helpers.httpRequest(one);\nconst options = JSON.parse($json.body.options || '{}');\nreturn JSON.parse(text)";
  const error = { description: "SyntaxError", lineNumber: 3 };
  const message = `Unexpected token '<', "<!doctype "... is not valid JSON`;
  const start: Step = { ...START, sent: [[{ body: { options: "" } }]] };
  const { finding } = explain(steppedExecution([start, failing(jsCode, message, error)]));
  expect(finding).toMatchObject({ cause: "not_json", node: "Greet" });
  expect(finding.field).toBeUndefined();
});

describe("the text blamed for a failed JSON.parse", () => {
  const start: Step = { ...START, sent: [[{ body: { options: "", rules: "{", note: "hi" } }]] };
  const parsing = (jsCode: string, lineNumber: number) => {
    const error = { description: "SyntaxError", lineNumber };
    const step = failing(jsCode, "Unexpected end of JSON input", error);
    return explain(steppedExecution([start, step])).finding;
  };

  test.each(["||", "??"])("is no empty one with a fallback (%s)", (or) => {
    const jsCode = `const body = $json.body;\nuse(JSON.parse(body.options ${or} '{}'), JSON.parse(body.rules))`;
    expect(parsing(jsCode, 2)).toMatchObject({ cause: "not_json", field: "body.rules" });
    const held = `const raw = $json.body.options ${or} '{}';\nreturn JSON.parse(raw)`;
    expect(parsing(held, 2).field).toBeUndefined();
    expect(parsing(held.replace(` ${or} '{}'`, ""), 2).field).toBe("body.options");
  });

  test("is none on another line, and none that is only read", () => {
    const jsCode =
      "const rules = JSON.parse($json.body.rules);\nconst note = $json.body.note;\nreturn JSON.parse(made())";
    expect(parsing(jsCode, 1)).toMatchObject({ field: "body.rules" });
    expect(parsing(jsCode, 3)).toMatchObject({ cause: "not_json", node: "Greet" });
    expect(parsing(jsCode, 3).field).toBeUndefined();
  });

  test("is none if the code itself composes the text", () => {
    const jsCode = "use($json.body.rules);\nreturn JSON.parse('[' + made() + ']')";
    expect(parsing(jsCode, 2).field).toBeUndefined();
  });

  test("is found inside a conversion and before a method call", () => {
    expect(parsing("return JSON.parse(String($json.body.rules))", 1)).toMatchObject({ field: "body.rules" });
    expect(parsing("return JSON.parse($json.body.rules.trim())", 1)).toMatchObject({ field: "body.rules" });
    const cleaned = "const raw = $json.body.rules.trim();\nreturn JSON.parse(raw)";
    expect(parsing(cleaned, 2)).toMatchObject({ field: "body.rules" });
    expect(parsing(cleaned.replace(".trim()", " + tail"), 2).field).toBeUndefined();
    expect(parsing("const { rules } = $json.body;\nreturn JSON.parse(rules)", 2)).toMatchObject({
      field: "body.rules",
    });
  });
});

test("endless recursion is explained as such, not as a wrong value", () => {
  const error = { description: "RangeError" };
  const deep = failing("const f = (n) => f(n + 1); return f(0)", "Maximum call stack size exceeded", error);
  expect(explained(deep).finding.sentence).toContain("calls itself without end");
  const thrown = failing("throw made", "Maximum call stack size exceeded", error);
  expect(explained(thrown).finding.sentence).not.toContain("calls itself");
});

test("an expression that fails in a method is explained, and the method is not called a field", () => {
  const step: Step = {
    name: "Take",
    type: "n8n-nodes-base.set",
    parameters: { value: "={{ $json.body.total.toDateTime().year }}" },
    error: { name: "NodeOperationError", message: "cannot convert to Luxon DateTime" },
  };
  const { finding, evidence } = explained(step);
  expect(finding).toMatchObject({ cause: "invalid_request", node: "Take" });
  expect(JSON.stringify(evidence)).not.toContain("toDateTime");
  const list = { ...step, error: { ...step.error, message: 'first() is only callable on type "Array"' } };
  expect(explained(list).finding).toMatchObject({ cause: "wrong_type" });
});

test("a model's failure that ended the execution is not reported as a tool's failure", () => {
  const error = { name: "NodeApiError", message: "x", httpCode: "429" };
  const writer: Step = { name: "Writer", type: `${AI}agent`, error };
  const model: Step = {
    name: "Model",
    type: `${AI}lmChatOpenAi`,
    connection: "ai_languageModel",
    after: ["Writer"],
    error,
  };
  const { finding, evidence } = explain(steppedExecution([START, writer, model]));
  expect(finding).toMatchObject({ cause: "agent_stopped" });
  expect(evidence.map(({ cause }) => cause)).not.toContain("tool_failed");
});

describe("a bad value of a parameter that n8n does not name", () => {
  const step = (parameters: object): Step => ({
    name: "Format date",
    type: "n8n-nodes-base.dateTime",
    parameters,
    error: { name: "NodeOperationError", message: "Invalid date format" },
  });

  test("is traced to the only expression", () => {
    const { finding } = explained(step({ date: "={{ $json.body.due }}" }));
    expect(finding).toMatchObject({ cause: "field_missing", field: "body.due", confidence: "exact" });
  });

  test("is not traced with certainty if another expression could have caused it", () => {
    const { finding } = explained(step({ label: "={{ $json.body.note }}", date: "={{ $json.body.total }}" }));
    expect(finding).toMatchObject({ cause: "field_missing", field: "body.note", confidence: "observed" });
    expect(finding.sentence).toBe(
      '"Format date" failed because a date is not one; it reads "body.note", and there is no "body.note" in the item that "Start" sent.',
    );
  });
});
