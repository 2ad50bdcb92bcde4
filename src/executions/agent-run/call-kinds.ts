/**
 * The kinds of runs below an agent, and the roles of the nodes that have such runs. A run's kind is its connection type
 * (n8n's `NodeConnectionTypes`); a node's role follows from its type's name. Facts only. Pure.
 */
import { MCP_TRIGGER } from "../../n8n/workflow-callers.ts";

/** `setup`: the sub-node could not even be set up for its agent. `other`: embeddings, vector stores, retrievers, … */
export type CallKind = "model" | "tool" | "memory" | "parser" | "setup" | "other";

const KINDS: ReadonlyMap<string, CallKind> = new Map([
  ["ai_languageModel", "model"],
  ["ai_tool", "tool"],
  ["ai_memory", "memory"],
  ["ai_outputParser", "parser"],
]);

export const kindOfConnection = (type: string): CallKind => KINDS.get(type) ?? "other";

export type CallerRole = "agent" | "chain" | "MCP server" | "node";

const langchain = (names: string): ReadonlySet<string> =>
  new Set(names.split(" ").map((name) => `@n8n/n8n-nodes-langchain.${name}`));

/** Each represents all tools of a server. */
const MCP_CLIENTS = langchain("mcpClientTool mcpRegistryClientTool");
const AGENTS = langchain("agent agentTool");
/** These call a model, but no tools. */
const CHAINS = langchain(
  "chainLlm chainRetrievalQa chainSummarization informationExtractor textClassifier sentimentAnalysis guardrails",
);

export const isMcpClient = (nodeType: string | undefined): boolean =>
  nodeType !== undefined && MCP_CLIENTS.has(nodeType);

export function roleOf(nodeType: string | undefined): CallerRole {
  if (nodeType === undefined) return "node";
  if (AGENTS.has(nodeType)) return "agent";
  if (CHAINS.has(nodeType)) return "chain";
  return nodeType === MCP_TRIGGER ? "MCP server" : "node";
}

/** Other rules know more about nodes that are neither agents nor chains. */
export const isJudged = (role: CallerRole): boolean => role === "agent" || role === "chain";

/** Reported even if it called nothing. */
export const isAlwaysReported = (nodeType: string | undefined): boolean => isJudged(roleOf(nodeType));
