/** Builds executions, as n8n sends them, from single runs of agents, models and tools. Pure. */
import { readBounded } from "../../src/json/bounded-reader.ts";
import { agentRunBounds } from "../../src/n8n/read-plans.ts";
import { type ExecutionWithData, executionWithData } from "../../src/n8n/schemas.ts";

const LANGCHAIN = "@n8n/n8n-nodes-langchain";

export const typed = (type: string, more: object = {}): object => ({ type: `${LANGCHAIN}.${type}`, ...more });

export type Nodes = Readonly<Record<string, object>>;

const NODES: Nodes = {
  Webhook: { type: "n8n-nodes-base.webhook" },
  Agent: typed("agent"),
  Helper: typed("agentTool"),
  Model: typed("lmChatOpenAi"),
  "Model of Helper": typed("lmChatOpenAi"),
  Tool: typed("toolCode"),
};

const CONNECTIONS = [
  ["Webhook", "main", "Agent"],
  ["Model", "ai_languageModel", "Agent"],
  ["Tool", "ai_tool", "Agent"],
  ["Helper", "ai_tool", "Agent"],
  ["Model of Helper", "ai_languageModel", "Helper"],
] as const;

export interface MadeRun {
  readonly node: string;
  /** Its position in the order of execution. */
  readonly index: number;
  readonly by?: string;
  readonly byRun?: number;
  readonly type?: string;
  readonly json?: object;
  readonly more?: object;
}

/** @returns the answer of `GET /executions/{id}?includeData=true` */
export function executionOfRuns(
  runs: readonly MadeRun[],
  facts: object = {},
  nodes: Nodes = {},
): Record<string, unknown> {
  const runData: Record<string, object[]> = {};
  for (const { node, index, by, byRun = 0, type = "main", json = {}, more = {} } of runs)
    runData[node] = [
      ...(runData[node] ?? []),
      {
        startTime: 1_790_000_000_000 + index,
        executionTime: 1,
        executionIndex: index,
        executionStatus: "success",
        source: by === undefined ? [] : [{ previousNode: by, previousNodeRun: byRun }],
        data: { [type]: [[{ json }]] },
        ...more,
      },
    ];
  const all = Object.entries({ ...NODES, ...nodes });
  const connections = CONNECTIONS.map(([name, type, node]) => [
    name,
    { [type]: [[{ node, type, index: 0 }]] },
  ]);
  return {
    id: "1",
    workflowId: "w",
    mode: "webhook",
    status: "success",
    finished: true,
    startedAt: "2026-01-01T00:00:00.000Z",
    stoppedAt: "2026-01-01T00:00:05.000Z",
    data: { resultData: { runData } },
    workflowData: {
      id: "w",
      name: "Orders",
      nodes: all.map(([name, node]) => ({ name, parameters: {}, onError: "stopWorkflow", ...node })),
      connections: Object.fromEntries(connections),
    },
    ...facts,
  };
}

export const readAgentRuns = (execution: unknown): ExecutionWithData =>
  executionWithData.parse(readBounded(new TextEncoder().encode(JSON.stringify(execution)), agentRunBounds()));

/** @param finish OpenAI's finish reason, or the generation info of another provider */
export const modelRun = (
  index: number,
  finish: string | object,
  by = "Agent",
  node = "Model",
  byRun = 0,
): MadeRun => ({
  node,
  index,
  by,
  byRun,
  type: "ai_languageModel",
  json: {
    response: {
      generations: [
        [{ text: "", generationInfo: typeof finish === "string" ? { finish_reason: finish } : finish }],
      ],
    },
  },
});

export const toolRun = (index: number, node = "Tool", by = "Agent"): MadeRun => ({
  node,
  index,
  by,
  type: "ai_tool",
  json: { response: 1 },
});

export const WEBHOOK: MadeRun = { node: "Webhook", index: 0 };

/** The same with two items. */
export const WEBHOOK_OF_TWO: MadeRun = {
  ...WEBHOOK,
  more: { data: { main: [[{ json: { a: 1 } }, { json: { a: 2 } }]] } },
};

export const agentRun = (index: number, output: unknown = "x", more: object = {}): MadeRun => ({
  node: "Agent",
  index,
  by: "Webhook",
  json: { output },
  more,
});

const failing = (error: object): object => ({ data: undefined, executionStatus: "error", error });

export const failedAgentRun = (index: number, error: object): MadeRun => ({
  ...agentRun(index),
  more: failing(error),
});

export const failedModelRun = (index: number, error: object): MadeRun => ({
  ...modelRun(index, ""),
  more: { ...failing(error), inputOverride: { ai_languageModel: [[{ json: { messages: [] } }]] } },
});
