/**
 * One workflow for each kind of agent run, with its model's script and the bodies to send.
 * Afterwards all are published, and their webhooks answer. A kind runs once for each body.
 */
import { randomUUID } from "node:crypto";
import {
  agentNode,
  agentVersions,
  agentWith,
  chatModel,
  createModelCredential,
  hang,
  type SubNode,
} from "./agent-parts.ts";
import { SCRIPTS, type ScriptName } from "./agent-scripts.ts";
import type { RunningN8n } from "./boot.ts";
import type { Script, ScriptedModel } from "./scripted-model.ts";
import { chained, createWorkflow, type Definition, waitForWebhook } from "./seed.ts";
import {
  branch,
  type Connections,
  chain,
  code,
  node,
  subWorkflowStart,
  type WorkflowNode,
  webhook,
} from "./workflow-parts.ts";

export interface AgentKind {
  /** Includes the agent's version. Also the path of its webhook. */
  readonly name: string;
  readonly workflowId: string;
  readonly bodies: readonly unknown[];
}

interface PlannedKind {
  readonly name: string;
  /** The steps after the webhook, in a chain. */
  readonly steps: readonly WorkflowNode[];
  readonly subNodes: readonly SubNode[];
  readonly bodies?: readonly unknown[];
  readonly settings?: Record<string, unknown>;
  /** Replaces the chain of steps. */
  readonly main?: Connections;
}

/** The services and credentials of the kinds. */
interface Parts {
  readonly version: number;
  readonly agentToolVersion: number;
  /** `dead`: nothing listens at its URL. */
  readonly model: (script: ScriptName | "dead", more?: ModelOptions) => WorkflowNode;
  readonly mcpUrl: string;
  readonly brokenMcpUrl: string;
  readonly statusUrl: string;
  readonly subWorkflowId: string;
  readonly failingSubWorkflowId: string;
}

interface ModelOptions {
  readonly name?: string;
  readonly counted?: false;
  readonly timeoutMs?: number;
}

/** A port on which nothing listens. */
const DEAD_URL = "http://127.0.0.1:1";
const MCP_PATH = "agents-mcp";
const RUN = [{ requestId: "agent-1", question: "How many lamps?" }];
const ITEM_SCHEMA = { type: "object", properties: { item: { type: "string" } }, required: ["item"] };

export const agentScripts = new Map<string, Script>(Object.entries(SCRIPTS));

/** @param statusUrl answers with the status at the end of its path, and an error */
export async function seedAgentKinds(
  n8n: RunningN8n,
  model: ScriptedModel,
  statusUrl: string,
): Promise<readonly AgentKind[]> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const { version } = n8n.installation;
  const subWorkflowId = await createWorkflow(
    n8n,
    access,
    subWorkflow("Stock of a shop", "return [{ json: { stock: 12 } }]"),
  );
  const failingSubWorkflowId = await createWorkflow(n8n, access, subWorkflow("Stock that fails", THROW));
  await createWorkflow(n8n, access, mcpServer());
  const modelOf = await createModels(n8n, model);
  const planned = agentVersions[version].flatMap((agentVersion) =>
    kindsOf({
      version: agentVersion,
      // n8n 1.123 has agent 3, but no agent tool of that version.
      agentToolVersion: agentVersion > 3 ? 3 : 2.2,
      model: modelOf,
      mcpUrl: `${n8n.baseUrl}/mcp/${MCP_PATH}`,
      brokenMcpUrl: `${DEAD_URL}/mcp`,
      statusUrl,
      subWorkflowId,
      failingSubWorkflowId,
    }),
  );
  const kinds: AgentKind[] = [];
  for (const { name, steps, subNodes, bodies = RUN, settings, main } of planned) {
    const nodes = [webhook(name, "lastNode"), ...steps, ...subNodes.map((each) => each.node)];
    const connections = {
      ...(main ?? chain("Webhook", ...steps.map((each) => each.name))),
      ...hang(subNodes),
    };
    const definition: Definition = {
      name,
      nodes,
      connections,
      ...(settings === undefined ? {} : { settings }),
    };
    kinds.push({ name, workflowId: await createWorkflow(n8n, access, definition), bodies });
  }
  for (const { name } of kinds) await waitForWebhook(n8n, name);
  return kinds;
}

