/** The MCP endpoint, one for each public host: every tool, or (in the conformance suite's Worker) others. */
import { env } from "cloudflare:workers";
import type { StatelessMcpHandler } from "agents/mcp/server";
import { recordActivity } from "../activity-log/record.ts";
import { createRequestIdDigest } from "../activity-log/request-id-digest.ts";
import { TOOLS } from "../features/index.ts";
import type { ToolContext } from "../features/tool-context.ts";
import type { Tool } from "../mcp/define-tool.ts";
import { createMcpEndpoint } from "../mcp/handler.ts";
import { ownSecrets, readPublicUrl, readRedactionSettings } from "../settings/index.ts";
import { createAdmit } from "./admit-call.ts";
import { createToolContext } from "./create-context.ts";

type McpRequestHandler = (request: Request, env: Env, ctx: ExecutionContext) => Promise<Response>;

/** Serves requests that sign-in has let through: `ctx.auth` and `ctx.props` say for whom. */
export function serveTools(tools: readonly Tool<ToolContext>[]): McpRequestHandler {
  const endpoints = new Map<string, StatelessMcpHandler>();
  const endpointFor = (hostname: string): StatelessMcpHandler => {
    const endpoint = endpoints.get(hostname) ?? createEndpoint(tools, hostname);
    endpoints.set(hostname, endpoint);
    return endpoint;
  };
  return async (request, _env, ctx) => {
    const { hostname } = new URL(readPublicUrl(env, request.url));
    return await endpointFor(hostname)(request, env, ctx);
  };
}

function createEndpoint(tools: readonly Tool<ToolContext>[], hostname: string): StatelessMcpHandler {
  return createMcpEndpoint({
    tools,
    createContext: (origin) => createToolContext(env, origin),
    admit: createAdmit(env.CALL_LIMIT),
    ownSecrets: () => ownSecrets(env),
    redaction: () => readRedactionSettings(env),
    audit: (call) => recordActivity({ event: "tool_call", ...call }),
    digest: createRequestIdDigest(env),
    hostname,
  });
}

export const handleMcp = serveTools(TOOLS);
