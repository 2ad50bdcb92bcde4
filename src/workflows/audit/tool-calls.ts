/** The steps of a workflow that call a tool's sub-workflow, as a router does. Pure. */
import type { WorkflowNodeWithParameters } from "../../n8n/workflow-schemas.ts";
import { EXECUTE_WORKFLOW } from "../node-types.ts";
import { subWorkflowReference } from "../sub-workflow-calls.ts";
import type { AuditSubject } from "./subject.ts";

/** Steps that call a workflow which is also a tool of a server, or is named like one. */
export function toolCallSteps({ nodes, instance }: AuditSubject): WorkflowNodeWithParameters[] {
  return nodes.filter((node) => {
    if (node.type !== EXECUTE_WORKFLOW) return false;
    const reference = subWorkflowReference(node);
    if (reference.kind !== "id") return false;
    const name = instance.workflows.get(reference.workflowId)?.name ?? "";
    return instance.toolUses.has(reference.workflowId) || name.startsWith("SWF_");
  });
}
