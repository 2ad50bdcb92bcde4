import { MCP_REGISTRY_CLIENT_TOOL } from "../../../workflows/node-types.ts";
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
        .filter(({ nodeType, authentication, credentialTypes }) =>
          // Those of n8n's registry name their credential in place of a kind of authentication.
          nodeType === MCP_REGISTRY_CLIENT_TOOL
            ? credentialTypes.length === 0
            : authentication === "none" || credentialTypes.length === 0,
        )
        .map(({ node }) => ({
          node,
          message: "The MCP client uses no credential.",
          evidence: "authentication is none, or no credential is chosen.",
          fix: "Require authentication at the server, and choose the credential here.",
        })),
    ),
};