/** One credential per script, as the URL selects the script. */
async function createModels(n8n: RunningN8n, model: ScriptedModel): Promise<Parts["model"]> {
  const ids = new Map<string, string>();
  for (const script of agentScripts.keys())
    ids.set(script, await createModelCredential(n8n, model.urlOf(script)));
  ids.set("uncounted", await createModelCredential(n8n, model.uncountedUrlOf("stock")));
  ids.set("dead", await createModelCredential(n8n, `${DEAD_URL}/v1`));
  return (script, { name = "Model", counted = true, timeoutMs } = {}) => {
    const id = ids.get(counted ? script : "uncounted") ?? "";
    return chatModel(name, id, { maxRetries: 0, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }) });
  };
}

const THROW = 'throw new Error("Stock of lamps is gone for Ana.")';

function subWorkflow(name: string, jsCode: string): Definition {
  return { ...chained(name, subWorkflowStart(), code("Look up", jsCode)), calledOnly: true };
}

function mcpServer(): Definition {
  const trigger = node("MCP Server Trigger", "@n8n/n8n-nodes-langchain.mcpTrigger", 2, {
    path: MCP_PATH,
    authentication: "none",
  });
  const tools = [codeTool("get_stock", 'return "12 in stock"'), codeTool("get_price", THROW)];
  return {
    name: "MCP server of the agents",
    nodes: [{ ...trigger, webhookId: randomUUID() }, ...tools],
    connections: hang(tools.map((tool) => ({ of: trigger.name, as: "ai_tool", node: tool }))),
  };
}

function codeTool(name: string, jsCode: string): WorkflowNode {
  return node(name, "@n8n/n8n-nodes-langchain.toolCode", 1.2, {
    name,
    description: "Says how many are in stock",
    jsCode,
    specifyInputSchema: true,
    schemaType: "manual",
    inputSchema: JSON.stringify(ITEM_SCHEMA),
  });
}

function workflowTool(workflowId: string): WorkflowNode {
  return node("get_stock", "@n8n/n8n-nodes-langchain.toolWorkflow", 2.2, {
    description: "Says how many are in stock",
    workflowId: { __rl: true, mode: "id", value: workflowId },
    workflowInputs: {
      mappingMode: "defineBelow",
      value: { item: "={{ $fromAI('item', 'which', 'string') }}" },
      schema: [],
    },
  });
}

function httpTool(url: string): WorkflowNode {
  return node("get_stock", "n8n-nodes-base.httpRequestTool", 4.2, {
    toolDescription: "Says how many are in stock",
    method: "GET",
    url: `=${url}/{{ $fromAI('item', 'which', 'string') }}/500`,
    options: {},
  });
}

function mcpClient(url: string): WorkflowNode {
  return node("Shop", "@n8n/n8n-nodes-langchain.mcpClientTool", 1.2, {
    endpointUrl: url,
    serverTransport: "httpStreamable",
    authentication: "none",
    include: "all",
    options: { timeout: 5_000 },
  });
}

function agentTool(name: string, version: number): WorkflowNode {
  return node(name, "@n8n/n8n-nodes-langchain.agentTool", version, {
    toolDescription: "Does what it is told",
    text: "={{ $fromAI('task', 'what to do', 'string') }}",
    options: {},
  });
}

interface AgentOptions {
  readonly name?: string;
  readonly text?: string;
  readonly maxIterations?: number;
  readonly hasOutputParser?: true;
  readonly needsFallback?: true;
}

function agentOf(version: number, given: AgentOptions = {}): WorkflowNode {
  const {
    name = "Agent",
    text = "={{ $json.body.question }}",
    maxIterations,
    hasOutputParser,
    needsFallback,
  } = given;
  return agentNode(name, version, text, {
    ...(hasOutputParser === undefined ? {} : { hasOutputParser }),
    ...(needsFallback === undefined ? {} : { needsFallback }),
    options: maxIterations === undefined ? {} : { maxIterations },
  });
}

const stockTool = (): WorkflowNode => codeTool("get_stock", 'return "12 in stock"');

