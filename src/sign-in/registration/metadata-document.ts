/**
 * Clients that are identified by the address of their metadata document
 * (draft-ietf-oauth-client-id-metadata-document-00, the version that MCP 2026-07-28 names): decides which addresses may
 * be read, and which parts of a document are trusted. No I/O.
 */
import type { ClientInfo } from "@cloudflare/workers-oauth-provider";
import * as z from "zod";
import { isPlainDocumentUrl, type RegistrationSettings } from "../../settings/index.ts";
import { MAXIMUM_CLIENT_NAME_LENGTH, MAXIMUM_REDIRECT_URIS } from "./client-metadata.ts";
import { isAllowedRedirectUri } from "./redirect-uris.ts";

const clientDocument = z.object({
  client_id: z.string(),
  client_name: z.string().trim().min(1).max(MAXIMUM_CLIENT_NAME_LENGTH),
  redirect_uris: z.array(z.string()).min(1).max(MAXIMUM_REDIRECT_URIS),
  grant_types: z.array(z.string()).default(["authorization_code"]),
  response_types: z.array(z.string()).default(["code"]),
  token_endpoint_auth_method: z.string().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  // A document is public: a secret in it is a mistake or a trap (§4.1).
  client_secret: z.never().optional(),
  client_secret_expires_at: z.never().optional(),
});

export const isDocumentUrl = (clientId: string): boolean => /^https:\/\//i.test(clientId);

/** Whether this is the plain address of a listed document, or of a document on a listed host. */
export function isReadableDocumentUrl(clientId: string, sources: readonly string[]): boolean {
  if (!isPlainDocumentUrl(clientId)) return false;
  return sources.includes(clientId) || sources.includes(new URL(clientId).hostname);
}

/**
 * The client that a document describes; `undefined` unless the document names this very address and the client can sign
 * in here: without a secret, with a code, to a callback on the list. The document's other members are ignored.
 */
export function toDocumentClient(
  clientId: string,
  value: unknown,
  { redirects }: RegistrationSettings,
): ClientInfo | undefined {
  const parsed = clientDocument.safeParse(value);
  if (!parsed.success || parsed.data.client_id !== clientId) return undefined;
  const document = parsed.data;
  const redirectUris = document.redirect_uris.filter((uri) => isAllowedRedirectUri(uri, redirects));
  const isPublic = authMethods(document).includes("none");
  const usesCode =
    document.grant_types.includes("authorization_code") && document.response_types.includes("code");
  if (!isPublic || !usesCode || redirectUris.length === 0) return undefined;
  return {
    clientId,
    clientName: document.client_name,
    redirectUris,
    grantTypes: ["authorization_code", "refresh_token"],
    responseTypes: ["code"],
    tokenEndpointAuthMethod: "none",
  };
}

/**
 * Copies of documents that their hosts hide from servers in some data centres, by a bot check
 * (https://github.com/anthropics/claude-ai-mcp/issues/650, https://github.com/anthropics/claude-code/issues/84263). A
 * copy is used only while the host does not answer, never for a document that was withdrawn or changed.
 */
const KNOWN_DOCUMENTS: Readonly<Record<string, { client_name: string; redirect_uris: readonly string[] }>> = {
  "https://claude.ai/oauth/mcp-oauth-client-metadata": {
    client_name: "Claude",
    redirect_uris: ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
  },
  "https://claude.ai/oauth/claude-code-client-metadata": {
    client_name: "Claude Code",
    redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
  },
};

/** `undefined` if there is no copy for this address. */
export function knownDocument(clientId: string): unknown {
  const known = Object.hasOwn(KNOWN_DOCUMENTS, clientId) ? KNOWN_DOCUMENTS[clientId] : undefined;
  return known && { client_id: clientId, ...known };
}

/** A client that names no method cannot have a secret here, so it is public. */
function authMethods(document: z.infer<typeof clientDocument>): readonly string[] {
  const { token_endpoint_auth_method: one, token_endpoint_auth_methods_supported: more } = document;
  if (one === undefined && more === undefined) return ["none"];
  return [...(one === undefined ? [] : [one]), ...(more ?? [])];
}
