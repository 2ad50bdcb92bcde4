import { type AuditRule, found } from "../rule.ts";

export const securityMcpClientCredentials: AuditRule = {
  id: "security/mcp-client-credentials",
  severity: "warning",
  title: "MCP Client nodes sign in with a credential.",
  reason: "A server that lets a client in without one lets everybody in.",
  good: "Authentication: Bearer Auth",
  bad: "Authentication: None",
  appliesTo: ["any"],
  judge: ({ outline }) =>
    found(
      ...outline.clients
        .filter(
          ({ authentication, credentialTypes }) => authentication === "none" && credentialTypes.length === 0,
        )
        .map(({ node }) => ({
          node,
          message: "The MCP client uses no credential.",
          evidence: "authentication is none.",
          fix: "Require authentication at the server, and choose the credential here.",
        })),
    ),
};
