/**
 * What a rule may know of the other workflows: which of them are tools of an MCP server, which handle errors,
 * and who calls in a circle. Made once for an audit. Pure.
 */
import type { AtdfReading } from "../../workflows/atdf/block.ts";
import { readAtdf } from "../../workflows/atdf/read-atdf.ts";
import { calledIds, type InstanceOutline } from "../../workflows/mcp-server-map.ts";
import { cyclesOf } from "../../workflows/strongly-connected.ts";
import type { WorkflowOutline } from "../../workflows/workflow-outline.ts";

/** A tool node of an MCP server that calls a workflow. */
export interface ToolUse {
  /** The called workflow. */
  readonly workflowId: string;
  readonly serverId: string;
  readonly serverName: string;
  readonly node: string;
}

export interface InstanceFacts extends InstanceOutline {
  /** Reads the ATDF block of a description; the same one only once. */
  readonly readAtdf: (description: string) => AtdfReading;
  /** Id of a sub-workflow → the tool nodes of MCP servers that call it. */
  readonly toolUses: ReadonlyMap<string, readonly ToolUse[]>;
  /** Id of a workflow → those that name it as their error workflow. */
  readonly errorWorkflowOf: ReadonlyMap<string | undefined, readonly WorkflowOutline[]>;
  /** Ids of workflows that call each other in a circle. */
  readonly cycles: readonly (readonly string[])[];
}

export function instanceFacts(instance: InstanceOutline): InstanceFacts {
  const outlines = [...instance.workflows.values()];
  return {
    ...instance,
    readAtdf: remembering(readAtdf),
    toolUses: Map.groupBy(outlines.flatMap(toolUsesOf), ({ workflowId }) => workflowId),
    errorWorkflowOf: Map.groupBy(outlines, ({ errorWorkflowId }) => errorWorkflowId),
    cycles: cyclesOf(instance.workflows.keys(), (id) => calledIds(instance, id)),
  };
}

function remembering<Result>(read: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const result = known.get(text) ?? read(text);
    known.set(text, result);
    return result;
  };
}

function toolUsesOf({ id, name, tools }: WorkflowOutline): ToolUse[] {
  return tools.flatMap(({ node, calls }) =>
    calls?.kind === "id" ? [{ workflowId: calls.workflowId, serverId: id, serverName: name, node }] : [],
  );
}
