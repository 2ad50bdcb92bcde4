/** Runs of agents in forms that no recording has: in parallel with nested ones, cut off, in circles, of nothing known. */
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

test("a nested agent that was called first comes first, though n8n keeps its last pass alone", () => {
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
  ])("of an execution with %o", (facts, reason) => {
    expect(stopOf(facts)).toBe(reason);
  });

  test("was stopped by the time limit only when it took as long", () => {
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

describe("what is no execution of n8n's", () => {
  test("calls in a circle end", () => {
    expect(() =>
      agentRunsOf(executionOf([toolRun(1, "Agent", "Helper"), toolRun(2, "Helper", "Agent")])),
    ).not.toThrow();
    expect(() => agentRunsOf(executionOf([toolRun(1, "Agent", "Agent")]))).not.toThrow();
  });

  test("agents below agents, ten thousand deep", () => {
    const chain = Array.from({ length: 10_000 }, (_run, index) =>
      toolRun(index + 1, `A${index + 1}`, `A${index}`),
    );
    expect(agentRunsOf(executionOf(chain)).length).toBeGreaterThan(10);
  });

  test.each<[string, object]>([
    ["text", { json: "text" }],
    ["lists", { json: { response: { generations: "none" }, tokenUsage: [1] } }],
    ["counts that are none", { json: { tokenUsage: { promptTokens: -1, completionTokens: 0.5 } } }],
  ])("a model that sent %s counts, with no tokens", (_name, item) => {
    const more = { data: { ai_languageModel: [[item]] } };
    const [run] = agentRunsOf(executionOf([{ ...modelRun(1, "stop"), more }]));
    expect(run?.sums).toMatchObject({ llmCalls: 1, tokens: { prompt: 0, completion: 0 } });
  });

  test("a finish reason that is not known is told as another one", () => {
    const [run] = agentRunsOf(executionOf([modelRun(1, "call 600 123 456 at once")]));
    expect(run?.evidence.models[0]?.facts.finishReason).toBe("other");
  });
});

test("an error that is ordinary data of a tool is told as that, and stops nothing", () => {
  const execution = executionOf([
    modelRun(1, "tool_calls"),
    { ...toolRun(2), json: { status: "error", data: { code: "NOT_FOUND" } } },
    agentRun(3),
    modelRun(4, "stop"),
  ]);
  const [{ trouble } = {}, ...others] = findingsOf(agentRunsOf(execution));
  expect(others).toEqual([]);
  expect(trouble).toMatchObject({ kind: "answered_error", nodeName: "Tool", run: 0, confidence: "observed" });
  expect(trouble && troubleSentence(trouble)).toBe('"Tool" answered with an error in its data.');
});
