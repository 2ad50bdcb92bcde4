/** Reduces a workflow of many kilobytes to the few hundred bytes that a map of the instance needs. Pure. */
import { memberOf } from "../json/members.ts";
import { callsWorkflow } from "../n8n/workflow-callers.ts";
import type {
  WorkflowNodeWithParameters,
  WorkflowVersion,
  WorkflowWithNodes,
} from "../n8n/workflow-schemas.ts";
import { liveNodes, toGraph } from "./graph.ts";
import { toMcpClient, toMcpTrigger } from "./mcp-nodes.ts";
import { EXECUTE_WORKFLOW_TRIGGER } from "./node-types.ts";
import { toolNodesOf, toServerTool } from "./server-tools.ts";
import { subWorkflowCalls, workflowInputs } from "./sub-workflows.ts";

/**
 * The published version, which runs in production; for an unpublished workflow the draft, which runs only from the
 * editor.
 */
export function runningVersion(workflow: WorkflowWithNodes): WorkflowVersion {
  const { published, versionId = null, connections } = workflow;
  const nodes = (published ?? workflow).nodes.map((node) => withOwnId(node, workflow.id));
  return { ...(published ?? { versionId, connections }), nodes };
}

/** The expression by which a workflow calls itself, or serves a tool from its own canvas. */
const OWN_ID = /^=\s*\{\{\s*\$workflow\.id\s*\}\}\s*$/;

function withOwnId(node: WorkflowNodeWithParameters, workflowId: string): WorkflowNodeWithParameters {
  const given = node.parameters.workflowId;
  const id = memberOf(given, "value") ?? given;
  const isOwn = callsWorkflow(node.type) && typeof id === "string" && OWN_ID.test(id);
  return isOwn ? { ...node, parameters: { ...node.parameters, workflowId } } : node;
}

export type WorkflowOutline = Readonly<ReturnType<typeof outlineOf>>;
export type ServerTrigger = WorkflowOutline["triggers"][number];

export const isServer = ({ triggers }: Pick<WorkflowOutline, "triggers">): boolean => triggers.length > 0;

/** Judges only by the called workflow's settings, because n8n's list does not show the projects of workflows. */
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
  const callable = nodes.filter(({ type, disabled }) => CALLED_TRIGGERS.has(type) && !disabled);
  const forCalls = callable.find(({ type }) => type === EXECUTE_WORKFLOW_TRIGGER) ?? callable[0];
  const ranByCall = forCalls && liveNodes(graph, [forCalls]);
  return {
    id: workflow.id,
    name: workflow.name,
    isPublished: workflow.active,
    isArchived: workflow.isArchived,
    /** The described version: the published one, otherwise the draft. */
    versionId: version.versionId,
    hasUnpublishedChanges: workflow.published !== null,
    tags: workflow.tags,
    // n8n's editor has written `DEFAULT` for none.
    errorWorkflowId: ["", "DEFAULT"].includes(settings.errorWorkflow ?? "")
      ? undefined
      : settings.errorWorkflow,
    callerPolicy: settings.callerPolicy,
    /** The callers that the policy `workflowsFromAList` allows. */
    callerIds: (settings.callerIds ?? "").split(",").map((id) => id.trim()),
    /** Usually at most one. */
    triggers,
    /** The tools of all triggers, each once. */
    tools: nodes.filter(({ name }) => toolNodes.has(name)).flatMap((node) => toServerTool(node) ?? []),
    clients: nodes.flatMap((node) => toMcpClient(node) ?? []).filter(({ isDisabled }) => !isDisabled),
    calls: subWorkflowCalls(nodes),
    /** The calls that are made when another workflow calls this one. */
    onwardCalls: subWorkflowCalls(nodes.filter(({ name }) => ranByCall?.has(name) !== false)),
    /** Null when no other workflow can call it. */
    inputs: workflowInputs(nodes),
    /** Whether it was too large to be read whole. */
    isCut: workflow.isCut,
    canBeCalled: forCalls !== undefined,
  };
}

/** A call begins at an Execute Workflow Trigger, else at the first of these (n8n 2.40, `utils.ts`: findSubworkflowStart). */
const CALLED_TRIGGERS = new Set([
  EXECUTE_WORKFLOW_TRIGGER,
  "n8n-nodes-base.manualTrigger",
  "n8n-nodes-base.start",
  "@n8n/n8n-nodes-langchain.manualChatTrigger",
]);
