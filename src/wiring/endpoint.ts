/**
 * The MCP endpoint, one for each public address and each set of n8n instances: every tool, or (in the conformance suite's Worker)
 * others.
 */
import { env } from "cloudflare:workers";
import type { StatelessMcpHandler } from "agents/mcp/server";
import { recordActivity } from "../activity-log/record.ts";
import { createRequestIdDigest } from "../activity-log/request-id-digest.ts";
import { PROMPTS, RESOURCES, TOOLS, toolsForInstances } from "../features/index.ts";
import { forNamedInstance } from "../features/instances.ts";
import type { ToolContext } from "../features/tool-context.ts";
import { type AuditCall, createCallAudit } from "../mcp/call-audit.ts";
import type { Tool } from "../mcp/define-tool.ts";
import { createMcpEndpoint, log } from "../mcp/handler.ts";
import { namesOfInstances, ownSecrets, readPublicUrl, readRedactionSettings } from "../settings/index.ts";
import { createAdmit } from "./admit-call.ts";
import { createCallLimit } from "./call-limit.ts";
import { createInstancesContext, createToolContext } from "./create-context.ts";
import { spans } from "./spans.ts";

/** As sign-in has verified it. */
export interface CallerContext extends ExecutionContext<{ readonly userId: string }> {
  readonly auth: { readonly clientId?: string | undefined };
}

type McpRequestHandler = (request: Request, env: Env, ctx: CallerContext) => Promise<Response>;

/** One line for the isolate: it has one thread. */
const admit = createAdmit();
const audit: AuditCall = (call) => recordActivity({ event: "tool_call", ...call });

/** Serves requests that sign-in has admitted: `ctx.auth` and `ctx.props` identify the caller. */
export function serveTools(tools: readonly Tool<ToolContext>[]): McpRequestHandler {
  const endpoints = new Map<string, StatelessMcpHandler>();
  const limitCalls = createCallLimit({
    limit: { limit: async (options) => await env.CALL_LIMIT.limit(options) },
    log,
  });
  const noteRefused = ({ props: { userId }, auth: { clientId } }: CallerContext, name: string): void => {
    const tool = tools.some((each) => each.name === name) ? name : "unknown";
    const call = { userId, clientId: clientId ?? "unknown", tool };
    createCallAudit({ call, audit, digest: () => undefined, now: Date.now }).refuse("RATE_LIMITED");
  };
  return async (request, requestEnv, ctx) => {
    const refusal = await limitCalls(request, {
      userId: ctx.props.userId,
      noteRefused: (name) => noteRefused(ctx, name),
    });
    if (refusal !== undefined) return refusal;
    const publicUrl = readPublicUrl(requestEnv, request.url);
    const names = namesOfInstances(env);
    const key = [publicUrl, ...names].join(" ");
    const endpoint = endpoints.get(key) ?? createEndpoint(tools, publicUrl, names);
    endpoints.set(key, endpoint);
    return await endpoint(request, env, ctx);
  };
}

/** @param names of the n8n instances; empty if the only one has no name */
function createEndpoint(
  tools: readonly Tool<ToolContext>[],
  publicUrl: string,
  names: readonly string[],
): StatelessMcpHandler {
  const common = {
    admit,
    ownSecrets: () => ownSecrets(env),
    redaction: () => readRedactionSettings(env),
    digest: createRequestIdDigest(env),
    spans,
    audit,
    publicUrl,
    prompts: PROMPTS,
    resources: RESOURCES,
  };
  if (names.length > 1)
    return createMcpEndpoint({
      ...common,
      tools: toolsForInstances(tools, names),
      createContext: (origin) => createInstancesContext(env, origin),
      instances: names,
    });
  const [only] = names;
  return createMcpEndpoint({
    ...common,
    tools: only === undefined ? tools : tools.map(forNamedInstance),
    createContext: (origin) => createToolContext(env, origin, only),
  });
}

export const handleMcp = serveTools(TOOLS);
