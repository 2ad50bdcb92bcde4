import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import type { NodeParameters } from "../../../workflows/node-parameters.ts";
import { isStickyNote } from "../../../workflows/node-types.ts";
import { type AuditRule, found } from "../rule.ts";

export const securityNoPlainSecret: AuditRule = {
  id: "security/no-plain-secret",
  severity: "error",
  title: "No secret stands in the parameters of a node.",
  reason:
    "Parameters are exported, copied, shown to everyone who may see the workflow, and saved with each execution.",
  good: "A credential of n8n's",
  bad: "An API key in a header parameter or in the text of a Code node",
  appliesTo: ["any"],
  judge: ({ version, findSecrets }) =>
    found(
      ...version.nodes.flatMap((node) =>
        findSecrets(shownParameters(node)).map((path) => ({
          node: node.name,
          message: "A secret stands in plain text.",
          evidence: `Parameter ${path}.`,
          fix: "Move it into a credential, take it out here, and replace it at its provider: it was seen.",
        })),
      ),
    ),
};

/** Of a sticky note its text, whatever else it has. */
function shownParameters(node: WorkflowNodeWithParameters): NodeParameters {
  return isStickyNote(node) ? { content: node.parameters.content ?? "" } : node.parameters;
}
