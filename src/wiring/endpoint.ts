/** The MCP endpoint: one for each public address and set of n8n instances that a caller may see. */
import { env } from "cloudflare:workers";
import type { AuthInfo } from "@modelcontextprotocol/server";
import { recordActivity } from "../activity-log/record.ts";
import { createRequestIdDigest } from "../activity-log/request-id-digest.ts";
import { PROMPTS, RESOURCES, TOOLS, toolsForInstances } from "../features/index.ts";
import { forNamedInstance } from "../features/instances.ts";
import type { ToolContext } from "../features/tool-context.ts";
import { type AuditCall, createCallAudit } from "../mcp/call-audit.ts";
import type { Tool } from "../mcp/define-tool.ts";
import { type Envelope, errorEnvelope } from "../mcp/envelope.ts";
import { createMcpEndpoint, type DirectCall, type McpEndpoint } from "../mcp/handler.ts";
import { readJsonBody } from "../mcp/json-body.ts";
import { pageUrlOf } from "../pages/app/addresses.ts";
import { systemClock } from "../platform/clock.ts";
import { log } from "../platform/log.ts";
import {
  arePagesOn,
  type CallerAccess,
  namesOfInstances,
  ownSecrets,
  readPublicUrl,
  readRedactionSettings,
} from "../settings/index.ts";
import { createCallLimits } from "./call-limit.ts";
import { visibleInstances } from "./caller-view.ts";
import { createAdmit } from "./concurrent-calls.ts";
import { createInstancesContext, createToolContext } from "./create-context.ts";
import { isolateThread } from "./isolate-thread.ts";
import { spans } from "./spans.ts";

/** The verified caller, in the shape of the OAuth library (its `OAuthResourceContext`). */
export interface VerifiedContext {
  readonly auth: {
    readonly token: string;
    readonly audience: string;
    readonly scope: readonly string[];
    readonly clientId?: string;
    readonly expiresAt?: number;
  };
  readonly props: { readonly userId: string; readonly access: CallerAccess };
}

type McpRequestHandler = (request: Request, env: Env, ctx: VerifiedContext) => Promise<Response>;

type PageCall = Pick<DirectCall, "name" | "args" | "url" | "gone" | "progress">;

interface ToolServer {
  readonly serve: McpRequestHandler;
  /** Calls a tool as MCP does: limits, scopes, redaction, budgets and activity log are the same. */
  readonly call: (call: PageCall, env: Env, ctx: VerifiedContext) => Promise<Envelope>;
  /** Names of the n8n instances that the caller may see; empty if the only one has no name. */
  readonly instances: (env: Env, ctx: Pick<VerifiedContext, "props">) => readonly string[];
}

/** One queue for the isolate, which has one thread. */
const admit = createAdmit(systemClock, isolateThread);
const audit: AuditCall = (call) => recordActivity({ event: "tool_call", ...call });

/** Serves requests that sign-in has admitted. */
export function createToolServer(tools: readonly Tool<ToolContext>[]): ToolServer {
  const endpoints = new Map<string, McpEndpoint>();
  let limits: ReturnType<typeof createCallLimits> | undefined;
  const limitsOf = ({ CALL_LIMIT: limit }: Env) => (limits ??= createCallLimits({ limit, log }));
  const callerOf = ({ props: { userId }, auth: { clientId = "unknown" } }: VerifiedContext) => ({
    userId,
    noteRefused(name: string): void {
      const call = { userId, clientId, tool: tools.some((each) => each.name === name) ? name : "unknown" };
      createCallAudit({ call, audit, digest: () => undefined, now: Date.now }).refuse("RATE_LIMITED");
    },
  });
  const instances: ToolServer["instances"] = (requestEnv, { props: { access } }) =>
    visibleInstances(requestEnv, access, namesOfInstances(requestEnv));
  const endpointFor = (requestEnv: Env, url: string, ctx: VerifiedContext): McpEndpoint => {
    const publicUrl = readPublicUrl(requestEnv, url);
    const names = instances(requestEnv, ctx);
    const key = [publicUrl, ...names].join(" ");
    const endpoint = endpoints.get(key) ?? createEndpoint(tools, publicUrl, names);
    endpoints.set(key, endpoint);
    return endpoint;
  };
  return {
    instances,
    async serve(request, requestEnv, ctx) {
      const read = await readJsonBody(request);
      const refusal = await limitsOf(requestEnv).ofRequest(read, callerOf(ctx));
      if (refusal !== undefined) return refusal;
      return await endpointFor(requestEnv, request.url, ctx).serve(read, authInfoOf(ctx));
    },
    async call(call, requestEnv, ctx) {
      const error = await limitsOf(requestEnv).ofTools([call.name], callerOf(ctx));
      if (error !== undefined) return errorEnvelope(error, { timestamp: new Date().toISOString() });
      return await endpointFor(requestEnv, call.url, ctx).call({ ...call, authInfo: authInfoOf(ctx) });
    },
  };
}

function authInfoOf({ auth, props }: VerifiedContext): AuthInfo {
  const { token, scope, clientId, audience, expiresAt } = auth;
  // Fails closed: this server issues no token without a client.
  if (clientId === undefined) throw new TypeError("A token without a client.");
  const expiry = expiresAt === undefined ? {} : { expiresAt };
  return { token, clientId, scopes: [...scope], resource: new URL(audience), extra: { props }, ...expiry };
}

/** @param names of the n8n instances; empty if the only one has no name */
function createEndpoint(
  tools: readonly Tool<ToolContext>[],
  publicUrl: string,
  names: readonly string[],
): McpEndpoint {
  const common = {
    admit,
    ownSecrets: () => ownSecrets(env),
    redaction: () => readRedactionSettings(env),
    digest: createRequestIdDigest(env),
    spans,
    audit,
    publicUrl,
    pageUrlOf: (tool: string, data: unknown) =>
      arePagesOn(env) ? pageUrlOf(publicUrl, tool, data) : undefined,
    prompts: PROMPTS,
    resources: RESOURCES,
  };
  if (names.length > 1)
    return createMcpEndpoint({
      ...common,
      tools: toolsForInstances(tools, names),
      createContext: (origin) => createInstancesContext(env, origin, names),
      instances: names,
    });
  const [only] = names;
  return createMcpEndpoint({
    ...common,
    tools: only === undefined ? tools : tools.map(forNamedInstance),
    createContext: (origin) => createToolContext(env, origin, only),
  });
}

export const { serve: handleMcp, ...toolsForPage } = createToolServer(TOOLS);
