/** Builds an agent run of any length, in n8n's own form (agent 3.1 of n8n 2.40). Pure. */

export interface AgentExecutionOptions {
  /** The number of rounds, each with one model call and one tool call. */
  readonly rounds: number;
  /** The text in every prompt, tool input and answer. */
  readonly text: string;
  /** Characters of each prompt. */
  readonly promptLength?: number;
  /** Every n-th tool call fails. */
  readonly failsEvery?: number;
  /** Further keys in the tool's input and answer. */
  readonly keys?: readonly string[];
  /** The number of rows, of thirty columns each, in every tool's answer. */
  readonly rows?: number;
}

const STARTED = Date.UTC(2026, 0, 1);
const LANGCHAIN = "@n8n/n8n-nodes-langchain";

const by = (previousNode: string) => [{ previousNode, previousNodeRun: 0 }];
const items = (type: string, json: unknown) => ({ [type]: [[{ json, pairedItem: { item: 0 } }]] });

function timed(index: number, more: object): object {
  const facts = { startTime: STARTED + index * 10, executionTime: 5, executionIndex: index };
  return { ...facts, executionStatus: "success", ...more };
}

function modelRun(
  index: number,
  isLast: boolean,
  { text, promptLength = 100 }: AgentExecutionOptions,
): object {
  const generationInfo = { finish_reason: isLast ? "stop" : "tool_calls" };
  const tokenUsage = { promptTokens: 10 * index, completionTokens: 3, totalTokens: 10 * index + 3 };
  return timed(index, {
    source: by("Agent"),
    inputOverride: items("ai_languageModel", {
      messages: [`Human: ${"p".repeat(promptLength)}`],
      estimatedTokens: 7,
      options: { openai_api_key: { id: ["OPENAI_API_KEY"] } },
    }),
    data: items("ai_languageModel", { response: { generations: [[{ text, generationInfo }]] }, tokenUsage }),
  });
}

function toolRun(
  index: number,
  hasFailed: boolean,
  { text, keys = [], rows = 0 }: AgentExecutionOptions,
): object {
  const more = Object.fromEntries(keys.map((key) => [key, { [key]: text }]));
  const row = Object.fromEntries(Array.from({ length: 30 }, (_column, at) => [`column${at}`, at]));
  const list = rows === 0 ? {} : { rows: Array.from({ length: rows }, () => row) };
  const error = { name: "NodeApiError", message: text, httpCode: "503" };
  return timed(index, {
    source: by("Agent"),
    inputOverride: items("ai_tool", { query: text, options: { deep: text, list: [text, text] }, ...more }),
    data: items(
      "ai_tool",
      hasFailed ? { error: text } : { response: { found: text, more: [text, text], ...more, ...list } },
    ),
    ...(hasFailed ? { executionStatus: "error", error } : {}),
  });
}

/** @returns the answer of `GET /executions/{id}?includeData=true` */
export function agentExecution(options: AgentExecutionOptions): Record<string, unknown> {
  const { rounds, failsEvery = Number.POSITIVE_INFINITY, text } = options;
  const numbers = Array.from({ length: rounds }, (_round, index) => index);
  const nodes = [
    { name: "Webhook", type: "n8n-nodes-base.webhook" },
    {
      name: "Agent",
      type: `${LANGCHAIN}.agent`,
      typeVersion: 3.1,
      parameters: { options: { maxIterations: rounds + 1 } },
    },
    { name: "Model", type: `${LANGCHAIN}.lmChatOpenAi`, parameters: {} },
    { name: "get_stock", type: `${LANGCHAIN}.toolCode`, parameters: {} },
  ];
  const hang = (type: string) => ({ [type]: [[{ node: "Agent", type, index: 0 }]] });
  const runData = {
    Webhook: [timed(0, { source: [], data: items("main", { body: { text } }) })],
    Model: [...numbers, rounds].map((number) => modelRun(2 + number * 3, number === rounds, options)),
    get_stock: numbers.map((number) => toolRun(3 + number * 3, (number + 1) % failsEvery === 0, options)),
    Agent: [timed(1 + rounds * 3, { source: by("Webhook"), data: items("main", { output: text }) })],
  };
  return {
    id: "7",
    workflowId: "w1",
    mode: "webhook",
    status: "success",
    finished: true,
    startedAt: new Date(STARTED).toISOString(),
    stoppedAt: new Date(STARTED + 60_000).toISOString(),
    data: { resultData: { runData, lastNodeExecuted: "Agent" } },
    // n8n sends it after the data.
    workflowData: {
      id: "w1",
      name: "Orders",
      nodes,
      connections: { Model: hang("ai_languageModel"), get_stock: hang("ai_tool") },
    },
  };
}
