import { toServer } from "../../../workflows/mcp-server-map.ts";
import { type AuditRule, found } from "../rule.ts";

export const namingToolCollision: AuditRule = {
  id: "naming/tool-collision",
  severity: "error",
  title: "No two tools of a server have the same name once n8n has renamed them.",
  reason:
    "n8n turns every sign but letters, digits, _ and - into _, and a server with two tools of one name answers nobody.",
  good: "tool.get_user and tool.list_users",
  bad: "tool.get_user and tool get_user: agents would see tool_get_user twice.",
  appliesTo: ["server"],
  judge: ({ outline, instance }) => {
    return found(
      ...toServer(instance, outline).collisions.map((name) => ({
        node: outline.tools.findLast(({ mcpName }) => mcpName === name)?.node ?? null,
        message: "Two tools have the same name.",
        evidence: `Agents see ${name} more than once.`,
        fix: "Rename one of the tool nodes.",
      })),
    );
  },
};
