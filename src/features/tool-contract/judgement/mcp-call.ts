/**
 * Finds the outcome of a tool call from a run of an MCP server's workflow, which n8n 2.40.5 always counts as a success.
 * Observed there: the trigger's item is `{ mcpToolCall: { toolName, arguments, sourceNodeName } }`, without
 * `sourceNodeName` if there is no such tool; the tool's node has a run for each try unless its schema refused the
 * arguments; and a run names the sub-workflow's execution (`metadata.subExecution`) unless that gave no answer. Pure.
 */
import { hasFailed, runsByNode } from "../../../executions/node-runs.ts";
import { isWithheldByN8n } from "../../../executions/withheld.ts";
import { isReadObject } from "../../../json/omitted.ts";
import type { ExecutionWithData } from "../../../n8n/schemas.ts";
import { firstJsonOf } from "./tool-answer.ts";
import { type DeclaredInput, inputsThatN8nRefuses, type WrongInput } from "./wrong-inputs.ts";

export interface CalledTool {
  readonly node: string;
  readonly inputs: readonly DeclaredInput[];
  /** A sub-workflow produces its answer. */
  readonly callsWorkflow: boolean;
}

export type McpCall =
  | { readonly kind: "answered"; readonly node: string }
  /** The tool failed, or its sub-workflow gave no answer. */
  | { readonly kind: "failed"; readonly node: string }
  /** The tool did not run, because these inputs do not match its schema. */
  | { readonly kind: "refused"; readonly node: string; readonly wrongInputs: readonly WrongInput[] }
  /** The tool did not run, for an unknown reason. */
  | { readonly kind: "not_run"; readonly node: string }
  | { readonly kind: "unknown_tool" }
  | { readonly kind: "unjudged"; readonly reason: "withheld_by_n8n" | "no_call" };

/**
 * @param triggers names of the server's trigger nodes
 * @param tools by node; calls of other nodes are still reported by node
 */
export function mcpCallOf(
  execution: ExecutionWithData,
  triggers: ReadonlySet<string>,
  tools: ReadonlyMap<string, CalledTool>,
): McpCall {
  if (isWithheldByN8n(execution)) return { kind: "unjudged", reason: "withheld_by_n8n" };
  const call = callAt(execution, triggers);
  if (call === undefined) return { kind: "unjudged", reason: "no_call" };
  const { sourceNodeName: node } = call;
  if (typeof node !== "string") return { kind: "unknown_tool" };
  const tool = tools.get(node);
  if (tool === undefined) return { kind: "unjudged", reason: "no_call" };
  const runs = runsByNode(execution).get(node) ?? [];
  if (runs.length > 0) {
    const hasAnswered = tool.callsWorkflow
      ? runs.some(({ metadata }) => metadata?.subExecution !== undefined)
      : !runs.slice(-1).some(hasFailed);
    return { kind: hasAnswered ? "answered" : "failed", node };
  }
  const wrong = inputsThatN8nRefuses(tool.inputs, call.arguments);
  return wrong.length === 0 ? { kind: "not_run", node } : { kind: "refused", node, wrongInputs: wrong };
}

function callAt(execution: ExecutionWithData, triggers: ReadonlySet<string>) {
  for (const [name, [run]] of runsByNode(execution)) {
    if (!triggers.has(name) || run === undefined) continue;
    const json = firstJsonOf(run);
    if (isReadObject(json) && isReadObject(json.mcpToolCall)) return json.mcpToolCall;
  }
  return undefined;
}
