/**
 * Fact: a sub-workflow that failed leaves `error.{executionId, workflowId}` and no `metadata.subExecution`; each level
 * repeats the message of the one below. One that is missing and one that is unpublished have one sentence, "Workflow
 * is not active and cannot be executed.", with `error.extra.workflowId`; asking for the workflow tells them apart.
 * One that refuses its caller is a `SubworkflowPolicyDenialError`, whose class n8n does not keep, so its sentence.
 * One with a node that n8n does not have never begins: `Unrecognized node type: …`, without class and without `executionId`.
 */
import { callsWorkflow } from "../../../n8n/workflow-callers.ts";
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import { type ExecutionView, parameterOf, partOf } from "../execution-view.ts";
import type { CauseId, Finding } from "../finding.ts";
import { type Failed, failedName, messageOf, onFailed } from "../rule.ts";

const NOT_ACTIVE = /^Workflow is not active and cannot be executed\./;
const STOPPED = /^The execution was cancelled because it timed out$/;
/** A node that calls once for each item says no more, and keeps no id. */
const ONE_OF_ITEMS = /^Error executing workflow with item at index (\d{1,6})/;
const REFUSED = /^The sub-workflow \([\w-]{1,64}\) cannot be called by this (?:workflow|agent)/;
const MISSING =
  /^(?:Workflow does not exist|The workflow with the ID .{0,80} does not exist|Could not find workflow)/i;
const NOT_CHOSEN =
  /^(?:No workflow (?:ID|id)|The workflow ID is (?:empty|missing)|No information about the workflow)/i;
const NO_START = /^(?:Missing node to start execution|The workflow has no node to start)/i;
/** n8n's own form of a type: the name of a package, and the node in it. */
const UNKNOWN_NODE =
  /^Unrecognized node type: ((?:@[a-z0-9-]{1,60}\/)?n8n-nodes-[a-z0-9-]{1,60}\.[A-Za-z0-9]{1,60})$/;

/** The id of a workflow that could not be called, where only asking n8n for it tells why. */
export function uncalledWorkflow({ error, failed }: ExecutionView): string | null {
  if (error === undefined || failed === null || !NOT_ACTIVE.test(messageOf(error))) return null;
  if (!callsWorkflow(failed.node?.type)) return null;
  const id = partOf(error, "extra", "workflowId");
  return typeof id === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : null;
}

/** Of nodes that call workflows alone: whoever throws an error in code can speak n8n's words, and write ids. */
export const subWorkflow = onFailed((view, failed) => {
  if (!callsWorkflow(failed.node?.type)) return [];
  const { error, name } = failed;
  const { executionId } = error;
  const message = messageOf(error);
  const found = (cause: CauseId, because: string): Finding[] => [
    {
      cause,
      node: name,
      sentence: `${failedName(name)} because the sub-workflow it calls ${because}.`,
      confidence: "exact",
    },
  ];
  if (NOT_ACTIVE.test(message)) {
    const { calledWorkflow } = view.context;
    if (calledWorkflow === "missing") return found("sub_workflow_missing", "does not exist (any more)");
    if (calledWorkflow === "unpublished")
      return found("sub_workflow_unpublished", "is not published: there is a draft, which is never run");
    return found("sub_workflow_unavailable", "is not published, or does not exist");
  }
  if (REFUSED.test(message))
    return found("sub_workflow_refused", "does not allow this workflow as its caller (its caller policy)");
  // One that refuses its caller has an execution, too.
  if (executionId !== undefined && executionId !== view.execution.id)
    return [childFailed(view, failed, executionId)];
  const [, item] = ONE_OF_ITEMS.exec(message) ?? [];
  if (item !== undefined) return [oneCallFailed(view, failed, Number(item))];
  // What code throws has a class.
  const unknown = error.name === undefined ? UNKNOWN_NODE.exec(message)?.[1] : undefined;
  if (unknown !== undefined)
    return found(
      "node_not_installed",
      `has a node of the type ${unknown}, which this n8n does not have: it is not installed, or switched off`,
    );
  if (NOT_CHOSEN.test(message) || isUnset(failed))
    return found("sub_workflow_not_chosen", "is not named: the parameter with its id came out empty");
  if (MISSING.test(message)) return found("sub_workflow_missing", "does not exist (any more)");
  return NO_START.test(message)
    ? found("sub_workflow_unavailable", "has no trigger that it can be called by")
    : [];
});

/** n8n's node has no id to call. */
function isUnset({ node, error }: Failed): boolean {
  const id = parameterOf(node, "workflowId", "value") ?? parameterOf(node, "workflowId");
  return id === "" && error.executionId === undefined;
}

/** Which execution that was, n8n keeps on that execution alone. */
function oneCallFailed(view: ExecutionView, failed: Failed, item: number): Finding {
  const [below] = view.context.failedBelow ?? [];
  if (below !== undefined) return childFailed(view, failed, below.executionId);
  const given = failed.run === undefined ? 0 : view.inputOf(failed.run).length;
  const which = item < given ? ` for item ${item + 1} of ${given}` : "";
  return {
    cause: "sub_workflow_failed",
    node: failed.name,
    sentence: `${failedName(failed.name)} because the sub-workflow it called failed${which}.`,
    confidence: "exact",
  };
}

/** n8n's own error loses its class on the way to the caller; that of a node keeps one, and code adds its line. */
const isTimedOut = (error: Failed["error"]): boolean =>
  error.name === undefined && STOPPED.test(messageOf(error));

/** The deepest of those that failed is where it began. */
function childFailed({ context }: ExecutionView, { name, error }: Failed, executionId: string): Finding {
  const chain = context.failedBelow ?? [];
  const deepest = chain.at(-1);
  const base = { cause: "sub_workflow_failed", node: name, confidence: "exact", executionId } as const;
  // It is not among those that failed: it was ended.
  if (deepest === undefined && context.failedBelow !== undefined && isTimedOut(error))
    return {
      ...base,
      sentence: `${failedName(name)} because the sub-workflow it called took longer than it may, and n8n stopped it (execution ${executionId}).`,
    };
  if (deepest === undefined)
    return {
      ...base,
      sentence: `${failedName(name)} because the sub-workflow it called failed (execution ${executionId}).`,
    };
  const { finding, workflowName } = deepest;
  const where = workflowName === null ? "" : `in ${quoted(workflowName)}, `;
  const depth = chain.length === 1 ? "" : `, ${counted(chain.length, "call")} deep`;
  return {
    ...base,
    node: finding.node ?? name,
    failedNode: name,
    executionId: finding.executionId ?? deepest.executionId,
    sentence: `${failedName(name)} because the sub-workflow it called failed${depth} (${where}execution ${deepest.executionId}): ${finding.sentence}`,
    ...(finding.field === undefined ? {} : { field: finding.field }),
    ...(finding.value === undefined ? {} : { value: finding.value }),
  };
}
