/** Failures from the second hold-out that were explained wrongly or vaguely; beside each, a look-alike. */
import { describe, expect, test } from "vitest";
import type { ExplainContext } from "../../../src/executions/causes/execution-view.ts";
import { factsOf } from "../../../src/executions/causes/explain.ts";
import { type Finding, toFinding } from "../../../src/executions/causes/wording/finding.ts";
import { explain } from "../../support/explain.ts";
import { thrownError, undefinedRead } from "../../support/failing-steps.ts";
import { type Flow, flowView, LOOP, type Run } from "../../support/flow-executions.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const AI = "@n8n/n8n-nodes-langchain.";
const START: Step = { name: "Start", type: `${BASE}webhook`, sent: [[{ body: { a: 1 } }]] };
const made = (...items: readonly unknown[]): Step => ({ name: "Make", sent: [items] });
const code = (jsCode: string): object => ({ jsCode });

function explained(
  steps: readonly Step[],
  facts: Readonly<Record<string, unknown>> = {},
  context?: ExplainContext,
) {
  return explain(steppedExecution(steps, facts), context);
}
const finding = (steps: readonly Step[], facts: Readonly<Record<string, unknown>> = {}) =>
  explained(steps, facts).finding;

describe("a status of crashed, which n8n 1.100 also gives to a time-out", () => {
  const facts = { status: "crashed", stoppedAt: "2026-01-01T00:00:02.003Z" };
  const workflow = { id: "w1", name: "Orders", nodes: [], connections: {} };
  const limited = { workflowData: { ...workflow, settings: { executionTimeout: 2 } } };

  test("is a time-out if the workflow ran for its time limit", () => {
    expect(finding([START], { ...facts, ...limited })).toMatchObject({ cause: "timed_out" });
  });

  test("is a crash if n8n found it after a restart", () => {
    const error = { name: "WorkflowCrashedError", message: "x" };
    const data = { resultData: { error, lastNodeExecuted: "Start", runData: {} } };
    expect(finding([START], { ...facts, ...limited, data })).toMatchObject({
      cause: "crashed",
      confidence: "exact",
    });
  });

  test("may be either if there is no sign of one", () => {
    const { confidence, sentence } = finding([START], facts);
    expect(confidence).toBe("observed");
    expect(sentence).toContain("or stopped it for a time limit");
  });
});

describe("a value of the wrong type or form", () => {
  const mapped = (error: object): Step => ({
    name: "Convert",
    type: `${BASE}executeWorkflow`,
    parameters: {
      workflowInputs: { mappingMode: "defineBelow", value: { amount: "={{ $json.body.amount }}" } },
    },
    error: {
      name: "ExpressionError",
      message: "Invalid input for 'amount' [item 0]",
      context: { itemIndex: 0 },
      ...error,
    },
  });

  test("in a mapped field is traced to where it came from", () => {
    const start = { ...START, sent: [[{ body: { amount: "planted" } }]] };
    const { cause, node, sentence } = finding([
      start,
      mapped({ description: "'amount' expects a number but we got 'planted'" }),
    ]);
    expect({ cause, node }).toEqual({ cause: "wrong_type", node: "Start" });
    expect(sentence).toContain('needs a number for "amount" from "body.amount", which is a text');
    expect(sentence).not.toContain("planted");
  });

  test("in a parameter that n8n checks is named by the parameter's key", () => {
    const step: Step = {
      name: "Check",
      type: `${BASE}jwt`,
      parameters: { text: "={{ $json.body.a }}", token: "={{ $json.body.token }}" },
      error: { name: "ExpressionError", message: "Invalid input for 'Token' [item 0]", description: "x" },
    };
    const start = { ...START, sent: [[{ body: { a: 1, token: "planted" } }]] };
    expect(finding([start, step]).sentence).toBe(
      '"Check" failed because the value of its parameter "token" is not of the form that it takes: it is made from "body.token", a text in the item that "Start" sent.',
    );
    const forged = { ...step, error: { ...step.error, message: "Invalid input for 'planted'" } };
    expect(finding([start, forged]).sentence).not.toContain("planted");
  });

  test("in place of a date is named with the word date", () => {
    const error = { name: "NodeOperationError", message: "'day' expects a dateTime but we got 'planted'" };
    const parameters = { assignments: { assignments: [{ name: "day", value: "={{ $json.day }}" }] } };
    const { sentence } = finding([
      START,
      made({ day: "planted" }),
      { name: "Set", type: `${BASE}set`, parameters, error },
    ]);
    expect(sentence).toContain('needs a date for "day" from "day"');
  });

  test("as URL is not traced to what stands in the body", () => {
    const error = { name: "NodeOperationError", message: "Invalid URL: planted. URL must start with http" };
    const parameters = { body: "={{ $json.body.a }}", url: "http:/nowhere" };
    const { sentence } = finding([START, { name: "Post", type: `${BASE}httpRequest`, parameters, error }]);
    expect(sentence).toBe('"Post" failed because its URL is not valid.');
  });

  test("as URL is found in the last of many members named url", () => {
    const error = { name: "NodeOperationError", message: "Invalid URL: undefined. URL must start with http" };
    const fixed = Array.from({ length: 25 }, () => ({ url: { value: "https://shop.example" } }));
    const parameters = { rows: [...fixed, { url: { value: "={{ $json.link }}" } }] };
    expect(
      finding([START, made({ id: 1 }), { name: "Post", type: `${BASE}httpRequest`, parameters, error }]),
    ).toMatchObject({ cause: "field_missing", field: "link" });
  });
});

