import { type AuditRule, found, type RuleFinding } from "../rule.ts";

export const securityTriggerAuthentication: AuditRule = {
  id: "security/trigger-authentication",
  severity: "error",
  title: "An MCP Server Trigger requires authentication.",
  reason: "Whoever finds the address can call every tool.",
  good: "Authentication: Bearer Auth, with a credential",
  bad: "Authentication: None",
  appliesTo: ["server"],
  judge: ({ outline }) =>
    found(
      ...outline.triggers.flatMap(({ node, authentication, credentialTypes }): RuleFinding[] => {
        if (authentication === "none")
          return [finding(node, "The MCP server answers everybody.", "authentication is none.")];
        // n8n signs callers in itself.
        if (authentication === "n8nOAuth2" || credentialTypes.length > 0) return [];
        return [finding(node, "The MCP server has no credential to compare with.", "credentials is empty.")];
      }),
    ),
};

const finding = (node: string, message: string, evidence: string): RuleFinding => ({
  node,
  message,
  evidence,
  fix: "Set Authentication to Bearer Auth, Header Auth or n8n OAuth2, and choose a credential.",
});
