/**
 * What the runs below an agent are, and what the nodes are that have such runs. A run's kind is its connection type
 * (n8n's `NodeConnectionTypes`); a node's role is told from its type's name. Facts only. Pure.
 */
import { MCP_TRIGGER } from "../../n8n/workflow-callers.ts";

/** `setup`: it could not even be handed to its agent. `other`: embeddings, vector stores, retrievers, … */
export type CallKind = "model" | "tool" | "memory" | "parser" | "setup" | "other";

const KINDS: ReadonlyMap<string, CallKind> = new Map([
  ["ai_languageModel", "model"],
  ["ai_tool", "tool"],
  ["ai_memory", "memory"],
  ["ai_outputParser", "parser"],
]);

/** @returns undefined for `main` */
export function kindOfConnection(type: string): CallKind | undefined {
  return type.startsWith("ai_") ? (KINDS.get(type) ?? "other") : undefined;
}

export type CallerRole = "agent" | "chain" | "MCP server" | "node";

const langchain = (names: string): ReadonlySet<string> =>
  new Set(names.split(" ").map((name) => `@n8n/n8n-nodes-langchain.${name}`));

/** Each stands for all tools of a server. */
const MCP_CLIENTS = langchain("mcpClientTool mcpRegistryClientTool");
const AGENTS = langchain("agent agentTool");
/** They ask a model, and call no tool. */
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

/** Of what is neither agent nor chain, other rules know more. */
export const isJudged = (role: CallerRole): boolean => role === "agent" || role === "chain";

/** Whether a node of this type is reported even if it called nothing. */
export const isAlwaysReported = (nodeType: string | undefined): boolean => isJudged(roleOf(nodeType));
