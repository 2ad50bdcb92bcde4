import { TOOL_WORKFLOW } from "../../../workflows/node-types.ts";
import { type AuditRule, found, PASSED, together } from "../rule.ts";
import { serverToolNodes } from "../tool-nodes.ts";

/** `tool.<action>_<entity>`: one action, and an entity of one word or more. */
const TOOL_NODE_NAME = /^tool\.[a-z][a-z0-9]*(_[a-z0-9]+)+$/;

export const namingToolNode: AuditRule = {
  id: "naming/tool-node",
  severity: "warning",
  title: "Tool nodes are named tool.<action>_<entity>.",
  reason: "The node's name is what agents see and choose by: it has to say what the tool does, and to what.",
  good: "tool.get_user",
  bad: "Get the user",
  appliesTo: ["server"],
  judge: (subject) =>
    together(
      serverToolNodes(subject)
        .filter(({ type }) => type === TOOL_WORKFLOW)
        .map(({ name }) =>
          TOOL_NODE_NAME.test(name)
            ? PASSED
            : found({
                node: name,
                message: "The tool node is not named tool.<action>_<entity>.",
                evidence: `Its name is ${name}.`,
                fix: "Rename it, for example tool.get_user. Agents then see tool_get_user.",
              }),
        ),
    ),
};
