/** Keeps what a map of the instance needs of one workflow: a few hundred bytes of many thousand. Pure. */
import type { WorkflowWithNodes } from "../n8n/workflow-schemas.ts";
import { toGraph } from "./graph.ts";
import { type McpClient, type McpTrigger, toMcpClient, toMcpTrigger } from "./mcp-nodes.ts";
import { EXECUTE_WORKFLOW_TRIGGER } from "./node-types.ts";
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
  /** The version that is described here: the published one, else the draft. */
  readonly versionId: string | null;
  /** The editor shows another version than the one that runs. */
  readonly hasUnpublishedChanges: boolean;
  readonly tags: readonly string[];
  readonly errorWorkflowId: string | undefined;
  readonly callerPolicy: string | undefined;
  /** The callers that the policy `workflowsFromAList` allows. */
  readonly callerIds: readonly string[];
  /** More than one only where somebody put several into one workflow. */
  readonly triggers: readonly ServerTrigger[];
  /** The tools of all triggers together, each once. */
  readonly tools: readonly ServerTool[];
  readonly clients: readonly McpClient[];
  readonly calls: readonly SubWorkflowCall[];
  /** Null when no other workflow can call it. */
  readonly inputs: WorkflowInputs | null;
  /** It was too large to be read whole: something may be missing. */
  readonly isCut: boolean;
  /** It has a trigger at which n8n begins when another workflow calls it. */
  readonly canBeCalled: boolean;
}

/** Whether an MCP server trigger begins the workflow. */
export function isServer({ triggers }: Pick<WorkflowOutline, "triggers">): boolean {
  return triggers.length > 0;
}

/** Judges by the called workflow's settings alone: n8n's list does not tell to which projects workflows belong. */
export function mayCall(callerId: string, { callerPolicy, callerIds }: WorkflowOutline): boolean {
  if (callerPolicy === "none") return false;
  return callerPolicy !== "workflowsFromAList" || callerIds.includes(callerId);
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
    errorWorkflowId: namedErrorWorkflow(workflow.settings.errorWorkflow),
    callerPolicy: workflow.settings.callerPolicy,
    callerIds: (workflow.settings.callerIds ?? "").split(",").map((id) => id.trim()),
    triggers,
    tools: nodes.filter(({ name }) => toolNodes.has(name)).flatMap((node) => toServerTool(node) ?? []),
    clients: nodes.flatMap((node) => toMcpClient(node) ?? []).filter((client) => !client.isDisabled),
    calls: subWorkflowCalls(nodes),
    inputs: workflowInputs(nodes),
    isCut: workflow.isCut,
    canBeCalled: nodes.some(({ type, disabled }) => CALLED_TRIGGERS.has(type) && !disabled),
  };
}

/** n8n 2.40, `utils.ts`: findSubworkflowStart. */
const CALLED_TRIGGERS = new Set([
  EXECUTE_WORKFLOW_TRIGGER,
  "n8n-nodes-base.manualTrigger",
  "n8n-nodes-base.start",
  "@n8n/n8n-nodes-langchain.manualChatTrigger",
]);

/** n8n's editor wrote `DEFAULT` for none. */
function namedErrorWorkflow(id: string | undefined): string | undefined {
  return id === "" || id === "DEFAULT" ? undefined : id;
}
