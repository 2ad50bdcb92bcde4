/** A server that answers a doctor as n8n-observer does, but for the faults that a test gives it. */
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Certificate } from "../../support/certificates.ts";

interface Played {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Faults {
  /** Answers in place of the server; undefined where it answers itself. "silence" breaks the connection off. */
  readonly answer?: (
    method: string,
    path: string,
    origin: string,
    hasToken: boolean,
  ) => Played | "silence" | undefined;
  /** What its addresses are said to be, where not as it is called. */
  readonly publicUrl?: string;
  readonly settingProblems?: readonly unknown[];
  readonly clockSkewMs?: number;
  /** Lines of check_connection. */
  readonly checks?: readonly unknown[];
  readonly certificate?: Pick<Certificate, "cert" | "key">;
}

export interface PlayedServer {
  readonly origin: string;
  readonly close: () => Promise<void>;
  /** Method and path of what was asked, in order. */
  readonly asked: string[];
}

export const TOKEN = "n8no_token-of-the-played-server";

export const CHECKS = [
  { check: "n8n reachable", status: "pass", detail: "n8n answers at N8N_BASE_URL." },
  { check: "history index", status: "pass", detail: "It knows 12 executions, all that n8n has." },
];

function usual(request: IncomingMessage, publicUrl: string, faults: Faults): Played {
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
      faults.answer?.(method, url, origin, hasToken) ?? usual(request, faults.publicUrl ?? origin, faults);
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
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The played server has no port.");
  origin = `${certificate === undefined ? "http" : "https"}://127.0.0.1:${address.port}`;
  return {
    origin,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
