/** Agents, chains and their sub-nodes, with something missing or failing. */
import { chatModel, hang, modelCredential, type SubNode } from "../agent-parts.ts";
import { get, list, noOp, set } from "../kinds/parts.ts";
import { type Stage, wire } from "../kinds/stage.ts";
import type { Script } from "../scripted-model.ts";
import { code, node, type WorkflowNode } from "../workflow-parts.ts";
import { PRIVATE } from "./parts.ts";
import type { Expected, UnseenKind, UnseenParts } from "./unseen-kind.ts";

const AI = "@n8n/n8n-nodes-langchain.";

export const unseenScripts = new Map<string, Script>([
  ["says-ok", [{ text: "All is well." }]],
  [
    "asks-price",
    [{ calls: [{ tool: "get_price", args: { item: "lamp" } }] }, { text: "I could not find it." }],
  ],
  ["adds", [{ calls: [{ tool: "Calculator", args: { input: "2+3" } }] }, { text: "Five." }]],
  ["busy", [{ status: 429, error: { message: "planted: slow down", code: "rate_limit_exceeded" } }]],
  ["says-words", [{ text: "planted words, no JSON" }]],
  ["down", [{ status: 500, error: { message: "planted: broken", code: "server_error" } }]],
]);

async function modelNode(stage: Stage, url: string): Promise<WorkflowNode> {
  const id = await stage.addCredential("openAiApi", modelCredential(stage.n8n, url));
  return chatModel("Model", id, { maxRetries: 0 });
}

function joined(steps: readonly WorkflowNode[], subNodes: readonly SubNode[]) {
  const main = wire(...steps.map(({ name }, index) => `${steps[index - 1]?.name ?? "Webhook"} > ${name}`));
  return {
    nodes: [...steps, ...subNodes.map((each) => each.node)],
    connections: { ...main, ...hang(subNodes) },
  };
}

const ask = (version: number, more: Readonly<Record<string, unknown>> = {}): WorkflowNode =>
  node("Assistant", `${AI}agent`, version, {
    promptType: "define",
    text: "={{ $json.body.question ?? 'How are you?' }}",
    options: {},
    ...more,
  });

type Family = "failed" | "silent" | "ordinary";