function kindsOf(parts: Parts): PlannedKind[] {
  const suffix = String(parts.version).replace(".", "-");
  return [...toolKinds(parts), ...modelKinds(parts), ...shapeKinds(parts)].map((kind) => ({
    ...kind,
    name: `${kind.name}-${suffix}`,
  }));
}

/** Kinds by the course of the agent and its tools. */
function toolKinds(parts: Parts): PlannedKind[] {
  const { version, model } = parts;
  const one = (
    name: string,
    script: ScriptName,
    tools: readonly WorkflowNode[],
    options: AgentOptions = {},
  ): PlannedKind => ({
    name,
    steps: [agentOf(version, options)],
    subNodes: agentWith(model(script), ...tools),
  });
  const price = codeTool("get_price", 'return "30 euros"');
  return [
    one("done-at-once", "done", [stockTool()]),
    one("two-tools", "stock-then-price", [stockTool(), price]),
    one("parallel-tools", "both-at-once", [stockTool(), price]),
    one("code-tool-fails", "stock", [codeTool("get_stock", THROW)]),
    one("http-tool-500", "stock", [httpTool(parts.statusUrl)]),
    one("workflow-tool", "stock", [workflowTool(parts.subWorkflowId)]),
    one("workflow-tool-fails", "stock", [workflowTool(parts.failingSubWorkflowId)]),
    one("no-such-tool", "no-such-tool", [stockTool()]),
    one("refused-arguments", "wrong-arguments", [stockTool()]),
    one("max-iterations", "always-stock", [stockTool()], { maxIterations: 2 }),
    one("mcp-tool", "stock", [mcpClient(parts.mcpUrl)]),
    one("mcp-tool-fails", "stock-then-price", [mcpClient(parts.mcpUrl)]),
    one("mcp-unreachable", "stock", [mcpClient(parts.brokenMcpUrl)]),
    ...(version >= 3 ? [one("thirty-calls", "thirty-calls", [stockTool()], { maxIterations: 20 })] : []),
  ];
}

/** Kinds by the answer of the model's provider. */
function modelKinds({ version, model }: Parts): PlannedKind[] {
  const one = (name: string, given: WorkflowNode, more: Partial<PlannedKind> = {}): PlannedKind => ({
    name,
    steps: [agentOf(version)],
    subNodes: agentWith(given, stockTool()),
    ...more,
  });
  const goesOn: WorkflowNode = { ...agentOf(version), onError: "continueRegularOutput" };
  return [
    one("length", model("length")),
    one("content-filter", model("filtered")),
    one("limited-later", model("limited-later")),
    one("context-too-long", model("too-long")),
    one("refused-content", model("refused-content")),
    one("model-refuses-connection", model("dead")),
    one("model-times-out", model("late", { timeoutMs: 400 })),
    one("uncounted", model("stock", { counted: false })),
    one("agent-goes-on", model("limited-later"), {
      steps: [goesOn, code("After", "return $input.all()")],
    }),
    ...(version >= 3
      ? [
          one("wrong-key", model("wrong-key")),
          one("no-quota", model("no-quota")),
          one("no-such-model", model("no-such-model")),
          one("overloaded", model("overloaded")),
          one("workflow-times-out", model("late"), { settings: { executionTimeout: 2 } }),
        ]
      : []),
  ];
}

