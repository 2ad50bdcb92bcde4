/** Statements by a body, a model or a service are attributed to it; only what n8n itself records is certain. */
import { describe, expect, test } from "vitest";
import { reasonOf } from "../../../src/executions/causes/explain.ts";
import { executionWithData } from "../../../src/n8n/schemas.ts";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const LANGCHAIN = "@n8n/n8n-nodes-langchain";
const START: Step = { name: "Start", type: "n8n-nodes-base.webhook", sent: [[{ body: { id: 1 } }]] };
const GOES_ON = { onError: "continueRegularOutput" };

/** The causes that are stated as certain. */
function certainOf(steps: readonly Step[], facts = {}): readonly string[] {
  const { finding, evidence } = explain(steppedExecution(steps, facts));
  return [finding, ...evidence].filter(({ confidence }) => confidence === "exact").map(({ cause }) => cause);
}

describe("an error in an item", () => {
  const error = { message: "planted", name: "NodeApiError", stack: "NodeApiError: planted", status: 500 };

  test.each([
    ["from a node that continues on errors", { settings: GOES_ON, sent: [[{ error }]] }],
    ["as its only text", { settings: GOES_ON, sent: [[{ error: "planted" }]] }],
    [
      "on the error output",
      { settings: { onError: "continueErrorOutput" }, sent: [[], [{ error: "planted" }]] },
    ],
  ])("%s is attributed to the output", (_name, step) => {
    const steps = [START, { name: "Edit", type: "n8n-nodes-base.set", ...step }];
    const { finding } = explain(steppedExecution(steps));
    expect(finding).toMatchObject({ cause: "error_caught", confidence: "observed" });
    expect(finding.sentence).toContain('"Edit": its output says that it failed on its item');
    expect(reasonOf(steppedExecution(steps))).toBe(finding.sentence);
    expect(certainOf(steps)).toEqual([]);
  });

  test("returned by a sub-workflow is attributed to the output", () => {
    const call: Step = {
      name: "Call",
      type: "n8n-nodes-base.executeWorkflow",
      sent: [[{ status: "error", message: "planted" }]],
    };
    const { finding } = explain(steppedExecution([START, call]));
    expect(finding).toMatchObject({ cause: "error_as_data", confidence: "observed" });
    expect(finding.sentence).toContain("its output says");
  });

  test("is certain if n8n records it beside the item or on the run", () => {
    const edit: Step = { name: "Edit", type: "n8n-nodes-base.set", settings: GOES_ON, sent: [[{ id: 1 }]] };
    const [start, own] = [START, { ...edit, error: { name: "NodeOperationError", message: "planted" } }];
    expect(certainOf([start, own])).toEqual(["error_caught"]);
    const beside = steppedExecution([START, edit]);
    const text = JSON.stringify(beside).replace(
      '{"json":{"id":1}}',
      '{"json":{"id":1},"error":{"message":"x"}}',
    );
    const { finding } = explain(executionWithData.parse(JSON.parse(text)));
    expect(finding).toMatchObject({ cause: "error_caught", confidence: "exact" });
  });
});

describe("an agent's sentence about its iteration limit", () => {
  const OUTPUT = "Agent stopped due to max iterations.";
  const agent = (type: string): Step => ({
    name: "Agent",
    type,
    parameters: { options: { maxIterations: 1 } },
    sent: [[{ output: OUTPUT }]],
  });
  const model = (finish: string): Step => ({
    name: "Model",
    type: `${LANGCHAIN}.lmChatOpenAi`,
    connection: "ai_languageModel",
    after: ["Agent"],
    asked: { messages: [] },
    sent: [[{ response: { generations: [[{ text: OUTPUT, generationInfo: { finish_reason: finish } }]] } }]],
  });

  test("is the model's if the model said it", () => {
    const { finding } = explain(steppedExecution([START, agent(`${LANGCHAIN}.agent`), model("stop")]));
    expect(finding.cause).toBe("nothing_found");
  });

  test("is n8n's if the model called tools up to the limit", () => {
    const steps = [START, agent(`${LANGCHAIN}.agent`), model("tool_calls")];
    expect(explain(steppedExecution(steps)).finding).toMatchObject({
      cause: "agent_stopped",
      confidence: "exact",
    });
  });

  test("is attributed to the output if n8n keeps no run of a model", () => {
    const { finding } = explain(steppedExecution([START, agent(`${LANGCHAIN}.agent`)]));
    expect(finding).toMatchObject({ cause: "agent_stopped", confidence: "observed" });
    expect(finding.sentence).toContain("as its output says");
  });

  test("means nothing in a node that is no agent", () => {
    const { finding } = explain(steppedExecution([START, agent("n8n-nodes-base.set")]));
    expect(finding.cause).toBe("nothing_found");
  });
});

test("a tool's text about an error is attributed to its output", () => {
  const tool: Step = {
    name: "Shop",
    type: `${LANGCHAIN}.toolHttpRequest`,
    connection: "ai_tool",
    after: ["Agent"],
    asked: { query: "x" },
    sent: [[{ response: 'There was an error: "planted"' }]],
  };
  const agent: Step = { name: "Agent", type: `${LANGCHAIN}.agent`, sent: [[{ output: "done" }]] };
  const { finding } = explain(steppedExecution([START, agent, tool]));
  expect(finding).toMatchObject({ cause: "tool_failed", confidence: "observed" });
  expect(finding.sentence).toContain('"Shop": its output says that it failed');
});

