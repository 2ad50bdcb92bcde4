/** Which other workflows a workflow calls, and through which nodes. Pure. */
import type { WorkflowNodeWithParameters } from "../n8n/workflow-schemas.ts";
import { literalOf } from "./expressions.ts";
import { parameterAt, textAt } from "./node-parameters.ts";
import { EXECUTE_WORKFLOW, EXECUTE_WORKFLOW_TOOL, RETRIEVER_WORKFLOW, TOOL_WORKFLOW } from "./node-types.ts";

/** How a node names the workflow that it calls. */
export type SubWorkflowReference =
  | { readonly kind: "id"; readonly workflowId: string }
  /** n8n computes it when the node runs. */
  | { readonly kind: "expression" }
  /** The workflow stands in the node itself. */
  | { readonly kind: "inline" }
  /** A file of the server or an address: n8n's old ways. */
  | { readonly kind: "elsewhere" }
  | { readonly kind: "missing" };

export interface SubWorkflowCall {
  /** The calling node's name. */
  readonly node: string;
  readonly nodeType: string;
  readonly isDisabled: boolean;
  readonly reference: SubWorkflowReference;
}

const CALLING_TYPES = new Set([EXECUTE_WORKFLOW, EXECUTE_WORKFLOW_TOOL, TOOL_WORKFLOW, RETRIEVER_WORKFLOW]);

export function callsWorkflow({ type }: Pick<WorkflowNodeWithParameters, "type">): boolean {
  return CALLING_TYPES.has(type);
}

/** The calls of these nodes, those of disabled ones included. */
export function subWorkflowCalls(nodes: Iterable<WorkflowNodeWithParameters>): SubWorkflowCall[] {
  return [...nodes].filter(callsWorkflow).map((node) => ({
    node: node.name,
    nodeType: node.type,
    isDisabled: node.disabled,
    reference: subWorkflowReference(node),
  }));
}

export function subWorkflowReference({ parameters }: WorkflowNodeWithParameters): SubWorkflowReference {
  const source = textAt(parameters, "source") ?? "database";
  if (source === "parameter") return { kind: "inline" };
  if (source !== "database") return { kind: "elsewhere" };
  const given = parameterAt(parameters, "workflowId");
  // A resource locator, {__rl, mode, value}; the first versions of the nodes have the id alone.
  const value = typeof given === "object" ? parameterAt(given, "value") : given;
  const workflowId = literalOf(value);
  if (workflowId === undefined) return { kind: typeof value === "string" ? "expression" : "missing" };
  return workflowId.trim() === "" ? { kind: "missing" } : { kind: "id", workflowId: workflowId.trim() };
}
