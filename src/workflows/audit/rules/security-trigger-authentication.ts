import { type AuditRule, found } from "../rule.ts";

export const securityTriggerAuthentication: AuditRule = {
  id: "security/trigger-authentication",
  severity: "error",
  title: "An MCP Server Trigger requires authentication.",
  reason: "Whoever finds the address can call every tool.",
  good: "Authentication: Bearer Auth",
  bad: "Authentication: None",
  appliesTo: ["server"],
  judge: ({ outline }) =>
    found(
      ...outline.triggers
        .filter(({ authentication }) => authentication === "none")
        .map(({ node }) => ({
          node,
          message: "The MCP server answers everybody.",
          evidence: "authentication is none.",
          fix: "Set Authentication to Bearer Auth, Header Auth or n8n OAuth2, and choose a credential.",
        })),
    ),
};
