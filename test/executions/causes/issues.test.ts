/** Failures from n8n's issues that were explained vaguely or not at all; beside each, a look-alike. */
import { describe, expect, test } from "vitest";
import { viewOf } from "../../../src/executions/causes/execution-view.ts";
import { factsOf } from "../../../src/executions/causes/explain.ts";
import { explain, findingOn } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const start = (body: object): Step => ({ name: "Start", type: `${BASE}webhook`, sent: [[{ body }]] });

describe("query parameters given as one text", () => {
  const insert = (queryReplacement: string, message: string): Step => ({
    name: "Insert",
    type: `${BASE}postgres`,
    parameters: { options: { queryReplacement } },
    error: { name: "NodeOperationError", message, description: "Failed query: INSERT …" },
  });
  const withComma = "={{ $json.body.note }},{{ $json.body.at }}";
  const refused = 'invalid input syntax for type timestamp: "how are you?"';

  test("are reported as split at a comma in a value", () => {
    expect(findingOn(start({ note: "Hello, how are you?" }), insert(withComma, refused))).toMatchObject({
      cause: "database",
      field: "body.note",
      sentence: expect.stringContaining("splits its query parameters at every comma"),
    });
  });

  test.each([
    ["they are a list", "={{ [ $json.body.note, $json.body.at ] }}", refused],
    ["another value was refused", withComma, 'invalid input syntax for type timestamp: "soon"'],
  ])("are not if %s", (_, text, message) => {
    expect(findingOn(start({ note: "Hello, how are you?" }), insert(text, message)).sentence).not.toContain(
      "comma",
    );
  });
});

describe("a connection to a server that begins without TLS", () => {
  const OPENSSL = "40CD4CE0517F0000:error:0A00010B:SSL routines:f:wrong version number:../record.c:77:\n";
  const failed = (message: string): Step => ({
    name: "Send",
    type: `${BASE}emailSend`,
    error: { name: "NodeApiError", message, httpCode: "ESOCKET", messages: [message] },
  });

  test("is explained for mail by port and credential", () => {
    const { cause, sentence } = findingOn(start({}), failed(OPENSSL));
    expect([cause, sentence]).toEqual(["certificate", expect.stringContaining("STARTTLS")]);
  });

  test("is explained for the web by https", () => {
    expect(findingOn(start({}), failed(`write EPROTO ${OPENSSL}`)).sentence).toContain("called by https");
  });

  test("is not assumed for any other broken connection", () => {
    expect(findingOn(start({}), failed("Unexpected socket close")).cause).toBe("connection");
  });
});

describe("a pagination with identical responses", () => {
  const fetched = (value: string): Step => ({
    name: "Fetch",
    type: `${BASE}httpRequest`,
    parameters: {
      options: { pagination: { pagination: { parameters: { parameters: [{ name: "page", value }] } } } },
    },
    error: {
      name: "NodeOperationError",
      message: "The returned response was identical 5x, so requests got stopped",
    },
  });

  test("is explained by its fixed page number", () => {
    expect(findingOn(start({}), fetched("1")).sentence).toContain('"page" has a fixed value');
  });

  test("without a fixed page number is said not to have ended", () => {
    expect(findingOn(start({}), fetched("={{ $pageCount + 1 }}")).sentence).toContain(
      "its pagination did not end",
    );
  });
});

describe("a field with a dot in its name", () => {
  const line: Step = {
    name: "Line",
    type: `${BASE}set`,
    parameters: { assignments: { assignments: [{ name: "sku", value: "={{ $json.data.line.sku }}" }] } },
    sent: [[{ sku: null }]],
  };
  const split = (json: object): Step => ({ name: "Split", type: `${BASE}splitOut`, sent: [[json]] });

  test("is not taken for a path into an object", () => {
    expect(findingOn(start({}), split({ "data.line": { sku: "X1" } }), line)).toMatchObject({
      cause: "field_empty",
      confidence: "likely",
      sentence: expect.stringContaining("its dot is part of the name"),
    });
  });

  test("is not assumed for a field that is merely missing", () => {
    const { confidence, sentence } = findingOn(start({}), split({ data: { row: 1 } }), line);
    expect([confidence, sentence]).toEqual(["observed", expect.not.stringContaining("dot")]);
  });
});

