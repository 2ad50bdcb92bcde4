/** Runs of agents in forms that no recording has: in parallel with nested ones, cut off, in circles, of nothing known. */
import { describe, expect, test } from "vitest";
import { agentRunsOf, findingsOf } from "../../../src/executions/agent-run/agent-run.ts";
import { troubleSentence } from "../../../src/executions/agent-run/wording.ts";
import { executionWithData } from "../../../src/n8n/schemas.ts";

const LANGCHAIN = "@n8n/n8n-nodes-langchain";
const TYPES = {
  Agent: "agent",
  Helper: "agentTool",
  Model: "lmChatOpenAi",
  "Model of Helper": "lmChatOpenAi",
  Tool: "toolCode",
};

interface Run {
  readonly node: string;
  readonly index: number;
  readonly by?: string;
  readonly type?: string;
  readonly json?: object;
  readonly more?: object;
}

function executionOf(runs: readonly Run[], facts: object = {}) {
  const runData: Record<string, object[]> = {};
  for (const { node, index, by, type = "main", json = {}, more = {} } of runs)
    runData[node] = [
      ...(runData[node] ?? []),
      {
        startTime: 1_790_000_000_000 + index,
        executionTime: 1,
        executionIndex: index,
        executionStatus: "success",
        source: by === undefined ? [] : [{ previousNode: by, previousNodeRun: 0 }],
        data: { [type]: [[{ json }]] },
        ...more,
      },
    ];
  const nodes = Object.entries(TYPES).map(([name, type]) => ({
    name,
    type: `${LANGCHAIN}.${type}`,
    onError: "stopWorkflow",
  }));
  return executionWithData.parse({
    id: "1",
    workflowId: "w",
    mode: "webhook",
    status: "success",
    workflowData: { name: "Orders", nodes },
    data: { resultData: { runData } },
    ...facts,
  });
}

const asks = (finish: string) => ({
  response: { generations: [[{ text: "", generationInfo: { finish_reason: finish } }]] },
});
const model = (index: number, finish: string, by = "Agent", node = "Model"): Run => ({
  node,
  index,
  by,
  type: "ai_languageModel",
  json: asks(finish),
});
const tool = (index: number, node = "Tool", by = "Agent"): Run => ({
  node,
  index,
  by,
  type: "ai_tool",
  json: { response: 1 },
});

const namesOf = (execution: ReturnType<typeof executionOf>) =>
  agentRunsOf(execution).map(({ agent }) => [
    agent.nodeName,
    agent.depth,
    agent.calls.map(({ nodeName }) => nodeName),
  ]);

test("a nested agent that was called first comes first, though n8n keeps its last pass alone", () => {
  const execution = executionOf([
    model(1, "tool_calls"),
    model(2, "tool_calls", "Helper", "Model of Helper"),
    tool(3),
    tool(4, "Tool", "Helper"),
    tool(5, "Helper"),
    model(6, "stop", "Helper", "Model of Helper"),
    { node: "Agent", index: 7, by: "Webhook", json: { output: "x" } },
    model(8, "stop"),
  ]);
  expect(namesOf(execution)).toEqual([
    ["Agent", 0, ["Model", "Helper", "Tool", "Model"]],
    ["Helper", 1, ["Model of Helper", "Tool", "Model of Helper"]],
  ]);
});

describe("an agent without a run of its own", () => {
  const calls = [model(1, "tool_calls"), tool(2)];
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
      workflowData: { ...settings.workflowData, nodes: [{ name: "Agent", type: `${LANGCHAIN}.agent` }] },
    });
    expect([1_900, 2_010].map((ms) => stopOf(took(ms)))).toEqual(["canceled", "time_limit"]);
  });
});

describe("what is no execution of n8n's", () => {
  test("calls in a circle end", () => {
    expect(() =>
      agentRunsOf(executionOf([tool(1, "Agent", "Helper"), tool(2, "Helper", "Agent")])),
    ).not.toThrow();
    expect(() => agentRunsOf(executionOf([tool(1, "Agent", "Agent")]))).not.toThrow();
  });

  test("agents below agents, ten thousand deep", () => {
    const chain = Array.from({ length: 10_000 }, (_run, index) =>
      tool(index + 1, `A${index + 1}`, `A${index}`),
    );
    expect(agentRunsOf(executionOf(chain)).length).toBeGreaterThan(10);
  });

  test.each<[string, object]>([
    ["text", { json: "text" }],
    ["lists", { json: { response: { generations: "none" }, tokenUsage: [1] } }],
    ["counts that are none", { json: { tokenUsage: { promptTokens: -1, completionTokens: 0.5 } } }],
  ])("a model that sent %s counts, with no tokens", (_name, item) => {
    const more = { data: { ai_languageModel: [[item]] } };
    const [run] = agentRunsOf(executionOf([{ ...model(1, "stop"), more }]));
    expect(run?.sums).toMatchObject({ llmCalls: 1, tokens: { prompt: 0, completion: 0 } });
  });

  test("a finish reason that is not known is told as another one", () => {
    const [run] = agentRunsOf(executionOf([model(1, "call 600 123 456 at once")]));
    expect(run?.evidence.models[0]?.facts.finishReason).toBe("other");
  });
});

test("an error that is ordinary data of a tool is told as that, and stops nothing", () => {
  const execution = executionOf([
    model(1, "tool_calls"),
    { ...tool(2), json: { status: "error", data: { code: "NOT_FOUND" } } },
    { node: "Agent", index: 3, by: "Webhook", json: { output: "x" } },
    model(4, "stop"),
  ]);
  const [{ trouble } = {}, ...others] = findingsOf(agentRunsOf(execution));
  expect(others).toEqual([]);
  expect(trouble).toMatchObject({ kind: "answered_error", nodeName: "Tool", run: 0, confidence: "observed" });
  expect(trouble && troubleSentence(trouble)).toBe('"Tool" answered with an error in its data.');
});
