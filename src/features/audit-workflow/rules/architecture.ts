/** The guide's rules about calls between workflows. Pure. */
import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { followedCalls, isUnread } from "../../../workflows/mcp-server-map.ts";
import { TOOL_WORKFLOW } from "../../../workflows/node-types.ts";
import { isServerClient } from "../../../workflows/server-tools.ts";
import { subWorkflowReference } from "../../../workflows/sub-workflows.ts";
import { mayCall, type WorkflowOutline } from "../../../workflows/workflow-outline.ts";
import { type AuditRule, type Fault, faultsAt, type NotJudged, type Verdict } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";

const CALL_BY_EXPRESSION = "Which workflow it calls is an expression.";

export const architectureRules: readonly AuditRule[] = [
  {
    id: "architecture/tool-is-sub-workflow",
    severity: "warning",
    appliesTo: ["server"],
    message: "A node of the server is a tool by itself.",
    fix: "Put what it does into a sub-workflow, and call that with a Call n8n Workflow Tool node.",
    judge: ({ toolNodes }) => toolNodes.flatMap(judgeTool),
  },
  {
    id: "architecture/no-cycle",
    severity: "error",
    appliesTo: ["any"],
    message: "The workflow is part of a cycle of calls.",
    fix: "Move what both need into a sub-workflow that calls neither of them.",
    judge: ({ workflow, outline, instance }) => {
      const cycle = instance.cycles.find((ids) => ids.includes(workflow.id));
      if (cycle === undefined) return [];
      const names = cycle.map((id) => instance.workflows.get(id)?.name ?? id);
      const call = outline.onwardCalls.find(
        ({ reference }) => reference.kind === "id" && cycle.includes(reference.workflowId),
      );
      const evidence = `In the cycle: ${names.join(", ")}.`;
      const fault = { node: call?.node ?? null, evidence };
      return [cycle.length === 1 ? { ...fault, message: "The workflow calls itself." } : fault];
    },
  },
  {
    id: "architecture/called-workflow-exists",
    severity: "error",
    appliesTo: ["any"],
    message: "The workflow that it calls does not exist, or this API key may not see it.",
    fix: "Choose a workflow that exists, or restore this one.",
    judge: (subject) =>
      judgeCalls(subject, (called, workflowId) => {
        const evidence = `workflowId is ${workflowId}.`;
        if (called?.isArchived) return { evidence, message: "The workflow that it calls is archived." };
        const isGone = called === undefined && !isUnread(subject.instance, workflowId);
        return isGone ? { evidence } : undefined;
      }),
  },
  {
    id: "architecture/called-workflow-published",
    severity: "error",
    appliesTo: ["any"],
    message: "The workflow that it calls is not published.",
    fix: "Publish the called workflow.",
    // An unpublished workflow makes calls only in manual runs.
    judge: (subject) =>
      subject.outline.isPublished && !subject.instance.callsUnpublished
        ? judgeCalls(subject, (called) =>
            called === undefined || called.isPublished || called.isArchived
              ? undefined
              : { evidence: `Called: ${called.name} (${called.id}).` },
          )
        : [],
  },
  {
    id: "architecture/caller-policy",
    severity: "error",
    appliesTo: ["any"],
    message: "The workflow that it calls does not allow this caller.",
    fix: "In the settings of the called workflow, allow this workflow to call it.",
    judge: (subject) =>
      judgeCalls(subject, (called) => {
        if (called === undefined) return undefined;
        const name = `${called.name} (${called.id})`;
        if (called.canBeCalled) {
          return mayCall(subject.workflow.id, called)
            ? undefined
            : { evidence: `callerPolicy of ${name} is ${called.callerPolicy}.` };
        }
        return {
          evidence: `${name} has no Execute Workflow Trigger that is enabled.`,
          message: "The workflow that it calls has no trigger for calls.",
          fix: "Begin the called workflow with an Execute Workflow Trigger (When Executed by Another Workflow).",
        };
      }),
  },
];

function judgeTool(tool: WorkflowNodeWithParameters): Verdict[] {
  // Tools of another server are judged there.
  if (isServerClient(tool)) return [];
  if (tool.type !== TOOL_WORKFLOW) return faultsAt([tool], `The node's type is ${tool.type}.`);
  const { kind } = subWorkflowReference(tool);
  if (kind === "id") return [];
  if (kind === "expression") return [{ node: tool.name, reason: CALL_BY_EXPRESSION }];
  if (kind === "missing")
    return faultsAt([tool], "workflowId is empty.", {
      message: "The tool calls no workflow.",
      fix: "Choose the sub-workflow in the node.",
    });
  return faultsAt([tool], "source is not the database.", {
    message: "The tool's workflow is not stored in the instance's database.",
    fix: "Save the sub-workflow as a workflow of its own, and choose it from the list.",
  });
}

/** Returns what is wrong with a call, if anything; `called` is undefined when the workflow is unknown. */
type JudgeCall = (called: WorkflowOutline | undefined, workflowId: string) => Omit<Fault, "node"> | undefined;

function judgeCalls(subject: AuditSubject, judge: JudgeCall): Verdict[] {
  const faults = followedCalls(subject.outline).flatMap(({ node, workflowId }) => {
    const fault = judge(subject.instance.workflows.get(workflowId), workflowId);
    return fault === undefined ? [] : [{ node, ...fault }];
  });
  return [...faults, ...unknownCalls(subject)];
}

/** Calls through an expression, and calls of workflows that could not be read. */
function unknownCalls({ outline, instance }: AuditSubject): NotJudged[] {
  return outline.calls.flatMap(({ node, reference, isDisabled }) => {
    if (isDisabled) return [];
    if (reference.kind === "expression") return [{ node, reason: CALL_BY_EXPRESSION }];
    return reference.kind === "id" && isUnread(instance, reference.workflowId)
      ? [{ node, reason: "The workflow that it calls could not be read." }]
      : [];
  });
}
