/** The steps of a workflow that call a tool's sub-workflow, as a router does. Pure. */
import type { WorkflowNodeWithParameters } from "../../n8n/workflow-schemas.ts";
import { EXECUTE_WORKFLOW } from "../../workflows/node-types.ts";
import { subWorkflowReference } from "../../workflows/sub-workflow-calls.ts";
import type { InstanceFacts } from "./instance-facts.ts";

/** The guide's mark of sub-workflows that serve as tools. */
export const TOOL_PREFIX = "SWF_";

/** Whether it is a step that calls a workflow which is a tool of a server, or is named like one. */
export function callsTool(
  node: WorkflowNodeWithParameters,
  { toolUses, workflows }: Pick<InstanceFacts, "toolUses" | "workflows">,
): boolean {
  if (node.type !== EXECUTE_WORKFLOW) return false;
  const reference = subWorkflowReference(node);
  if (reference.kind !== "id") return false;
  const name = workflows.get(reference.workflowId)?.name ?? "";
  return toolUses.has(reference.workflowId) || name.startsWith(TOOL_PREFIX);
}