describe("a boolean condition on a text", () => {
  const decided = (options: object, type = "boolean"): Step => ({
    name: "Skip?",
    type: `${BASE}if`,
    parameters: {
      conditions: { options, conditions: [{ leftValue: "={{ $json.body.off }}", operator: { type } }] },
    },
    sent: [[{ body: { off: "false" } }], []],
  });
  const next: Step = { name: "Skip", sent: [[{ skipped: true }]] };
  const loose = { typeValidation: "loose", version: 1 };

  test('takes "false" for true in version 1', () => {
    expect(findingOn(start({ off: "false" }), decided(loose), next)).toMatchObject({
      cause: "mistaken_type",
      field: "body.off",
    });
  });

  test.each([
    ["from version 2 on", { off: "false" }, decided({ ...loose, version: 2 })],
    ["with strict types", { off: "false" }, decided({ ...loose, typeValidation: "strict" })],
    ["of string type", { off: "false" }, decided(loose, "string")],
    ["on another text", { off: "yes" }, decided(loose)],
    ["on a boolean", { off: false }, decided(loose)],
  ])("is not blamed %s", (_, body, step) => {
    expect(findingOn(start(body), step, next).cause).toBe("nothing_found");
  });
});

describe("an agent stopped by arguments that a tool's schema rejects", () => {
  const agent = (message: string): Step => ({
    name: "Agent",
    type: "@n8n/n8n-nodes-langchain.agent",
    error: { name: "NodeOperationError", message, description: "Original error: ToolInputParsingException" },
  });
  const tool: Step = {
    name: "stock",
    type: `${BASE}httpRequestTool`,
    parameters: { url: "={{ $fromAI('item') }}" },
    after: ["Agent"],
    connection: "ai_tool",
  };
  const REFUSED = "Received tool input did not match expected schema\n\n\u2716 ";

  test.each(["Required", "Invalid input: expected string, received undefined"])(
    "is explained by the missing argument: %s",
    (said) => {
      const { finding, evidence } = explain(
        steppedExecution([start({}), agent(`${REFUSED}${said}\n  \u2192 at item`), tool]),
      );
      expect(finding.sentence).toBe(
        'Agent "Agent" stopped because the model called a tool without "item", which its schema requires.',
      );
      expect(evidence.map(({ cause }) => cause)).not.toContain("agent_calls");
    },
  );

  test("shows no argument's name that the workflow does not mention", () => {
    const { sentence } = findingOn(start({}), agent(`${REFUSED}Required\n  \u2192 at secret`), tool);
    expect(sentence).toContain("arguments that its schema refuses");
  });
});

test("the reason of an unsuccessful response is read from its errors", () => {
  const answer = { success: false, errors: [{ code: "602", message: "Access token expired" }] };
  const ask: Step = { name: "Ask", type: `${BASE}httpRequest`, sent: [[answer]] };
  expect(findingOn(start({}), ask, { name: "Count", sent: [[{ leads: 0 }]] })).toMatchObject({
    cause: "reported_failure",
    said: "Access token expired",
  });
});

test("a sub-workflow that returned nothing is named with the node where it ended", () => {
  const below = steppedExecution([
    { name: "Asked", type: `${BASE}executeWorkflowTrigger`, sent: [[{ price: 0 }]] },
    { name: "Filter", type: `${BASE}filter`, sent: [[], [{ price: 0 }]] },
  ]);
  const data = { ...below.data, resultData: { ...below.data?.resultData, lastNodeExecuted: "Filter" } };
  const view = viewOf({ ...below, id: "8", data });
  const execution = steppedExecution([
    start({}),
    { name: "Call", type: `${BASE}executeWorkflow`, sent: [[]] },
    { name: "Notify", type: `${BASE}slack` },
  ]);
  const called = [{ nodeName: "Call", view, fact: factsOf(view).root }];
  const { sentence } = explain(execution, { called }).finding;
  expect(sentence).toContain('The sub-workflow that it called (execution 8) ended at "Filter".');
  expect(explain(execution).finding.sentence).toMatch(/"Notify" did not run\.$/);
});
