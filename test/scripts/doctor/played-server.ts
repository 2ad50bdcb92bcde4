/** A server that answers the doctor as n8n-observer does, except for the faults that a test gives it. */
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Certificate } from "../../support/certificates.ts";
import { listenOnLoopback, stopServer } from "../../support/loopback-server.ts";

interface Played {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Faults {
  /** Answers instead of the server, unless undefined. "silence" closes the connection. */
  readonly answer?: (
    method: string,
    path: string,
    origin: string,
    hasToken: boolean,
  ) => Played | "silence" | undefined;
  /** The origin in its metadata, if not its own. */
  readonly publicUrl?: string;
  readonly settingProblems?: readonly unknown[];
  readonly clockSkewMs?: number;
  /** The checks that check_connection returns. */
  readonly checks?: readonly unknown[];
  readonly certificate?: Pick<Certificate, "cert" | "key">;
}

export interface PlayedServer {
  readonly origin: string;
  readonly close: () => Promise<void>;
  /** Method and path of each request, in order. */
  readonly asked: string[];
}

export const TOKEN = "n8no_token-of-the-played-server";

export const CHECKS = [
  { check: "n8n reachable", status: "pass", detail: "n8n answers at N8N_BASE_URL." },
  { check: "history index", status: "pass", detail: "It knows 12 executions, all that n8n has." },
];

function healthyAnswer(request: IncomingMessage, publicUrl: string, faults: Faults): Played {
  const { method = "", url = "" } = request;
  if (url === "/")
    return { status: 200, body: { instances: [], settingProblems: faults.settingProblems ?? [] } };
  if (url === "/.well-known/oauth-protected-resource/mcp")
    return { status: 200, body: { resource: `${publicUrl}/mcp`, authorization_servers: [publicUrl] } };
  if (url === "/.well-known/oauth-authorization-server") {
    const at = (path: string): string => `${publicUrl}${path}`;
    return {
      status: 200,
      body: {
        issuer: publicUrl,
        authorization_endpoint: at("/authorize"),
        token_endpoint: at("/token"),
        registration_endpoint: at("/register"),
      },
    };
  }
  if (url === "/register" && method === "POST") return { status: 201, body: { client_id: "client-1" } };
  if (url === "/mcp" && request.headers.authorization === `Bearer ${TOKEN}`) {
    const structuredContent = {
      status: "success",
      message: "Ready.",
      data: { ready: true, checks: faults.checks ?? CHECKS },
    };
    return { status: 200, body: { jsonrpc: "2.0", id: 1, result: { content: [], structuredContent } } };
  }
  if (url === "/mcp") {
    const challenge = `Bearer resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp"`;
    return { status: 401, headers: { "www-authenticate": challenge }, body: { error: "invalid_token" } };
  }
  return { status: 404, body: { error: "not_found" } };
}

export async function playServer(faults: Faults = {}): Promise<PlayedServer> {
  const asked: string[] = [];
  let origin = "";
  const listener: Parameters<typeof createHttpServer>[1] = (request, response) => {
    const { method = "", url = "" } = request;
    asked.push(`${method} ${url}`);
    const hasToken = request.headers.authorization !== undefined;
    const played =
      faults.answer?.(method, url, origin, hasToken) ??
      healthyAnswer(request, faults.publicUrl ?? origin, faults);
    if (played === "silence") return void response.destroy();
    const { status, headers = {}, body = "" } = played;
    response.writeHead(status, {
      ...(faults.clockSkewMs === undefined
        ? {}
        : { date: new Date(Date.now() + faults.clockSkewMs).toUTCString() }),
      "content-type": typeof body === "string" ? "text/html" : "application/json",
      ...headers,
    });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  const { certificate } = faults;
  const server =
    certificate === undefined ? createHttpServer(listener) : createHttpsServer({ ...certificate }, listener);
  const httpOrigin = await listenOnLoopback(server);
  origin = certificate === undefined ? httpOrigin : httpOrigin.replace("http:", "https:");
  return { origin, asked, close: async () => await stopServer(server) };
}
