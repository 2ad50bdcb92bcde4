/** What a map of the instance needs of one workflow: a few hundred bytes of many thousand. Pure. */
import type { WorkflowWithNodes } from "../n8n/workflow-schemas.ts";
import { toGraph } from "./graph.ts";
import { type McpClient, type McpTrigger, toMcpClient, toMcpTrigger } from "./mcp-nodes.ts";
import { type ServerTool, toolNodesOf, toServerTool } from "./server-tools.ts";
import { type SubWorkflowCall, subWorkflowCalls } from "./sub-workflow-calls.ts";
import { runningVersion } from "./versions.ts";
import { type WorkflowInputs, workflowInputs } from "./workflow-inputs.ts";

/** A trigger, and the nodes that serve it as tools. */
export interface ServerTrigger extends McpTrigger {
  readonly toolNodes: readonly string[];
}

export interface WorkflowOutline {
  readonly id: string;
  readonly name: string;
  readonly isPublished: boolean;
  readonly isArchived: boolean;
  /** Of the version that is described here: the published one, else the draft. */
  readonly versionId: string | null;
  /** The editor shows another version than the one that runs. */
  readonly hasUnpublishedChanges: boolean;
  readonly tags: readonly string[];
  readonly errorWorkflowId: string | undefined;
  readonly callerPolicy: string | undefined;
  /** More than one only where somebody put several into one workflow. */
  readonly triggers: readonly ServerTrigger[];
  /** Of all its triggers together, each once. */
  readonly tools: readonly ServerTool[];
  readonly clients: readonly McpClient[];
  readonly calls: readonly SubWorkflowCall[];
  /** Null when no other workflow can call it. */
  readonly inputs: WorkflowInputs | null;
  /** It was too large to be read whole: something may be missing. */
  readonly isCut: boolean;
}

export function outlineOf(workflow: WorkflowWithNodes): WorkflowOutline {
  const version = runningVersion(workflow);
  const graph = toGraph(version);
  const nodes = [...graph.nodes.values()];
  const triggers = nodes
    .flatMap((node) => toMcpTrigger(node) ?? [])
    .filter(({ isDisabled }) => !isDisabled)
    .map((trigger) => ({ ...trigger, toolNodes: toolNodesOf(graph, trigger.node).map(({ name }) => name) }));
  const toolNodes = new Set(triggers.flatMap((trigger) => trigger.toolNodes));
  return {
    id: workflow.id,
    name: workflow.name,
    isPublished: workflow.active,
    isArchived: workflow.isArchived,
    versionId: version.versionId,
    hasUnpublishedChanges: workflow.published !== null,
    tags: workflow.tags,
    errorWorkflowId: workflow.settings.errorWorkflow,
    callerPolicy: workflow.settings.callerPolicy,
    triggers,
    tools: nodes.filter(({ name }) => toolNodes.has(name)).flatMap((node) => toServerTool(node) ?? []),
    clients: nodes.flatMap((node) => toMcpClient(node) ?? []).filter((client) => !client.isDisabled),
    calls: subWorkflowCalls(nodes),
    inputs: workflowInputs(nodes),
    isCut: workflow.isCut,
  };
}
