/** What the rules say of executions made for them: each names the node, the reason, and no payload. */
import { describe, expect, test } from "vitest";
import { explain } from "../../../src/executions/causes/explain.ts";
import { referencesIn } from "../../../src/executions/causes/field-references.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const START: Step = { name: "Start", type: "n8n-nodes-base.webhook", sent: [[{ body: { a: 1 } }]] };
const undefinedOf = (member: string) => ({
  name: "WrappedExecutionError",
  description: "TypeError",
  lineNumber: 1,
  message: `Cannot read properties of undefined (reading '${member}') [line 1]`,
});
const code = (jsCode: string) => ({ jsCode });
const findingOf = (steps: readonly Step[], facts?: Readonly<Record<string, unknown>>) =>
  explain(steppedExecution(steps, facts)).finding;

describe("root before symptom", () => {
  const reader: Step = {
    name: "Use",
    parameters: code("return $json.shop.street.trim()"),
    error: undefinedOf("street"),
  };
  const hands: Step = { name: "Add", sent: [[{ id: 1, at: "noon" }]] };

  test("the node that left a field out is named, and not the one that hands on", () => {
    const made: Step = { name: "Make", sent: [[{ id: 1 }]] };
    expect(findingOf([START, made, hands, reader])).toMatchObject({
      cause: "field_missing",
      node: "Make",
      failedNode: "Use",
      field: "shop",
      confidence: "exact",
    });
  });

  test("the node that dropped it is named where one before had it", () => {
    const made: Step = { name: "Make", sent: [[{ id: 1, shop: { street: "x" } }]] };
    expect(findingOf([START, made, hands, reader])).toMatchObject({ node: "Add", field: "shop" });
  });

  test("where every item has the field, nothing is made up", () => {
    const made: Step = { name: "Make", sent: [[{ shop: { street: "x" } }]] };
    expect(findingOf([START, made, reader])).toMatchObject({ cause: "node_failed", node: "Use" });
  });

  test("a value of another type is told by its type", () => {
    const made: Step = { name: "Make", sent: [[{ lines: { secret: "planted" } }]] };
    const calls: Step = {
      name: "Use",
      parameters: code("return $json.lines.map((line) => line)"),
      error: { ...undefinedOf("x"), message: "$json.lines.map is not a function [line 1]" },
    };
    const finding = findingOf([START, made, calls]);
    expect(finding).toMatchObject({ cause: "wrong_type", node: "Make", field: "lines" });
    expect(finding.sentence).toContain("an object");
    expect(finding.sentence).not.toContain("planted");
  });

  test("whoever throws n8n's own words with a name of payload is not believed", () => {
    const thrown = { ...undefinedOf("planted"), message: "net_planted is not defined" };
    const finding = findingOf([START, { name: "Use", parameters: code("return 1"), error: thrown }]);
    expect(JSON.stringify(finding)).not.toContain("planted");
  });
});

describe("a success", () => {
  const CAUGHT: Step = {
    name: "Call",
    settings: { onError: "continueRegularOutput" },
    sent: [[{ error: "no" }]],
  };
  const after: Step = { name: "After", sent: [[{ ok: true }]] };

  test("that swallowed an error says so", () => {
    expect(findingOf([START, CAUGHT, after])).toMatchObject({
      cause: "error_caught",
      node: "Call",
      confidence: "exact",
    });
  });

  test.each([
    ["error is a field of a node that does not go on", { ...CAUGHT, settings: {} }],
    ["an error stands beside other fields", { ...CAUGHT, sent: [[{ error: "none", id: 4, level: 2 }]] }],
    ["a service answered with an error of its own", { ...CAUGHT, type: "n8n-nodes-base.httpRequest" }],
    ["error is null", { ...CAUGHT, sent: [[{ error: null }]] }],
    [
      "an optional field is looked for with care",
      {
        name: "Call",
        type: "n8n-nodes-base.set",
        parameters: { value: "={{ $json.vip ?? '' }}" },
        sent: [[{ vip: null }]],
      },
    ],
  ] satisfies [string, Step][])("in which nothing went wrong is left in peace: %s", (_why, step) => {
    expect(findingOf([START, step, after])).toMatchObject({ cause: "nothing_wrong" });
  });

  test("in which nothing came of it is an observation", () => {
    const filter: Step = { name: "Only", type: "n8n-nodes-base.filter", sent: [[], [{ id: 1 }]] };
    const finding = findingOf([START, filter, { name: "Ship" }]);
    expect(finding).toMatchObject({ cause: "dropped", node: "Only", confidence: "observed" });
    expect(finding.sentence).not.toMatch(/fail|error/i);
  });

  test("of which n8n keeps nothing is not called well", () => {
    expect(findingOf([{ name: "Start" }])).toMatchObject({ cause: "no_data", confidence: "observed" });
    const tooLarge = { dataTooLargeToDisplay: true };
    expect(findingOf([{ name: "Start" }], tooLarge)).toMatchObject({ cause: "too_large" });
  });

  test("whose data n8n withholds is not called well", () => {
    const withheld = {
      data: { redactionInfo: { isRedacted: true }, resultData: { runData: { Start: [{ source: [] }] } } },
    };
    expect(findingOf([START], withheld)).toMatchObject({ cause: "withheld" });
  });
});

