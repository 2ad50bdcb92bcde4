import { type AuditRule, found } from "../rule.ts";

export const securityMcpClientTools: AuditRule = {
  id: "security/mcp-client-tools",
  severity: "warning",
  title: "MCP Client nodes let through only the tools that are needed.",
  reason: "Whatever the other server adds tomorrow, an agent can call the same day.",
  good: "Tools to include: Selected",
  bad: "Tools to include: All",
  appliesTo: ["any"],
  judge: ({ outline }) =>
    found(
      ...outline.clients
        .filter(({ include }) => include === "all" || include === "except")
        .map(({ node, include }) => ({
          node,
          message: "The MCP client lets through tools that nobody has chosen.",
          evidence: `include is ${include}.`,
          fix: "Set Tools to Include to Selected, and choose them.",
        })),
    ),
};