export function agentUnseen({ model, odd, agentVersion }: UnseenParts): readonly UnseenKind[] {
  const one = (
    name: string,
    family: Family,
    script: string,
    steps: readonly WorkflowNode[],
    below: (stage: Stage) => Promise<readonly SubNode[]> | readonly SubNode[],
    expected?: Expected,
  ): UnseenKind => ({
    name,
    family,
    draft: async (stage) => {
      const own = script === "" ? [] : [await modelNode(stage, model.urlOf(script))];
      const target = steps.find(({ type }) => type.startsWith(AI))?.name ?? "";
      return joined(steps, [
        ...own.map((made) => ({ of: target, as: "ai_languageModel" as const, node: made })),
        ...(await below(stage)),
      ]);
    },
    ...(expected === undefined ? {} : { expected }),
  });
  const tool = (made: WorkflowNode): SubNode => ({ of: "Assistant", as: "ai_tool", node: made });
  const calculator = tool(node("Calculator", `${AI}toolCalculator`, 1));
  const priceTool = tool(
    node("get_price", "n8n-nodes-base.httpRequestTool", 4.2, {
      toolDescription: "Says what it costs",
      method: "GET",
      url: `=${odd.url}/lookup/{{ $fromAI('item', 'which', 'string') }}`,
      options: {},
    }),
  );
  const memory = (made: WorkflowNode): SubNode => ({ of: "Assistant", as: "ai_memory", node: made });
  return [
    one("agent-without-model", "failed", "", [ask(agentVersion)], () => [calculator], {
      roots: ["Assistant"],
      says: [/model/i],
      causes: ["model", "not_set_up", "agent_stopped", "invalid_request"],
    }),
    one(
      "agent-without-prompt",
      "failed",
      "says-ok",
      [
        set("Take order", { order: 5 }),
        ask(agentVersion, { promptType: "auto", text: "={{ $json.chatInput }}" }),
      ],
      () => [],
      {
        roots: ["Assistant", "Take order"],
        says: [/chatInput|prompt/i],
        causes: ["field_missing", "invalid_request", "not_set_up", "agent_stopped"],
      },
    ),
    one(
      "agent-memory-without-session",
      "failed",
      "says-ok",
      [ask(agentVersion)],
      () => [memory(node("Memory", `${AI}memoryBufferWindow`, 1.3, {}))],
      {
        roots: ["Memory"],
        symptoms: ["Assistant"],
        says: [/session/i],
        causes: ["invalid_request", "field_missing", "not_set_up", "node_failed", "agent_stopped"],
      },
    ),
    one(
      "agent-memory-database-refused",
      "failed",
      "says-ok",
      [ask(agentVersion)],
      async (stage) => {
        const id = await stage.addCredential("postgres", {
          host: "127.0.0.1",
          port: stage.services.deadPort,
          database: "shop",
          user: "ana",
          password: "only-for-tests",
          ssl: "disable",
          sshTunnel: false,
        });
        return [
          memory({
            ...node("Memory", `${AI}memoryPostgresChat`, 1.3, {
              sessionIdType: "customKey",
              sessionKey: "planted",
            }),
            credentials: { postgres: { id, name: "Chats" } },
          }),
        ];
      },
      {
        roots: ["Memory"],
        symptoms: ["Assistant"],
        says: [/refused the connection|ECONNREFUSED/],
        causes: ["connection", "tool_failed", "agent_stopped"],
        neverSays: [PRIVATE],
      },
    ),
    one(
      "agent-tool-answers-404",
      "silent",
      "asks-price",
      [ask(agentVersion), noOp("Tell")],
      () => [priceTool],
      {
        roots: ["get_price"],
        symptoms: ["Assistant"],
        says: [/get_price/, /fail/],
        causes: ["tool_failed"],
        neverSays: [PRIVATE],
      },
    ),
    one(
      "chain-meets-429",
      "failed",
      "busy",
      [node("Summarize", `${AI}chainLlm`, 1.7, { promptType: "define", text: "planted prompt" })],
      () => [],
      {
        roots: ["Model"],
        symptoms: ["Summarize"],
        says: [/429|rate|too many/i],
        causes: ["model", "http_status"],
        neverSays: [PRIVATE],
      },
    ),
    one(
      "extractor-gets-no-json",
      "failed",
      "says-words",
      [
        node("Read facts", `${AI}informationExtractor`, 1.2, {
          text: "planted text",
          schemaType: "fromJson",
          jsonSchemaExample: '{ "city": "Bern" }',
          options: {},
        }),
      ],
      () => [],
      {
        roots: ["Read facts", "Model"],
        says: [/pars|schema|JSON|form/i],
        causes: ["not_json", "invalid_request", "model", "agent_stopped", "node_failed"],
        neverSays: [PRIVATE],
      },
    ),
    {
      name: "embeddings-refused",
      family: "failed",
      draft: async (stage) => {
        const base = await modelNode(stage, model.urlOf("says-ok"));
        const store = node("Store pages", `${AI}vectorStoreInMemory`, 1.3, {
          mode: "insert",
          memoryKey: { __rl: true, mode: "list", value: "pages" },
        });
        const embeddings: WorkflowNode = {
          ...node("Embeddings", `${AI}embeddingsOpenAi`, 1.2, { options: { timeout: 5 } }),
          credentials: base.credentials ?? {},
        };
        const loader = node("Loader", `${AI}documentDefaultDataLoader`, 1.1, { options: {} });
        return joined(
          [list("Read pages", [{ text: "planted page" }]), store],
          [
            { of: "Store pages", as: "ai_embedding", node: embeddings },
            { of: "Store pages", as: "ai_document", node: loader },
          ],
        );
      },
      expected: {
        roots: ["Embeddings"],
        symptoms: ["Store pages"],
        says: [/404|not found|does not know/i],
        causes: ["model", "http_status"],
        neverSays: [PRIVATE, /was told|went on/],
      },
    },
    {
      name: "agent-error-is-handled",
      family: "silent",
      draft: async (stage) => {
        const made = await modelNode(stage, model.urlOf("down"));
        const agent: WorkflowNode = { ...ask(agentVersion), onError: "continueErrorOutput" };
        return {
          nodes: [agent, noOp("Tell"), set("Apologize", { text: "Later" }), made],
          connections: {
            ...wire("Webhook > Assistant", "Assistant > Tell", "Assistant.1 > Apologize"),
            Model: { ai_languageModel: [[{ node: "Assistant", type: "ai_languageModel", index: 0 }]] },
          },
        };
      },
      expected: {
        roots: ["Model", "Assistant"],
        says: [/error branch|Apologize|error output|model/i],
        causes: ["error_handled", "model"],
        neverSays: [PRIVATE],
      },
    },
    one("agent-adds", "ordinary", "adds", [ask(agentVersion), noOp("Tell")], () => [calculator]),
    one(
      "chain-answers",
      "ordinary",
      "says-ok",
      [
        node("Summarize", `${AI}chainLlm`, 1.7, { promptType: "define", text: "Say that all is well" }),
        code("Count words", "return [{ json: { words: ($json.text ?? '').split(' ').length } }]"),
      ],
      () => [],
    ),
    one(
      "agent-remembers",
      "ordinary",
      "says-ok",
      [get("Fetch orders", `${odd.url}/orders`), ask(agentVersion, { text: "How many?" })],
      () => [
        memory(
          node("Memory", `${AI}memoryBufferWindow`, 1.3, { sessionIdType: "customKey", sessionKey: "shop" }),
        ),
      ],
    ),
  ];
}