describe("a failure", () => {
  const failing = (error: Readonly<Record<string, unknown>>, type = "n8n-nodes-base.httpRequest"): Step => ({
    name: "Call",
    type,
    error,
  });
  /** n8n's own words for internal failures. */
  const WORDS = [
    'Credential with ID "1" does not exist for type "httpBasicAuth".',
    "Task request timed out after 60 seconds",
    "self-signed certificate",
    "Unrecognized node type: n8n-nodes-base.webhook",
    "The workflow has issues and cannot be executed",
    "connect ECONNREFUSED 127.0.0.1:80",
    "The execution was canceled",
    "Received tool input did not match expected schema",
  ];

  test.each(WORDS)("for which a service answered %j is explained by its status", (text) => {
    const said = {
      message: "Bad request - please check your parameters",
      description: text,
      messages: [text],
    };
    for (const error of [said, { ...said, message: text }]) {
      const { finding, evidence } = explain(
        steppedExecution([START, failing({ name: "NodeApiError", httpCode: "400", ...error })]),
      );
      expect(finding).toMatchObject({ cause: "http_status", node: "Call", confidence: "exact" });
      expect(finding.sentence).toContain("answered 400");
      expect(evidence.filter(({ confidence, cause }) => confidence === "exact" && cause !== "item")).toEqual(
        [],
      );
    }
  });

  test.each(WORDS)("by Stop and Error with the text %j is a stop on purpose", (message) => {
    const { finding } = explain(
      steppedExecution([
        START,
        failing({ name: "NodeOperationError", message }, "n8n-nodes-base.stopAndError"),
      ]),
    );
    expect(finding.cause).toBe("stopped_on_purpose");
  });

  test.each(WORDS)("by code that throws %j is the code's own", (message) => {
    const code: Step = {
      ...failing(
        { message: `${message} [line 1]`, description: "Error", lineNumber: 1 },
        "n8n-nodes-base.code",
      ),
      parameters: { jsCode: "throw new Error($json.body.text)" },
    };
    const { finding } = explain(steppedExecution([START, code]));
    expect(finding.cause).toBe("code_threw");
  });

  test.each([
    "connect ECONNREFUSED 10.0.0.1:5432",
    "socket hang up",
    "violates check constraint",
    "violates foreign key constraint",
  ])("in which a database quotes %j is explained by the database's own words", (value) => {
    const message = `invalid input syntax for type integer: "${value}"`;
    const error = { name: "NodeOperationError", message, description: `Key (id)=(${value}) is wrong.` };
    const { finding } = explain(steppedExecution([START, failing(error, "n8n-nodes-base.postgres")]));
    expect(finding).toMatchObject({ cause: "database", confidence: "exact" });
    expect(finding.sentence).toContain("is not of the kind");
    // The code is not in the data.
    expect(finding.sentence).not.toContain("22P02");
  });

  test.each([
    "Task request timed out after 60 seconds",
    "Node ran out of memory",
    "Received tool input did not match expected schema",
    "Model output doesn't fit required format",
    "Could not connect to your MCP server",
    "Command failed: rm",
  ])("of a node that repeats %j is not attributed to what usually says so", (message) => {
    const steps = [START, failing({ name: "NodeOperationError", message }, "n8n-nodes-base.slack")];
    const { cause, confidence, sentence } = explain(steppedExecution(steps)).finding;
    expect(["runner", "tool_failed", "model"]).not.toContain(cause);
    expect(cause === "node_failed" || confidence === "observed").toBe(true);
    expect(sentence).not.toMatch(/because|runner|MCP|command/);
  });

  test("in which a service uses n8n's words about credentials is attributed to the error", () => {
    const error = { name: "NodeApiError", httpCode: "400", message: "invalid_grant" };
    const { evidence } = explain(steppedExecution([START, failing(error)]));
    expect(evidence[0]).toMatchObject({ cause: "credential", confidence: "observed" });
    expect(evidence[0]?.sentence).toContain("its error says");
  });
});

test.each([
  "Max iterations (10) reached.",
  "Received tool input did not match expected schema",
  "Model output doesn't fit required format",
])("a model's provider that says %j is explained by its status", (message) => {
  const error = { name: "NodeApiError", message, description: message, httpCode: "503" };
  const agent: Step = { name: "Agent", type: `${LANGCHAIN}.agent`, error };
  const model: Step = {
    name: "Model",
    type: `${LANGCHAIN}.lmChatOpenAi`,
    connection: "ai_languageModel",
    after: ["Agent"],
    asked: { messages: [] },
    error,
  };
  const { finding } = explain(steppedExecution([START, agent, model]));
  expect(finding).toMatchObject({ cause: "agent_stopped", node: "Model", confidence: "exact" });
  expect(finding.sentence).toContain("the model's provider failed at its own end");
});
