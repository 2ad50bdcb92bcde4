import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import type { NodeParameters } from "../../../workflows/node-parameters.ts";
import { EXECUTE_WORKFLOW, TOOL_WORKFLOW } from "../../../workflows/node-types.ts";
import { isRequestIdName, mentionsRequestId } from "../request-id.ts";
import { type AuditRule, found, type RuleFinding } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";
import { serverToolNodes } from "../tool-nodes.ts";

const FIX =
  "Add an input request_id, and hand it on to every sub-workflow, or set it as custom data of the execution.";

export const traceabilityRequestId: AuditRule = {
  id: "traceability/request-id",
  severity: "warning",
  title: "A request id is carried from the entry to the sub-workflows.",
  reason: "What happened to a request can be told only where its id stands.",
  good: "request_id is an input of each tool and of each sub-workflow call.",
  bad: "The sub-workflow is called without it.",
  appliesTo: ["server", "tool"],
  judge: (subject) => found(...lostAtTools(subject), ...lostAtCalls(subject), ...lostInTool(subject)),
};

function lostAtTools(subject: AuditSubject): RuleFinding[] {
  return serverToolNodes(subject)
    .filter((node) => node.type === TOOL_WORKFLOW && !mentionsRequestId(inputsOf(node)))
    .map((node) => lost(node, "The tool takes no request id."));
}

/** What it hands on: the description only tells of it. */
function inputsOf({
  parameters: { description: _description, ...rest },
}: WorkflowNodeWithParameters): NodeParameters {
  return rest;
}

/** Calls that wait for an answer belong to the request. */
function lostAtCalls({ nodes }: AuditSubject): RuleFinding[] {
  return nodes
    .filter((node) => node.type === EXECUTE_WORKFLOW && isMapped(node) && !mentionsRequestId(node.parameters))
    .map((node) => lost(node, "The sub-workflow is called without the request id."));
}

/** Without mapped inputs it hands on all that it is given. */
function isMapped({ parameters }: WorkflowNodeWithParameters): boolean {
  const inputs: unknown = parameters.workflowInputs;
  return (
    typeof inputs === "object" &&
    inputs !== null &&
    "value" in inputs &&
    Object.keys(inputs.value ?? {}).length > 0
  );
}

function lostInTool({ roles, nodes, outline }: AuditSubject): RuleFinding[] {
  if (!roles.has("tool")) return [];
  const isTaken = (outline.inputs?.inputs ?? []).some(({ name }) => isRequestIdName(name));
  if (isTaken || nodes.some(({ parameters }) => mentionsRequestId(parameters))) return [];
  return [
    {
      node: null,
      message: "The sub-workflow of a tool knows no request id.",
      evidence: "No input, expression or custom data of that name.",
      fix: FIX,
    },
  ];
}

const lost = ({ name }: WorkflowNodeWithParameters, message: string): RuleFinding => ({
  node: name,
  message,
  evidence: "No input, expression or custom data of that name.",
  fix: FIX,
});
