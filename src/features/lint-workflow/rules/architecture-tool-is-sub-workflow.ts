import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { TOOL_WORKFLOW } from "../../../workflows/node-types.ts";
import { subWorkflowReference } from "../../../workflows/sub-workflow-calls.ts";
import { toolNaming } from "../../../workflows/tool-names.ts";
import { type AuditRule, found, notJudged, PASSED, type RuleOutcome, together } from "../rule.ts";
import { serverToolNodes } from "../tool-nodes.ts";

export const architectureToolIsSubWorkflow: AuditRule = {
  id: "architecture/tool-is-sub-workflow",
  severity: "warning",
  title: "A tool is a sub-workflow called by a Call n8n Workflow Tool node.",
  reason:
    "A sub-workflow has executions of its own, an error workflow and tests; a tool that is a single node leaves no trace of what it did.",
  good: "tool.get_user (Call n8n Workflow Tool) calls SWF_Get_User.",
  bad: "An HTTP Request Tool hangs at the MCP Server Trigger.",
  appliesTo: ["server"],
  judge: (subject) => together(serverToolNodes(subject).map(judgeTool)),
};

function judgeTool(node: WorkflowNodeWithParameters): RuleOutcome {
  // The tools of another server are sub-workflows there, or not.
  if (toolNaming(node).kind === "many") return PASSED;
  if (node.type !== TOOL_WORKFLOW) {
    return found({
      node: node.name,
      message: "A node of the server is a tool by itself.",
      evidence: `The node's type is ${node.type}.`,
      fix: "Put what it does into a sub-workflow, and call that with a Call n8n Workflow Tool node.",
    });
  }
  switch (subWorkflowReference(node).kind) {
    case "id":
      return PASSED;
    case "expression":
      return notJudged(node.name, "Which workflow it calls is an expression.");
    case "missing":
      return found({
        node: node.name,
        message: "The tool calls no workflow.",
        evidence: "workflowId is empty.",
        fix: "Choose the sub-workflow in the node.",
      });
    default:
      return found({
        node: node.name,
        message: "The tool's workflow does not stand in the instance's database.",
        evidence: "source is not the database.",
        fix: "Save the sub-workflow as a workflow of its own, and choose it from the list.",
      });
  }
}
