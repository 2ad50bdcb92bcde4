/** An OAuth client like those of MCP: public, registered dynamically, with PKCE (RFC 7591, RFC 7636). */
import { env } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { mcpPost, toolCall } from "../../support/mcp-post.ts";
import { HOST } from "../mcp-call.ts";
import { PASSPHRASE, PUBLIC_URL } from "../secrets.ts";
import { Browser, destinationOf, handleOf, sendToWorker } from "./browser.ts";

export const REDIRECT_URI = "https://client.example/callback";
export const CODE_VERIFIER = "a-code-verifier-of-at-least-forty-three-characters";

export function register(
  metadata: Record<string, unknown> = {},
  headers: Record<string, string> = {},
  send = sendToWorker,
): Promise<Response> {
  const body = {
    client_name: "Test client",
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: "none",
    ...metadata,
  };
  const request = new Request(`${PUBLIC_URL}/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return send(request);
}

export async function registeredClientId(
  metadata: Record<string, unknown> = {},
  send = sendToWorker,
): Promise<string> {
  const response = await register(metadata, {}, send);
  const { client_id: clientId } = await response.json<{ client_id: string }>();
  return clientId;
}

export function authorizeUrl(clientId: string, changes: Record<string, string | undefined> = {}): string {
  const parameters: Record<string, string | undefined> = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: createHash("sha256").update(CODE_VERIFIER).digest("base64url"),
    code_challenge_method: "S256",
    scope: "n8n:read",
    state: "state-of-the-client",
    resource: `${PUBLIC_URL}/mcp`,
    ...changes,
  };
  const url = new URL(`${PUBLIC_URL}/authorize`);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}

export function exchangeCode(
  clientId: string,
  code: string,
  changes: Record<string, string> = {},
  send = sendToWorker,
): Promise<Response> {
  const request = new Request(`${PUBLIC_URL}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id: clientId,
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: CODE_VERIFIER,
      ...changes,
    }),
  });
  return send(request);
}

export function refresh(
  clientId: string,
  refreshToken: string,
  changes: Record<string, string> = {},
): Promise<Response> {
  const body = new URLSearchParams({
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token: refreshToken,
    ...changes,
  });
  return sendToWorker(new Request(`${PUBLIC_URL}/token`, { method: "POST", body }));
}

/** Opens the consent page. @returns the handle in its form */
export async function openConsent(
  browser: Browser,
  clientId: string,
  changes: Record<string, string> = {},
): Promise<string> {
  const page = await browser.open(authorizeUrl(clientId, changes));
  return handleOf(await page.text());
}

/** Signs in with the right passphrase, up to the authorization code. */
export async function obtainCode(
  browser: Browser,
  clientId: string,
  fields: Record<string, string> = {},
): Promise<string> {
  const handle = await openConsent(browser, clientId);
  const answer = await browser.post({ handle, decision: "approve", passphrase: PASSPHRASE, ...fields });
  return destinationOf(answer).searchParams.get("code") ?? "";
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

/** Signs in completely, in a new browser. */
export async function obtainTokens(clientId: string, fields: Record<string, string> = {}): Promise<Tokens> {
  const response = await exchangeCode(clientId, await obtainCode(new Browser(), clientId, fields));
  if (response.status !== 200) throw new Error(`no tokens in an answer ${response.status}`);
  return response.json<Tokens>();
}

export async function signIn(
  fields: Record<string, string> = {},
): Promise<{ clientId: string; tokens: Tokens }> {
  const clientId = await registeredClientId();
  return { clientId, tokens: await obtainTokens(clientId, fields) };
}

export async function obtainAccessToken(fields: Record<string, string> = {}): Promise<string> {
  return (await signIn(fields)).tokens.access_token;
}

/** Calls the MCP endpoint with a harmless message. */
export function callMcp(
  headers: Record<string, string>,
  path = "/mcp",
  send = sendToWorker,
): Promise<Response> {
  return send(mcpRequest(headers, path));
}

export const callStatus = async (token: string): Promise<number> =>
  (await callMcp({ Authorization: `Bearer ${token}` })).status;

export function callTool(token: string, name: string, args: object): Request {
  return new Request(`${PUBLIC_URL}/mcp`, mcpPost(token, toolCall(name, args), HOST));
}

export function mcpRequest(headers: Record<string, string>, path = "/mcp"): Request {
  const init = mcpPost(undefined, { method: "ping" }, { ...HOST, ...headers });
  return new Request(`${PUBLIC_URL}${path}`, init);
}

export async function storedClients(): Promise<number> {
  return (await env.OAUTH_KV.list({ prefix: "client:" })).keys.length;
}
