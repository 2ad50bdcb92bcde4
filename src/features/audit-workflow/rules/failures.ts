/** The guide's rules about checks before a tool acts, and about failures. Pure. */
import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { closureOf } from "../../../platform/closure.ts";
import { leadingTo, MAIN } from "../../../workflows/graph.ts";
import { isUnread } from "../../../workflows/mcp-server-map.ts";
import { errorConnections, errorHandlingOf } from "../../../workflows/node-outputs.ts";
import { hasText } from "../../../workflows/node-parameters.ts";
import { ERROR_TRIGGER } from "../../../workflows/node-types.ts";
import { mayCall } from "../../../workflows/workflow-outline.ts";
import { isCheck, isCritical } from "../node-kinds.ts";
import { type AuditRule, type Fault, faultsAt, faultUnless } from "../rule.ts";
import type { AuditSubject, InstanceFacts } from "../subject.ts";
import { startsOf, stepsOf } from "../tool-flow.ts";

/** `$json.error`, `$json?.error`, `$json["error"]`, `$('Node').item.json.error`, `item.json.error`. */
const LOOKS_AT_ERROR = /json\s{0,5}(?:\??\.\s{0,5}error\b|(?:\?\.)?\[["']error["']\])/i;

export const failureRules: readonly AuditRule[] = [
  {
    id: "validation/before-effects",
    severity: "error",
    appliesTo: ["tool"],
    message: "The node runs before the inputs were checked.",
    fix: "Put an IF or a Code node before it that checks the inputs, and answer VALIDATION_ERROR where they are wrong.",
    judge: (subject) =>
      faultsAt(
        uncheckedEffects(subject),
        "There is a path from the trigger to it without IF, Switch, Filter or checking code.",
      ),
  },
  {
    id: "critical-nodes/error-handling",
    severity: "error",
    appliesTo: ["tool"],
    message: "The tool stops when this node fails.",
    fix: "In the node's settings set On Error to Continue (using error output), and connect that output to an error answer.",
    judge: (subject) =>
      faultsAt(
        stepsOf(subject)
          .filter(isCritical)
          .filter((node) => errorHandlingOf(node) === "stopWorkflow"),
        "onError is stopWorkflow.",
      ),
  },
  {
    id: "critical-nodes/error-connected",
    severity: "error",
    appliesTo: ["tool"],
    message: "Nothing answers when this node fails.",
    fix: "Connect the error output to an error answer.",
    judge: (subject) => {
      const { graph, nodes } = subject;
      const checks = nodes.filter((node) => isCheck(node) && hasText(node.parameters, LOOKS_AT_ERROR));
      const beforeCheck = leadingTo(
        graph,
        checks.map(({ name }) => name),
      );
      const isChecked = (name: string): boolean =>
        graph.outgoing(name, MAIN).some(({ to }) => beforeCheck.has(to));
      return stepsOf(subject)
        .filter(isCritical)
        .flatMap((node) => {
          const handling = errorHandlingOf(node);
          if (handling === "continueErrorOutput" && errorConnections(graph, node).length === 0)
            return faultsAt([node], "Its error output is not connected.");
          if (handling !== "continueRegularOutput" || isChecked(node.name)) return [];
          return faultsAt([node], "No IF, Switch, Filter or code after it looks at $json.error.", {
            fix: "Put an IF on $json.error right after it, or use the error output.",
          });
        });
    },
  },
  {
    id: "error-workflow/set",
    severity: "warning",
    appliesTo: ["server", "tool"],
    message: "The workflow has no error workflow.",
    fix: "Choose one in the workflow's settings.",
    // Without the setting, n8n starts the workflow's own Error Trigger.
    judge: ({ outline: { errorWorkflowId }, version }) =>
      faultUnless(
        errorWorkflowId !== undefined || version.nodes.some(({ type }) => type === ERROR_TRIGGER),
        "settings.errorWorkflow is not set.",
      ),
  },
  {
    id: "error-workflow/exists",
    severity: "error",
    appliesTo: ["server", "tool"],
    message: "The error workflow does not exist, or this API key may not see it.",
    fix: "Choose another error workflow in the settings.",
    judge: ({ workflow, outline: { errorWorkflowId }, instance }) => {
      if (errorWorkflowId === undefined) return [];
      if (isUnread(instance, errorWorkflowId))
        return [{ node: null, reason: "The error workflow could not be read." }];
      const obstacle = obstacleTo(workflow.id, errorWorkflowId, instance);
      return faultUnless(obstacle === undefined, `settings.errorWorkflow is ${errorWorkflowId}.`, obstacle);
    },
  },
  {
    id: "error-workflow/sound",
    severity: "error",
    appliesTo: ["error_workflow"],
    message: "The error workflow has no Error Trigger that can run.",
    fix: "Begin it with an Error Trigger.",
    judge: ({ graph, nodes, workflow, outline }) => {
      const triggers = nodes.filter(({ type }) => type === ERROR_TRIGGER);
      if (triggers.length === 0) return faultUnless(false, "No enabled node is an Error Trigger.");
      const idle = triggers.find(({ name }) => graph.outgoing(name, MAIN).length === 0);
      if (idle !== undefined) {
        return faultsAt([idle], "Its output is not connected.", {
          message: "Nothing follows the Error Trigger.",
          fix: "Connect a node that notifies somebody of the failure.",
        });
      }
      return faultUnless(
        outline.errorWorkflowId !== workflow.id,
        "settings.errorWorkflow is the workflow itself.",
        {
          message: "Nothing handles the errors of the error workflow: n8n does not start it for its own.",
          fix: "Clear the setting, or choose another error workflow.",
        },
      );
    },
  },
];

/** On each path, the search ends at a check or at the first node with an effect. */
function uncheckedEffects(subject: AuditSubject): readonly WorkflowNodeWithParameters[] {
  const { inputs } = subject.outline;
  const takesNothing = inputs?.mode !== "passthrough" && inputs?.inputs.length === 0;
  if (takesNothing) return [];
  const steps = stepsOf(subject);
  const effects = steps.filter((node) => isCritical(node) && !isCheck(node));
  const ends = new Set(steps.filter((node) => isCritical(node) || isCheck(node)).map(({ name }) => name));
  const reached = closureOf(startsOf(subject), (name) =>
    ends.has(name) ? [] : subject.graph.outgoing(name, MAIN).map(({ to }) => to),
  );
  return effects.filter(({ name }) => reached.has(name));
}

/** Why n8n cannot start the error workflow when an execution fails. */
function obstacleTo(
  callerId: string,
  id: string,
  { workflows, callsUnpublished }: InstanceFacts,
): Pick<Fault, "message" | "fix"> | undefined {
  const handler = workflows.get(id);
  if (handler === undefined) return {};
  if (handler.isArchived) return { message: "The error workflow is archived." };
  if (!handler.isPublished && !callsUnpublished)
    return { message: "The error workflow is not published.", fix: "Publish it." };
  if (mayCall(callerId, handler)) return undefined;
  return {
    message: "The error workflow does not allow this workflow to call it.",
    fix: "In the settings of the error workflow, allow this workflow to call it.",
  };
}