describe("code", () => {
  test("that runs for each item and returns a list is explained", () => {
    const error = { message: "A 'json' property isn't an object [item 0]" };
    const parameters = { mode: "runOnceForEachItem", ...code("return []") };
    const { cause, sentence } = finding([START, { name: "Split", parameters, error }]);
    expect(cause).toBe("code_return");
    expect(sentence).toContain("one object, and no list");
  });

  test("that destructures a missing field is explained by the field", () => {
    const error = thrownError(
      "Cannot destructure property 'city' of '$json.body.address' as it is undefined.",
    );
    const parameters = code("const { city } = $json.body.address; return [{ json: { city } }]");
    expect(finding([START, { name: "Label", parameters, error }])).toMatchObject({
      cause: "field_missing",
      node: "Start",
      field: "body.address",
    });
    const other = { name: "Label", parameters: code("return reject()"), error };
    expect(finding([START, other])).toMatchObject({ cause: "node_failed", node: "Label" });
  });

  test("that makes an invalid date is explained", () => {
    const step = {
      name: "Take day",
      parameters: code("return []"),
      error: thrownError("Invalid time value", { name: "RangeError" }),
    };
    expect(finding([START, step])).toMatchObject({ cause: "invalid_request", node: "Take day" });
  });

  const reads = (jsCode: string): Step => ({
    name: "Use",
    parameters: code(jsCode),
    after: ["Start"],
    error: undefinedRead("json"),
  });

  test("that reads an item of a node that sent none is explained by that node", () => {
    const none: Step = { name: "Only open", type: `${BASE}filter`, sent: [[], [{ id: 1 }]] };
    expect(finding([START, none, reads("return $('Only open').first().json.id")])).toMatchObject({
      cause: "input_missing",
      node: "Only open",
      failedNode: "Use",
    });
  });

  test("is not explained by a node that sent items, nor by a read with ?.", () => {
    const some: Step = { name: "Only open", type: `${BASE}filter`, sent: [[{ id: 1 }]] };
    expect(finding([START, some, reads("return $('Only open').first().json.id")]).cause).toBe("node_failed");
    const none: Step = { ...some, sent: [[]] };
    expect(finding([START, none, reads("return $('Only open').first()?.json.id")]).cause).toBe("node_failed");
  });

  const answered = thrownError("Request failed with status code 404", { name: "AxiosError" });

  test("whose request was rejected is explained by the status", () => {
    const parameters = code("return await this.helpers.httpRequest({ url: 'http://x.example' })");
    expect(finding([START, { name: "Ask", parameters, error: answered }])).toMatchObject({
      cause: "http_status",
    });
  });

  test.each([
    "const e = new Error('x'); e.name = 'AxiosError'; throw e; httpRequest()",
    "return Promise.reject(made)",
    "return 1",
  ])("is not explained by a status that it may have made up: %s", (jsCode) => {
    const { cause } = finding([START, { name: "Ask", parameters: code(jsCode), error: answered }]);
    expect(cause).not.toBe("http_status");
  });

  test("in n8n 1.x, which keeps no class, is not explained by words that nodes use", () => {
    const error = { lineNumber: 1, message: "Invalid order, not found [line 1]", description: "Error" };
    const { cause } = finding([
      START,
      { name: "Ask", parameters: code("return Promise.reject(made)"), error },
    ]);
    expect(cause).toBe("node_failed");
  });
});

