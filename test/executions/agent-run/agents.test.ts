/** Agent runs in forms that no recording has: parallel, nested, cut off, calling in a circle, or with malformed data. */
import { describe, expect, test } from "vitest";
import { agentRunsOf, findingsOf } from "../../../src/executions/agent-run/agent-run.ts";
import { troubleSentence } from "../../../src/executions/agent-run/wording.ts";
import {
  agentRun,
  executionOfRuns,
  type MadeRun,
  modelRun,
  type Nodes,
  readAgentRuns,
  toolRun,
  typed,
} from "../../support/agent-runs.ts";

const executionOf = (runs: readonly MadeRun[], facts: object = {}, nodes: Nodes = {}) =>
  readAgentRuns(executionOfRuns(runs, facts, nodes));

const namesOf = (execution: ReturnType<typeof executionOf>) =>
  agentRunsOf(execution).map(({ agent }) => [
    agent.nodeName,
    agent.depth,
    agent.calls.map(({ nodeName }) => nodeName),
  ]);

test("a nested agent keeps its place in the order of calls, though n8n stores only its last pass", () => {
  const execution = executionOf([
    modelRun(1, "tool_calls"),
    modelRun(2, "tool_calls", "Helper", "Model of Helper"),
    toolRun(3),
    toolRun(4, "Tool", "Helper"),
    toolRun(5, "Helper"),
    modelRun(6, "stop", "Helper", "Model of Helper"),
    agentRun(7),
    modelRun(8, "stop"),
  ]);
  expect(namesOf(execution)).toEqual([
    ["Agent", 0, ["Model", "Helper", "Tool", "Model"]],
    ["Helper", 1, ["Model of Helper", "Tool", "Model of Helper"]],
  ]);
});

describe("an agent without a run of its own", () => {
  const calls = [modelRun(1, "tool_calls"), toolRun(2)];
  const stopOf = (facts: object) => agentRunsOf(executionOf(calls, facts))[0]?.stop.reason;

  test.each([
    [{ status: "running" }, "running"],
    [{ status: "waiting" }, "running"],
    [{ status: "crashed" }, "crashed"],
    [{ status: "canceled" }, "canceled"],
    [{ status: "success" }, "unknown"],
  ])("in an execution with %o, has the stop reason %s", (facts, reason) => {
    expect(stopOf(facts)).toBe(reason);
  });

  test("was stopped by the time limit only if the execution took that long", () => {
    const settings = { workflowData: { name: "Orders", nodes: [], settings: { executionTimeout: 2 } } };
    const took = (ms: number) => ({
      status: "canceled",
      startedAt: "2026-01-01T00:00:00.000Z",
      stoppedAt: new Date(Date.UTC(2026, 0, 1) + ms).toISOString(),
      workflowData: { ...settings.workflowData, nodes: [{ name: "Agent", ...typed("agent") }] },
    });
    expect([1_900, 2_010].map((ms) => stopOf(took(ms)))).toEqual(["canceled", "time_limit"]);
  });
});

describe("data that n8n would not write", () => {
  test("agents that call each other in a circle are read without endless recursion", () => {
    expect(() =>
      agentRunsOf(executionOf([toolRun(1, "Agent", "Helper"), toolRun(2, "Helper", "Agent")])),
    ).not.toThrow();
    expect(() => agentRunsOf(executionOf([toolRun(1, "Agent", "Agent")]))).not.toThrow();
  });

  test("agents nested ten thousand deep are read", () => {
    const chain = Array.from({ length: 10_000 }, (_run, index) =>
      toolRun(index + 1, `A${index + 1}`, `A${index}`),
    );
    expect(agentRunsOf(executionOf(chain)).length).toBeGreaterThan(10);
  });

  test.each<[string, object]>([
    ["text", { json: "text" }],
    ["lists", { json: { response: { generations: "none" }, tokenUsage: [1] } }],
    ["invalid counts", { json: { tokenUsage: { promptTokens: -1, completionTokens: 0.5 } } }],
  ])("a model that sent %s counts as one call without tokens", (_name, item) => {
    const more = { data: { ai_languageModel: [[item]] } };
    const [run] = agentRunsOf(executionOf([{ ...modelRun(1, "stop"), more }]));
    expect(run?.sums).toMatchObject({ llmCalls: 1, tokens: { prompt: 0, completion: 0 } });
  });

  test("an unknown finish reason is reported as other", () => {
    const [run] = agentRunsOf(executionOf([modelRun(1, "call 600 123 456 at once")]));
    expect(run?.evidence.models[0]?.facts.finishReason).toBe("other");
  });
});

test("an error in a tool's ordinary data is a finding, but does not stop the agent", () => {
  const execution = executionOf([
    modelRun(1, "tool_calls"),
    { ...toolRun(2), json: { status: "error", data: { code: "NOT_FOUND" } } },
    agentRun(3),
    modelRun(4, "stop"),
  ]);
  const [{ trouble } = {}, ...rest] = findingsOf(agentRunsOf(execution));
  expect(rest).toEqual([]);
  expect(trouble).toMatchObject({ kind: "answered_error", nodeName: "Tool", run: 0, confidence: "observed" });
  expect(trouble && troubleSentence(trouble)).toBe('"Tool" answered with an error in its data.');
});

describe("a tool's arguments are separated from the input item, which n8n 1.123 merges in (agent version 3)", () => {
  const long = "a long text ".repeat(300);
  const input = { chatInput: "hi", email: "who asks", body: { a: 1 }, query: {}, ids: null, long };
  const webhook = (...items: object[]): MadeRun => ({
    node: "Webhook",
    index: 0,
    more: { data: { main: [items.map((json) => ({ json }))] } },
  });
  const argumentsOf = (given: object, ...runs: MadeRun[]) => {
    const inputOverride = { ai_tool: [[{ json: { ...given, toolCallId: "c1" } }]] };
    const called = { ...toolRun(4), more: { inputOverride } };
    const execution = executionOf([...runs, modelRun(3, "tool_calls"), called, agentRun(5)]);
    return agentRunsOf(execution)[0]?.evidence.tools[0]?.facts.arguments;
  };

  test.each([
    ["one named query", { ...input, query: "lamps" }, { query: "lamps" }],
    [
      "one named like a field of the input",
      { ...input, email: "other", item: "x" },
      { email: "other", item: "x" },
    ],
    ["an object where the input has an empty one", { ...input, query: { of: "x" } }, { query: { of: "x" } }],
    ["a list where the input has null", { ...input, ids: [1, 2] }, { ids: [1, 2] }],
    ["a list where the input has an object", { ...input, body: ["a"] }, { body: ["a"] }],
    ["none", input, {}],
    ["none, though a text of the input was cut in the tool's data", { email: "… [8 more bytes]" }, {}],
    ["query alone", { query: "lamps" }, { query: "lamps" }],
  ])("%s", (_name, given, shown) => {
    expect(argumentsOf(given, webhook(input))).toEqual(shown);
  });

  test("with several items, every name of the input is left out, as the item is unknown", () => {
    const given = { ...input, email: "of the second", item: "lamp" };
    expect(argumentsOf(given, webhook(input, { ...input, email: "of the second" }))).toEqual({
      item: "lamp",
    });
  });

  test("in a loop, the input is that of the agent's own round", () => {
    const later: MadeRun = { ...webhook({ ...input, email: "of the next round" }), index: 9 };
    expect(argumentsOf({ ...input, item: "lamp" }, webhook(input), later)).toEqual({ item: "lamp" });
  });
});