describe("what n8n itself names", () => {
  test.each([
    [{ name: "NodeApiError", httpCode: "404", message: "planted" }, "http_status", /404/],
    [{ name: "NodeApiError", httpCode: "ECONNREFUSED", message: "planted" }, "connection", /ECONNREFUSED/],
    [
      {
        name: "NodeApiError",
        httpCode: "ECONNABORTED",
        messages: ["timeout of 300ms exceeded"],
        message: "planted",
      },
      "timeout",
      /300 ms/,
    ],
    [{ name: "NodeSslError", message: "planted" }, "certificate", /certificate/],
    [
      { message: 'Credential with ID "x1" does not exist for type "planted".' },
      "credential",
      /does not exist/,
    ],
    [
      { message: "Workflow is not active and cannot be executed.", extra: { workflowId: "w9" } },
      "sub_workflow_unavailable",
      /not published/,
    ],
    [
      {
        name: "NodeOperationError",
        context: { type: "paired_item_no_info", nodeCause: "Start" },
        message: "planted",
      },
      "pairing",
      /paired/,
    ],
    [
      { name: "WrappedExecutionError", description: "SyntaxError", message: "Unexpected token 'planted'" },
      "code_syntax",
      /syntax/,
    ],
    [{ name: "planted", message: "planted" }, "node_failed", /failed/],
  ] satisfies [Record<string, unknown>, string, RegExp][])("%j is %s", (error, cause, says) => {
    const finding = findingOf([START, { name: "Call", error }]);
    expect(finding).toMatchObject({ cause });
    expect(finding.sentence).toMatch(says);
    expect(finding.sentence).not.toContain("planted");
  });

  test.each([
    [
      {
        status: "canceled",
        data: { resultData: { error: { name: "ManualExecutionCancelledError", message: "x" }, runData: {} } },
      },
      "canceled_by_hand",
    ],
    [{ status: "waiting", waitTill: "3000-01-01T00:00:00.000Z" }, "waiting"],
    [{ status: "running", stoppedAt: null }, "running"],
    [{ status: "crashed" }, "crashed"],
  ] satisfies [Record<string, unknown>, string][])("%j is %s", (facts, cause) => {
    expect(findingOf([START], facts)).toMatchObject({ cause });
  });
});

test.each([
  ["$json.a.b", null, ["a", "b"]],
  ["$('Load it').first().json.a['b c']", "Load it", ["a", "b c"]],
  ['$node["Old"].json["a"]', "Old", ["a"]],
  ["$input.all()[0].json.a[0].b", null, ["a", "0", "b"]],
])("%s reads a field", (text, node, path) => {
  expect(referencesIn(text)).toMatchObject([{ node, path, hasFallback: false, optionalAt: [] }]);
});

test("a variable stands for what it was set to, and care is noticed", () => {
  expect(referencesIn("const one = $('A').item.json;\nreturn one.b.c").at(-1)).toMatchObject({
    node: "A",
    path: ["b", "c"],
  });
  for (const text of ["$json.a?.b", "$json.a ?? 1", "$json.a || 1"])
    expect(referencesIn(text)[0]).toMatchObject({ hasFallback: true });
});
