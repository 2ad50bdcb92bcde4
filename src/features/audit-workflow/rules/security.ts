/** The guide's rules about access and secrets. Pure. */
import { pattern } from "../../../platform/pattern.ts";
import type { McpClient } from "../../../workflows/mcp-nodes.ts";
import { isStickyNote, MCP_REGISTRY_CLIENT_TOOL } from "../../../workflows/node-types.ts";
import { codeOf, withoutQuoted } from "../node-kinds.ts";
import { type AuditRule, type Fault, faultsAt } from "../rule.ts";

/** Calls that write to n8n's log, or to custom data, which everyone who may list executions can see. */
const LOGGING =
  /(?:\bconsole\.(?:log|info|warn|error|debug)|\bcustomData\.set(?:All)?|\bprint)\s{0,5}\(([^;\n]{0,500})/g;
/** Whole items, bodies and headers. */
const WHOLE_ITEMS = pattern()`
  [$_]json(?:\.(?:body|headers|query))?\s{0,5}[,)]
  |[$_]input\.(?:all\(\)|first\(\)|item)(?:\.json)?\s{0,5}[,)]
  |\b_?items?(?:\[\d+\])?(?:\.json)?\s{0,5}[,)]
`;
/** A variable or member whose name says that it holds a secret. */
const SECRET_NAME = pattern("i")`
  headers|authorization|cookie|passw|secret|\b(?:access|refresh|auth|api|bearer)?_?token\b
  |(?:Access|Refresh|Auth)Token|api_?key|credential
`;

export const securityRules: readonly AuditRule[] = [
  {
    id: "security/trigger-authentication",
    severity: "error",
    appliesTo: ["server"],
    message: "The MCP server answers everybody.",
    fix: "Set Authentication to Bearer Auth, Header Auth or n8n OAuth2, and choose a credential.",
    judge: ({ outline }) =>
      outline.triggers.flatMap(({ node, authentication, credentialTypes }): Fault[] => {
        if (authentication === "none") return [{ node, evidence: "authentication is none." }];
        // n8n itself authenticates callers.
        if (authentication === "n8nOAuth2" || credentialTypes.length > 0) return [];
        const message = "The MCP server has no credential to compare with.";
        return [{ node, evidence: "credentials is empty.", message }];
      }),
  },
  {
    id: "security/no-plain-secret",
    severity: "error",
    appliesTo: ["any"],
    message: "A secret is stored in plain text.",
    fix: "Move it into a credential, take it out here, and replace it at its provider: others may have seen it.",
    judge: ({ version, findSecrets }) =>
      version.nodes.flatMap((node) => {
        // Other people see only the content of a sticky note.
        const shown = isStickyNote(node) ? { content: node.parameters.content ?? "" } : node.parameters;
        return findSecrets(shown).map((path) => ({ node: node.name, evidence: `Parameter ${path}.` }));
      }),
  },
  {
    id: "security/mcp-client-credentials",
    severity: "warning",
    appliesTo: ["any"],
    message: "The MCP client uses no credential.",
    fix: "Require authentication at the server, and choose the credential here.",
    judge: ({ outline }) =>
      outline.clients
        .filter((client) => !signsIn(client))
        .map(({ node }) => ({ node, evidence: "authentication is none, or no credential is chosen." })),
  },
  {
    id: "security/mcp-client-tools",
    severity: "warning",
    appliesTo: ["any"],
    message: "The MCP client lets through tools that nobody has chosen.",
    fix: "Set Tools to Include to Selected, and choose them.",
    judge: ({ outline }) =>
      outline.clients
        .filter(({ include }) => include === "all" || include === "except")
        .map(({ node, include }) => ({ node, evidence: `include is ${include}.` })),
  },
  {
    id: "security/no-sensitive-log",
    severity: "warning",
    appliesTo: ["server", "tool", "error_workflow"],
    message: "The node logs whole items, headers or secrets.",
    fix: "Log ids and states alone.",
    judge: ({ nodes }) =>
      faultsAt(
        nodes.filter((node) => logsSensitive(codeOf(node) ?? "")),
        "The code passes them to a logging call or to customData.set.",
      ),
  },
];

/** A node from n8n's registry has a credential instead of an authentication setting. */
const signsIn = ({ nodeType, authentication, credentialTypes }: McpClient): boolean =>
  credentialTypes.length > 0 && (nodeType === MCP_REGISTRY_CLIENT_TOOL || authentication !== "none");

function logsSensitive(code: string): boolean {
  return [...withoutQuoted(code).matchAll(LOGGING)].some(
    ([, logged = ""]) => WHOLE_ITEMS.test(logged) || SECRET_NAME.test(logged),
  );
}
