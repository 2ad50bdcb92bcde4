/** Keeps what a map of the instance needs of one workflow: a few hundred bytes of many thousand. Pure. */
import type { WorkflowVersion, WorkflowWithNodes } from "../n8n/workflow-schemas.ts";
import { toGraph } from "./graph.ts";
import { toMcpClient, toMcpTrigger } from "./mcp-nodes.ts";
import { EXECUTE_WORKFLOW_TRIGGER } from "./node-types.ts";
import { toolNodesOf, toServerTool } from "./server-tools.ts";
import { subWorkflowCalls, workflowInputs } from "./sub-workflows.ts";

/**
 * The published version, which production runs; for a workflow that is not published the draft, which runs only
 * from the editor.
 */
export function runningVersion(workflow: WorkflowWithNodes): WorkflowVersion {
  const { published, versionId = null, nodes, connections } = workflow;
  return published ?? { versionId, nodes, connections };
}

export type WorkflowOutline = Readonly<ReturnType<typeof outlineOf>>;
export type ServerTrigger = WorkflowOutline["triggers"][number];

export function isServer({ triggers }: Pick<WorkflowOutline, "triggers">): boolean {
  return triggers.length > 0;
}

/** Judges by the called workflow's settings alone: n8n's list does not tell to which projects workflows belong. */
export function mayCall(callerId: string, { callerPolicy, callerIds }: WorkflowOutline): boolean {
  if (callerPolicy === "none") return false;
  return callerPolicy !== "workflowsFromAList" || callerIds.includes(callerId);
}

export function outlineOf(workflow: WorkflowWithNodes) {
  const { settings } = workflow;
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
    /** The version that is described here: the published one, else the draft. */
    versionId: version.versionId,
    /** The editor shows another version than the one that runs. */
    hasUnpublishedChanges: workflow.published !== null,
    tags: workflow.tags,
    // n8n's editor wrote `DEFAULT` for none.
    errorWorkflowId: ["", "DEFAULT"].includes(settings.errorWorkflow ?? "")
      ? undefined
      : settings.errorWorkflow,
    callerPolicy: settings.callerPolicy,
    /** The callers that the policy `workflowsFromAList` allows. */
    callerIds: (settings.callerIds ?? "").split(",").map((id) => id.trim()),
    /** More than one only where somebody put several into one workflow. */
    triggers,
    /** The tools of all triggers together, each once. */
    tools: nodes.filter(({ name }) => toolNodes.has(name)).flatMap((node) => toServerTool(node) ?? []),
    clients: nodes.flatMap((node) => toMcpClient(node) ?? []).filter(({ isDisabled }) => !isDisabled),
    calls: subWorkflowCalls(nodes),
    /** Null when no other workflow can call it. */
    inputs: workflowInputs(nodes),
    /** It was too large to be read whole: something may be missing. */
    isCut: workflow.isCut,
    /** It has a trigger at which n8n begins when another workflow calls it. */
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
