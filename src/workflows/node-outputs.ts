/**
 * Computes which main outputs a node has. n8n derives them from its node types, which its public API does not show; this
 * file lists the types of n8n-nodes-base and n8n-nodes-langchain (n8n 2.40) that choose between several, or have none. Pure.
 */
import { memberOf, textAt } from "../json/members.ts";
import { MCP_TRIGGER } from "../n8n/workflow-callers.ts";
import type { WorkflowNodeWithParameters } from "../n8n/workflow-schemas.ts";
import { type Connection, MAIN, type WorkflowGraph } from "./graph.ts";
import { listAt } from "./node-parameters.ts";
import { isStickyNote, shortType } from "./node-types.ts";

/** The number of outputs, by type without its package. */
const COUNTS: Readonly<Record<string, (node: WorkflowNodeWithParameters) => number>> = {
  if: () => 2,
  switch: countSwitchOutputs,
  splitInBatches: ({ typeVersion }) => (typeVersion >= 2 ? 2 : 1),
  compareDatasets: () => 4,
  dynamicCredentialCheck: () => 2,
  evaluation: ({ parameters }) => (textAt(parameters, "operation") === "checkIfEvaluating" ? 2 : 1),
  sentimentAnalysis: ({ parameters }) =>
    (textAt(parameters, "options", "categories") ?? "Positive, Neutral, Negative").split(",").length,
  stopAndError: () => 0,
  guardrails: ({ parameters }) => (textAt(parameters, "operation") === "sanitize" ? 1 : 2),
  textClassifier: ({ parameters }) =>
    listAt(parameters, "categories", "categories").length +
    (textAt(parameters, "options", "fallback") === "other" ? 1 : 0),
};

function countSwitchOutputs({ typeVersion, parameters }: WorkflowNodeWithParameters): number {
  if (typeVersion < 2) return 4;
  if (textAt(parameters, "mode") === "expression") {
    const count = memberOf(parameters, "numberOutputs") ?? memberOf(parameters, "outputsAmount");
    return typeof count === "number" ? count : 4;
  }
  const rules = listAt(parameters, "rules", typeVersion < 3 ? "rules" : "values").length;
  const fallback =
    memberOf(parameters, "options", "fallbackOutput") ?? memberOf(parameters, "fallbackOutput");
  return rules + (fallback === "extra" ? 1 : 0);
}

/** What happens when the node fails, in n8n's terms. */
export const errorHandlingOf = ({ onError, continueOnFail }: WorkflowNodeWithParameters) =>
  onError ?? (continueOnFail === true ? "continueRegularOutput" : "stopWorkflow");

/** How many main outputs a node has, not counting the error output. An unknown type has one. */
export function countRegularOutputs(node: WorkflowNodeWithParameters): number {
  if (isStickyNote(node) || node.type === MCP_TRIGGER) return 0;
  const short = shortType(node.type);
  return Object.hasOwn(COUNTS, short) ? (COUNTS[short]?.(node) ?? 1) : 1;
}

/** The index of the main output for errors, which comes after all others; null when there is none. */
export const errorOutputOf = (node: WorkflowNodeWithParameters): number | null =>
  errorHandlingOf(node) === "continueErrorOutput" ? countRegularOutputs(node) : null;

export function errorConnections(graph: WorkflowGraph, node: WorkflowNodeWithParameters): Connection[] {
  const index = errorOutputOf(node);
  return graph.outgoing(node.name, MAIN).filter(({ output }) => output === index);
}

/** The unconnected main outputs, including error outputs. A disabled node has only its first, which passes items on. */
export function openOutputs(graph: WorkflowGraph, node: WorkflowNodeWithParameters): number[] {
  const connected = new Set(graph.outgoing(node.name, MAIN).map(({ output }) => output));
  const regular = countRegularOutputs(node);
  const count = node.disabled ? Math.min(1, regular) : regular + (errorOutputOf(node) === null ? 0 : 1);
  return Array.from({ length: count }, (_one, index) => index).filter((index) => !connected.has(index));
}
