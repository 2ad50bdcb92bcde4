/** Chooses the sub-workflows whose contract is checked: the one that was named, or those of a server's tools. */

import { Omitted } from "../../json/omitted.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { workflowNodeWithParameters } from "../../n8n/workflow-schemas.ts";
import { EXECUTE_WORKFLOW_TRIGGER } from "../../workflows/node-types.ts";
import type { ServerTool } from "../../workflows/server-tools.ts";
import { workflowInputs } from "../../workflows/sub-workflows.ts";
import { isServer, type WorkflowOutline } from "../../workflows/workflow-outline.ts";
import type { CalledTool } from "./judgement/mcp-call.ts";
import type { DeclaredInput } from "./judgement/wrong-inputs.ts";

/** A sub-workflow that serves as a tool. */
export interface ToolSubject {
  readonly workflowId: string;
  /** The tools that call it; empty when the sub-workflow itself was named. */
  readonly tools: readonly ServerTool[];
}

/** A tool whose answers are not checked. */
export interface UncheckedTool {
  readonly node: string;
  readonly mcpName: string | null;
  readonly because: "no_sub_workflow" | "sub_workflow_unknown";
}

export function subjectsOf(outline: WorkflowOutline): ToolSubject[] {
  if (!isServer(outline)) return [{ workflowId: outline.id, tools: [] }];
  const subjects = Map.groupBy(outline.tools, ({ calls }) =>
    calls?.kind === "id" ? calls.workflowId : undefined,
  );
  return [...subjects].flatMap(([workflowId, tools]) =>
    workflowId === undefined ? [] : [{ workflowId, tools }],
  );
}

export function uncheckedTools({ tools }: WorkflowOutline): UncheckedTool[] {
  return tools
    .filter(({ calls }) => calls?.kind !== "id")
    .map(({ node, mcpName, calls }) => ({
      node,
      mcpName,
      because: calls === undefined ? "no_sub_workflow" : "sub_workflow_unknown",
    }));
}

/** The server's tools by node, with its clients of other servers, whose tools only those servers know. */
export function calledTools({ tools, clients }: WorkflowOutline): Map<string, CalledTool> {
  return new Map<string, CalledTool>([
    ...clients.map(({ node }) => [node, { node, inputs: [], callsWorkflow: false }] as const),
    ...tools.map(
      ({ node, inputs, calls }) => [node, { node, inputs, callsWorkflow: calls !== undefined }] as const,
    ),
  ]);
}

/**
 * The inputs that the sub-workflow declared when it ran; its tools say which of them are required. Where the
 * sub-workflow takes any input, its tools declare the inputs.
 */
export function declaredInputs({ workflowData }: ExecutionWithData, { tools }: ToolSubject): DeclaredInput[] {
  const given = tools.flatMap(({ inputs }) => inputs);
  const nodes = workflowData?.nodes ?? [];
  const triggers = (nodes instanceof Omitted ? [] : nodes).flatMap((node) => {
    if (node instanceof Omitted || node.type !== EXECUTE_WORKFLOW_TRIGGER) return [];
    const { success, data } = workflowNodeWithParameters.safeParse(node);
    return success ? [data] : [];
  });
  const { inputs = [] } = workflowInputs(triggers) ?? {};
  if (inputs.length === 0) return given.map(({ name, type, isRequired }) => ({ name, type, isRequired }));
  const optional = new Set(given.filter(({ isRequired }) => !isRequired).map(({ name }) => name));
  return inputs.map(({ name, type }) => ({ name, type, isRequired: !optional.has(name) }));
}
