/** The MCP endpoint with every tool in it, one for each public host. */
import { env } from "cloudflare:workers";
import type { StatelessMcpHandler } from "agents/mcp/server";
import { createMcpEndpoint } from "../mcp/handler.ts";
import { ownSecrets, readPublicUrl, readRedactionSettings } from "../settings.ts";
import { TOOLS } from "./index.ts";
import { createToolContext } from "./tool-context.ts";

const endpoints = new Map<string, StatelessMcpHandler>();

function endpointFor(hostname: string): StatelessMcpHandler {
  const known = endpoints.get(hostname);
  if (known !== undefined) return known;
  const endpoint = createMcpEndpoint({
    tools: TOOLS,
    createContext: (origin) => createToolContext(env, origin),
    ownSecrets: () => ownSecrets(env),
    redaction: () => readRedactionSettings(env),
    hostname,
  });
  endpoints.set(hostname, endpoint);
  return endpoint;
}

/** Serves a request that sign-in has let through: `ctx.auth` and `ctx.props` say for whom. */
export async function handleMcp(request: Request, _env: Env, ctx: ExecutionContext): Promise<Response> {
  const { hostname } = new URL(readPublicUrl(env, request.url));
  return await endpointFor(hostname)(request, env, ctx);
}
