import { type AuditRule, found, PASSED } from "../rule.ts";
import { TOOL_PREFIX } from "../tool-calls.ts";

export const namingToolPrefix: AuditRule = {
  id: "naming/tool-prefix",
  severity: "warning",
  title: `Sub-workflows that serve as tools begin with ${TOOL_PREFIX}.`,
  reason:
    "In a list of hundreds, nobody else sees which workflows an agent can call, and changes one unawares.",
  good: "SWF_Get_User",
  bad: "Get User",
  appliesTo: ["tool"],
  judge: ({ workflow, toolUses }) => {
    if (workflow.name.startsWith(TOOL_PREFIX)) return PASSED;
    return found({
      node: null,
      message: `The sub-workflow of a tool does not begin with ${TOOL_PREFIX}.`,
      evidence: toolUses.map(({ node, serverName }) => `called by ${node} of ${serverName}`).join("; "),
      fix: `Rename it so that it begins with ${TOOL_PREFIX}, for example SWF_Get_User.`,
    });
  },
};
