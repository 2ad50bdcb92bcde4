/**
 * A proxy on loopback that guards an n8n as Cloudflare Access does: it requires the two headers of a service token, and
 * redirects other requests to a login page of another origin.
 * Without both headers, or with wrong values, nothing reaches the n8n; with them a request is forwarded
 * without them, as Access does it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { handOn } from "./hand-on.ts";
import { listenOnLoopback, stopServer } from "./loopback-server.ts";

const CLIENT_ID = "0123456789abcdef.access";
export const CLIENT_SECRET = "access-client-secret-of-the-tests";
/** The two headers that the proxy requires. */
export const ACCESS_HEADERS = {
  "CF-Access-Client-Id": CLIENT_ID,
  "CF-Access-Client-Secret": CLIENT_SECRET,
} as const;

export interface AccessProxy {
  baseUrl: string;
  /** Every request, in order, whether it was admitted, and whether it carried n8n's key. */
  requests: { path: string; admitted: boolean; carriedKey: boolean }[];
  close: () => Promise<void>;
}

/** @param logInOrigin that of the login page; Cloudflare's is `https://<team>.cloudflareaccess.com` */
export async function startAccessProxy(targetUrl: string, logInOrigin: string): Promise<AccessProxy> {
  const requests: AccessProxy["requests"] = [];
  const server = createServer(async (request, response) => {
    const admitted = isAdmitted(request);
    const carriedKey = request.headers["x-n8n-api-key"] !== undefined;
    requests.push({ path: request.url ?? "", admitted, carriedKey });
    if (!admitted) {
      answerLogIn(request, response, logInOrigin);
      return;
    }
    for (const name of Object.keys(ACCESS_HEADERS)) delete request.headers[name.toLowerCase()];
    await handOn(targetUrl, request, response).catch(() => response.destroy());
  });
  const baseUrl = await listenOnLoopback(server);
  return { baseUrl, requests, close: async () => await stopServer(server) };
}

function isAdmitted({ headers }: IncomingMessage): boolean {
  return Object.entries(ACCESS_HEADERS).every(([name, value]) => headers[name.toLowerCase()] === value);
}

/** Answers as Access does without a sign-in: a redirect, a cookie, and no body. */
function answerLogIn(request: IncomingMessage, response: ServerResponse, logInOrigin: string): void {
  const { host = "n8n.example.com" } = request.headers;
  const query = new URLSearchParams({ kid: "0123456789abcdef", redirect_url: request.url ?? "/" });
  response.writeHead(302, {
    location: `${logInOrigin}/cdn-cgi/access/login/${host}?${query}`,
    "set-cookie": "CF_AppSession=0123456789abcdef; HttpOnly; Path=/",
    "cache-control": "private, max-age=0, no-store",
    server: "cloudflare",
  });
  response.end();
}