describe("services and sub-nodes", () => {
  test.each([
    ["The returned response was identical 5x, so requests got stopped", "NodeApiError", /pagination/],
    ["Data table with ID 'planted' could not be found in this project", "NodeOperationError", /data table/],
    ["Feed not recognized as RSS 1 or 2.", "NodeOperationError", /format/],
    ['Unsupported archive format ".txt" for binary data data', "NodeOperationError", /format/],
  ])("a known error text is explained: %s", (message, name, says) => {
    const { cause, sentence } = finding([
      START,
      { name: "Read", type: `${BASE}other`, error: { name, message } },
    ]);
    expect(cause).toBe("invalid_request");
    expect(sentence).toMatch(says);
    expect(sentence).not.toContain("planted");
  });

  test("Python that n8n 1.x does not run is explained by the runner", () => {
    const error = {
      message: "To use native Python, please use runners by setting `N8N_RUNNERS_ENABLED=true`.",
    };
    expect(finding([START, { name: "Count", error }])).toMatchObject({ cause: "runner" });
  });

  test("an endless redirect is a problem of the connection", () => {
    const error = { name: "NodeApiError", message: "x", code: "ERR_FR_TOO_MANY_REDIRECTS" };
    expect(finding([START, { name: "Get", type: `${BASE}httpRequest`, error }])).toMatchObject({
      cause: "connection",
    });
  });

  test("a status in the text of a model's library is read, but not in another node's text", () => {
    const error = { name: "NodeOperationError", message: "404 No such path: /planted" };
    const embeddings: Step = { name: "Embed", type: `${AI}embeddingsOpenAi`, error };
    const { cause, sentence } = finding([START, embeddings]);
    expect(cause).toBe("model");
    expect(sentence).toMatch(/answered 404/);
    expect(finding([START, { ...embeddings, type: `${BASE}stopper` }]).cause).not.toBe("http_status");
  });

  test("a sub-node's failure that ended the execution is not said to have been passed to its parent", () => {
    const error = { name: "NodeOperationError", message: "x" };
    const store: Step = { name: "Store", type: `${AI}vectorStoreInMemory`, error };
    const embed: Step = {
      name: "Embed",
      type: `${AI}embeddingsOpenAi`,
      error,
      connection: "ai_embedding",
      after: ["Store"],
    };
    const data = { resultData: { error, lastNodeExecuted: "Embed" } };
    const execution = steppedExecution([START, store, embed]);
    const resultData = { ...execution.data?.resultData, ...data.resultData };
    const { evidence } = explain({ ...execution, data: { ...execution.data, resultData } });
    expect(evidence.map(({ sentence }) => sentence).join()).not.toMatch(/was told|went on/);
  });
});

