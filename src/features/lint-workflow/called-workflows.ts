/** The calls of a workflow, with what is known of the workflows that they name. Pure. */
import { followedCalls } from "../../workflows/mcp-server-map.ts";
import type { SubWorkflowCall } from "../../workflows/sub-workflow-calls.ts";
import type { WorkflowOutline } from "../../workflows/workflow-outline.ts";
import type { NotJudged, RuleFinding, RuleOutcome } from "./rule.ts";
import type { AuditSubject } from "./subject.ts";

/** By the called workflow's settings. Which projects both belong to, the list of workflows does not tell. */
export function mayCall(callerId: string, { callerPolicy, callerIds }: WorkflowOutline): boolean {
  if (callerPolicy === "none") return false;
  return callerPolicy !== "workflowsFromAList" || callerIds.includes(callerId);
}

/** What a rule says of a call to a workflow that is there and was read; undefined when all is well. */
export type JudgeCall = (call: SubWorkflowCall, called: WorkflowOutline) => RuleFinding | undefined;

/** Judges each call whose workflow is known. Calls by expression, and of what could not be read, are not judged. */
export function judgeCalls({ outline, instance }: AuditSubject, judge: JudgeCall): RuleOutcome {
  const findings = followedCalls(outline).flatMap(({ call, workflowId }) => {
    const called = instance.workflows.get(workflowId);
    return called === undefined ? [] : (judge(call, called) ?? []);
  });
  return { findings, notJudged: unknownCalls({ outline, instance }) };
}

/** Calls of which it is not known where they lead. */
export function unknownCalls({ outline, instance }: Pick<AuditSubject, "outline" | "instance">): NotJudged[] {
  const isUnread = ({ reference }: SubWorkflowCall): boolean =>
    reference.kind === "id" &&
    !instance.workflows.has(reference.workflowId) &&
    (instance.unreadIds.has(reference.workflowId) || !instance.isComplete);
  return outline.calls
    .filter((call) => !call.isDisabled && (call.reference.kind === "expression" || isUnread(call)))
    .map((call) => ({
      node: call.node,
      reason: isUnread(call)
        ? "The workflow that it calls could not be read."
        : "Which workflow it calls is an expression.",
    }));
}