/** Kinds by the structure of agents and sub-nodes. */
function shapeKinds(parts: Parts): PlannedKind[] {
  const { version, agentToolVersion, model } = parts;
  const agent = agentOf(version);
  const below = (of: string, as: SubNode["as"], given: WorkflowNode): SubNode => ({ of, as, node: given });
  const nested: PlannedKind = {
    name: "nested",
    steps: [agent],
    subNodes: [
      ...agentWith(model("boss"), agentTool("storekeeper", agentToolVersion)),
      below("storekeeper", "ai_languageModel", model("storekeeper", { name: "Model of storekeeper" })),
      below("storekeeper", "ai_tool", agentTool("counter", agentToolVersion)),
      below("counter", "ai_languageModel", model("counter", { name: "Model of counter" })),
      below("counter", "ai_tool", stockTool()),
    ],
  };
  const memory: PlannedKind = {
    name: "memory",
    steps: [agent],
    subNodes: [
      ...agentWith(model("stock"), stockTool()),
      below(
        "Agent",
        "ai_memory",
        node("Memory", "@n8n/n8n-nodes-langchain.memoryBufferWindow", 1.3, {
          sessionIdType: "customKey",
          sessionKey: "={{ $json.body.requestId }}",
        }),
      ),
    ],
    bodies: [...RUN, ...RUN],
  };
  const parser = node("Parser", "@n8n/n8n-nodes-langchain.outputParserStructured", 1.2, {
    schemaType: "manual",
    inputSchema: JSON.stringify({
      type: "object",
      properties: { count: { type: "number" } },
      required: ["count"],
    }),
  });
  const parserFails: PlannedKind = {
    name: "parser-fails",
    steps: [agentOf(version, { hasOutputParser: true })],
    subNodes: [
      below("Agent", "ai_languageModel", model("not-json")),
      below("Agent", "ai_outputParser", parser),
    ],
  };
  const parserServed: PlannedKind = {
    name: "parser-served",
    steps: [agentOf(version, { hasOutputParser: true })],
    subNodes: [
      below("Agent", "ai_languageModel", model("by-the-schema")),
      below("Agent", "ai_outputParser", parser),
    ],
  };
  const nestedFails: PlannedKind = {
    name: "nested-fails",
    steps: [agent],
    subNodes: [
      ...agentWith(model("boss-of-limited"), agentTool("storekeeper", agentToolVersion)),
      below("storekeeper", "ai_languageModel", model("no-quota", { name: "Model of storekeeper" })),
      below("storekeeper", "ai_tool", stockTool()),
    ],
  };
  const loop: PlannedKind = {
    name: "loop",
    steps: [
      code("Split", "return [1, 2].map((number) => ({ json: { body: { question: 'Lamp ' + number } } }))"),
      node("Loop", "n8n-nodes-base.splitInBatches", 3, { options: {} }),
      agent,
      code("Done", "return [{ json: { done: true } }]"),
    ],
    subNodes: agentWith(model("stock"), stockTool()),
    main: {
      ...chain("Webhook", "Split", "Loop"),
      ...branch("Loop", "Done", "Agent"),
      ...chain("Agent", "Loop"),
    },
  };
  const fallback: PlannedKind = {
    name: "fallback-model",
    steps: [agentOf(version, { needsFallback: true })],
    subNodes: [
      below("Agent", "ai_languageModel", model("no-quota")),
      { ...below("Agent", "ai_languageModel", model("stock", { name: "Second model" })), index: 1 },
      below("Agent", "ai_tool", stockTool()),
    ],
  };
  const twoAgents: PlannedKind = {
    name: "two-agents",
    steps: [agent, agentOf(version, { name: "Reviewer", text: "={{ $json.output }}" })],
    subNodes: [
      ...agentWith(model("stock"), stockTool()),
      below("Reviewer", "ai_languageModel", model("done", { name: "Model of Reviewer" })),
    ],
  };
  const emptyInput: PlannedKind = {
    name: "empty-prompt",
    steps: [agent],
    subNodes: agentWith(model("stock"), stockTool()),
    bodies: [{ requestId: "agent-1" }],
  };
  const twoItems: PlannedKind = {
    name: "two-items",
    steps: [
      code("Split", "return [1, 2].map((number) => ({ json: { body: { question: 'Lamp ' + number } } }))"),
      agent,
    ],
    subNodes: agentWith(model("stock"), stockTool()),
  };
  const common = [
    nested,
    nestedFails,
    memory,
    parserFails,
    parserServed,
    twoAgents,
    emptyInput,
    twoItems,
    loop,
  ];
  return version < 3 ? common : [...common, fallback, ...chainKinds(parts)];
}

function chainKinds({ model }: Parts): PlannedKind[] {
  const chainNode = (): WorkflowNode =>
    node("Summary", "@n8n/n8n-nodes-langchain.chainLlm", 1.7, {
      promptType: "define",
      text: "={{ $json.body.question }}",
      batching: {},
    });
  const one = (name: string, script: ScriptName): PlannedKind => ({
    name,
    steps: [chainNode()],
    subNodes: [{ of: "Summary", as: "ai_languageModel", node: model(script) }],
  });
  return [one("chain", "done"), one("chain-limited", "no-quota")];
}