describe("sub-workflows", () => {
  const call = (error: object): Step => ({
    name: "Call",
    type: `${BASE}executeWorkflow`,
    error: { ...error },
  });
  const below = {
    executionId: "9",
    workflowName: "Book",
    fact: { kind: "code_threw", node: "Book", line: null },
  } as const;

  test("called for each item are explained with the item that failed", () => {
    const step = call({
      name: "NodeOperationError",
      message: "Error executing workflow with item at index 1",
    });
    const steps = [START, made({ a: 1 }, { a: 2 }, { a: 3 }), step];
    expect(finding(steps)).toMatchObject({ cause: "sub_workflow_failed", node: "Call" });
    expect(finding(steps).sentence).toContain("for item 2 of 3");
    expect(explained(steps, {}, { failedBelow: [below] }).finding).toMatchObject({
      node: "Book",
      executionId: "9",
    });
  });

  const timedOut = { executionId: "9", message: "The execution was cancelled because it timed out" };

  test("stopped by their time limit are explained so once it is known that no node failed", () => {
    const step = call(timedOut);
    expect(explained([START, step], {}, { failedBelow: [] }).finding.sentence).toContain(
      "took longer than its time limit",
    );
    expect(finding([START, step]).sentence).toContain("the sub-workflow it called failed");
  });

  test.each([
    { ...timedOut, name: "NodeOperationError" },
    { ...timedOut, message: `${timedOut.message} [line 1]` },
  ])("are not said to have timed out if one of their nodes said so: %j", (error) => {
    const { sentence } = explained([START, call(error)], {}, { failedBelow: [] }).finding;
    expect(sentence).not.toContain("took longer");
  });
});

describe("successes", () => {
  const findingOnLoop = (rounds: number, reachesEnd: boolean, count = 3): Finding => {
    const codeNode = { type: `${BASE}code` };
    const flow: Flow = {
      nodes: { Orders: codeNode, Each: LOOP, Check: codeNode, Report: codeNode },
      main: { Orders: [["Each"]], Each: [["Report"], ["Check"]], Check: [["Each"]] },
    };
    const items = Array.from({ length: count }, (_, index) => ({ id: index + 1 }));
    const loopRuns = items.slice(0, rounds).flatMap((item, round): Run[] => [
      { node: "Each", from: [round === 0 ? ["Orders"] : ["Check", 0, round - 1]], outputs: [[], [item]] },
      { node: "Check", from: [["Each", 1, round]], outputs: [[item]] },
    ]);
    const end: Run = { node: "Each", from: [["Check", 0, rounds - 1]], outputs: [items, []] };
    const runs = [{ node: "Orders", outputs: [items] }, ...loopRuns, ...(reachesEnd ? [end] : [])];
    return toFinding(factsOf(flowView(flow, runs)).root);
  };

  test("in which a loop was left early are only observed", () => {
    const { cause, node, confidence, sentence } = findingOnLoop(2, false);
    expect({ cause, node, confidence }).toEqual({ cause: "dropped", node: "Each", confidence: "observed" });
    expect(sentence).toContain('after 2 of 3 items: in turn 2 nothing came back to it after "Check"');
  });

  test("in which a loop came to its end are not reported", () => {
    expect(findingOnLoop(3, true)).toMatchObject({ cause: "nothing_found" });
    // The loop was reset, and still came to its end.
    expect(findingOnLoop(2, true)).toMatchObject({ cause: "nothing_found" });
    // The last of so many rounds are not read.
    expect(findingOnLoop(300, true, 300)).toMatchObject({ cause: "nothing_found" });
  });

  test("in which an agent's error was handled by a branch also say why the agent stopped", () => {
    const agent: Step = {
      name: "Assistant",
      type: `${AI}agent`,
      settings: { onError: "continueErrorOutput" },
      sent: [[], [{ error: "planted" }]],
    };
    const model: Step = {
      name: "Model",
      type: `${AI}lmChatOpenAi`,
      connection: "ai_languageModel",
      after: ["Assistant"],
      error: { name: "NodeApiError", message: "x", httpCode: "500" },
    };
    const sorry: Step = { name: "Apologize", sent: [[{}]], after: [["Assistant", 1]] };
    const explanation = explained([START, agent, model, sorry], { status: "success" });
    expect(explanation.finding).toMatchObject({ cause: "error_handled", node: "Assistant" });
    expect(explanation.evidence.map(({ cause }) => cause)).toContain("agent_stopped");
  });
});

test("a disabled node is named beside a missing field", () => {
  const off: Step = { ...made({ net: 1 }), name: "Load rate", settings: { disabled: true } };
  const error = undefinedRead("value");
  const { evidence } = explained([
    START,
    made({ net: 1 }),
    off,
    { name: "Tax", parameters: code("return $json.rate.value"), error },
  ]);
  expect(evidence).toContainEqual(expect.objectContaining({ cause: "node_disabled", node: "Load rate" }));
});
