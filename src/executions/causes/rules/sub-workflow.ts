/**
 * Fact: a sub-workflow that failed leaves `error.{executionId, workflowId}` and no `metadata.subExecution`; each level
 * repeats the message of the one below. Missing and unpublished sub-workflows share one message, "Workflow is not active
 * and cannot be executed.", with `error.extra.workflowId`; requesting the workflow distinguishes them. One that refuses
 * its caller raises a `SubworkflowPolicyDenialError`, whose class n8n does not keep, so the message is matched. n8n
 * refuses to start a workflow with a node type that it lacks (`Unrecognized node type: <type>`), called or not: such an
 * error has neither class nor `executionId`.
 */
import { partOf } from "../../../json/members.ts";
import { callsWorkflow } from "../../../n8n/workflow-callers.ts";
import { type ExecutionView, parameterOf } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { type Failed, messageOf, onFailed, type Rule } from "../rule.ts";

const NOT_ACTIVE = /^Workflow is not active and cannot be executed\./;
const STOPPED = /^The execution was cancelled because it timed out$/;
/** A node that calls once per item says only this, and keeps no id. */
const ONE_OF_ITEMS = /^Error executing workflow with item at index (\d{1,6})/;
const REFUSED = /^The sub-workflow \([\w-]{1,64}\) cannot be called by this (?:workflow|agent)/;
const MISSING =
  /^(?:Workflow does not exist|The workflow with the ID .{0,80} does not exist|Could not find workflow)/i;
const NOT_CHOSEN =
  /^(?:No workflow (?:ID|id)|The workflow ID is (?:empty|missing)|No information about the workflow)/i;
const NO_START = /^(?:Missing node to start execution|The workflow has no node to start)/i;
/** n8n's format of a node type: package name and node name. */
const UNKNOWN_NODE =
  /^Unrecognized node type: ((?:@[a-z0-9-]{1,60}\/)?n8n-nodes-[a-z0-9-]{1,60}\.[A-Za-z0-9]{1,60})$/;
const UNRECOGNIZED =
  /^(?:Unrecognized node type|The node type .{0,100} is not known|Unknown node type): ?"?([@\w./-]{1,120})/i;

/** Applies only if no node ran, since a node that ran can throw the same message, and if the workflow has the type. */
export const nodeNotInstalled: Rule = ({ error, nodes, runs, execution }) => {
  const type = UNRECOGNIZED.exec(messageOf(error))?.[1]?.replace(/\.$/, "");
  const node = [...nodes.values()].find((each) => each.type === type);
  return type === undefined || node === undefined || runs.size > 0 || execution.status !== "error"
    ? []
    : [{ kind: "node_not_installed", node: node.name, type }];
};

/** The id of a workflow that could not be called, if only requesting it from n8n shows why. */
export function uncalledWorkflow({ error, failed }: ExecutionView): string | null {
  if (error === undefined || failed === null || !NOT_ACTIVE.test(messageOf(error))) return null;
  if (!callsWorkflow(failed.node?.type)) return null;
  const id = partOf(error, "extra", "workflowId");
  return typeof id === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : null;
}

/** Applies only to nodes that call workflows: code can throw n8n's messages, with any id. */
export const subWorkflow = onFailed((failed) => {
  const { error, name: node } = failed;
  if (!callsWorkflow(failed.node?.type)) return null;
  // One that failed after a wait is only in the run's metadata (n8n, `updateParentExecutionWithChildResults`).
  const { executionId = failed.run?.metadata?.subExecution?.executionId } = error;
  const message = messageOf(error);
  if (NOT_ACTIVE.test(message))
    return { kind: `sub_workflow_${failed.view.context.calledWorkflow ?? "unavailable"}`, node };
  if (REFUSED.test(message)) return { kind: "sub_workflow_refused", node };
  // Checked first, since a sub-workflow that refuses its caller has an execution too.
  if (executionId !== undefined && executionId !== failed.view.execution.id)
    return childFailed(failed, executionId);
  const [, item] = ONE_OF_ITEMS.exec(message) ?? [];
  if (item !== undefined) return oneCallFailed(failed, Number(item));
  // An error thrown by code has a class.
  const type = error.name === undefined ? UNKNOWN_NODE.exec(message)?.[1] : undefined;
  if (type !== undefined) return { kind: "node_not_installed.called", node, type };
  if (NOT_CHOSEN.test(message) || isUnset(failed)) return { kind: "sub_workflow_not_chosen", node };
  if (MISSING.test(message)) return { kind: "sub_workflow_missing", node };
  return NO_START.test(message) ? { kind: "sub_workflow_unavailable.no_start", node } : null;
});

function isUnset({ node, error }: Failed): boolean {
  const id = parameterOf(node, "workflowId", "value") ?? parameterOf(node, "workflowId");
  return id === "" && error.executionId === undefined;
}

/** n8n records the link to the failed execution only on that execution. */
function oneCallFailed(failed: Failed, index: number): Fact {
  const [below] = failed.view.context.failedBelow ?? [];
  if (below !== undefined) return childFailed(failed, below.executionId);
  const count = failed.run === undefined ? 0 : failed.view.inputOf(failed.run).length;
  const item = index < count ? { index, count } : null;
  return { kind: "sub_workflow_failed.item", node: failed.name, item };
}

/** n8n's own error loses its class on the way to the caller; a node's error keeps it, and code adds its line. */
const isTimedOut = (error: Failed["error"]): boolean =>
  error.name === undefined && STOPPED.test(messageOf(error));

function childFailed({ view: { context }, name, error }: Failed, executionId: string): Fact {
  const chain = context.failedBelow ?? [];
  const deepest = chain.at(-1);
  // An execution that is not among the failed ones was stopped.
  if (deepest === undefined && context.failedBelow !== undefined && isTimedOut(error))
    return { kind: "sub_workflow_failed.stopped", node: name, executionId };
  if (deepest === undefined) return { kind: "sub_workflow_failed.unread", node: name, executionId };
  const { fact: root, workflowName: workflow, executionId: at } = deepest;
  return {
    kind: "sub_workflow_failed",
    node: root.node ?? name,
    failedNode: name,
    executionId: root.executionId ?? at,
    calls: chain.length,
    workflow,
    at,
    root,
    ...(root.field === undefined ? {} : { field: root.field }),
  };
}
