/**
 * An app that connects. It registers (RFC 7591), sends the browser to the consent page with PKCE, and listens
 * for the answer at a callback on loopback (RFC 8252 §7.3). Then it exchanges the code and refreshes.
 */
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import * as z from "zod";
import { listenOnLoopback, stopServer } from "../../support/loopback-server.ts";

const registration = z.object({ client_id: z.string() });

export const tokens = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  scope: z.string(),
});
export type Tokens = z.infer<typeof tokens>;

export interface App {
  readonly clientId: string;
  readonly redirectUri: string;
  /** The parameters of every callback, in order. */
  readonly answers: readonly URLSearchParams[];
  /** The page that the app opens in the browser. */
  authorizeUrl(scope?: string): string;
  exchange(code: string): Promise<Response>;
  refresh(refreshToken: string): Promise<Response>;
  close(): Promise<void>;
}

/**
 * @param origin that of the Worker
 * @param forwardTo where the callback redirects the browser, as apps with a URL scheme of their own do
 */
export async function connectApp(origin: string, clientName: string, forwardTo?: string): Promise<App> {
  const answers: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname === "/callback") answers.push(url.searchParams);
    if (forwardTo !== undefined) response.writeHead(302, { Location: forwardTo });
    else response.setHeader("Content-Type", "text/html");
    response.end("<!doctype html><title>App</title><h1>Back in the app</h1>");
  });
  const redirectUri = `${await listenOnLoopback(server)}/callback`;
  const clientId = await register(origin, clientName, redirectUri);
  const codeVerifier = randomBytes(32).toString("base64url");
  const requestTokens = (fields: Record<string, string>): Promise<Response> =>
    fetch(`${origin}/token`, {
      method: "POST",
      body: new URLSearchParams({ client_id: clientId, resource: `${origin}/mcp`, ...fields }),
    });
  return {
    clientId,
    redirectUri,
    answers,
    authorizeUrl: (scope = "n8n:read") => {
      const url = new URL("/authorize", origin);
      url.search = new URLSearchParams({
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirectUri,
        code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
        code_challenge_method: "S256",
        scope,
        state: "state-of-the-app",
        resource: `${origin}/mcp`,
      }).toString();
      return url.href;
    },
    exchange: (code) =>
      requestTokens({
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      }),
    refresh: (refreshToken) => requestTokens({ grant_type: "refresh_token", refresh_token: refreshToken }),
    close: () => stopServer(server),
  };
}

async function register(origin: string, clientName: string, redirectUri: string): Promise<string> {
  const response = await fetch(`${origin}/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      client_name: clientName,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
    }),
  });
  return registration.parse(await response.json()).client_id;
}
