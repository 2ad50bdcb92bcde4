/** Makes what tools may use from the Worker's bindings, for one call of one user. */
import type { ToolContext } from "../mcp/define-tool.ts";
import { N8nClient } from "../n8n/client.ts";
import { readN8nSettings, readRedactionSettings, readRequestIdPaths, settingProblems } from "../settings.ts";
import { compileRequestIdPaths } from "../trace/request-id-paths.ts";
import { traceStoreOf } from "../trace/trace-session.ts";
import { TOOLS } from "./index.ts";

export interface CallOfUser {
  readonly userId: string;
  /** The URL of the request, which stands in for PUBLIC_URL on loopback. */
  readonly requestUrl: string;
  readonly progress: ToolContext["progress"];
}

/** Fails closed: while it is not known what to redact, nothing is read. */
function createClient(env: Env): N8nClient {
  readRedactionSettings(env);
  return new N8nClient(readN8nSettings(env));
}

export function createToolContext(env: Env, call: CallOfUser): ToolContext {
  return {
    n8n: () => createClient(env),
    requestIdPaths: () => compileRequestIdPaths(readRequestIdPaths(env)),
    settingProblems: () => settingProblems(env, call.requestUrl),
    toolNames: TOOLS.map((tool) => tool.name),
    traces: traceStoreOf(env.TRACE_SESSION, call.userId),
    now: Date.now,
    newTraceId: () => `trace_${crypto.randomUUID()}`,
    progress: call.progress,
  };
}
