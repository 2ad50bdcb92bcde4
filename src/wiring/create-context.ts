/** Makes what tools may use from the Worker's bindings, for one call of one user. */

import { TOOLS } from "../features/index.ts";
import type { ToolContext } from "../features/tool-context.ts";
import { compileRequestIdPaths } from "../history/request-id-paths.ts";
import type { CallOrigin } from "../mcp/handler.ts";
import { createN8nUrls } from "../n8n/n8n-urls.ts";
import { systemClock } from "../platform/clock.ts";
import { readErrorText, readN8nSettings, readRequestIdPaths, settingProblems } from "../settings/index.ts";
import { createHistoryQueries } from "./history-calls.ts";
import { createCapabilities, createClient } from "./n8n-access.ts";

export function createToolContext(env: Env, call: CallOrigin): ToolContext {
  return {
    n8n: () => createClient(env, call),
    n8nUrls: () => createN8nUrls(readN8nSettings(env)),
    capabilities: () => createCapabilities(env, call),
    requestIdPaths: () => compileRequestIdPaths(readRequestIdPaths(env)),
    settingProblems: () => settingProblems(env, call.requestUrl),
    toolNames: TOOLS.map((tool) => tool.name),
    history: () => createHistoryQueries(env, call),
    clock: systemClock,
    mayShowErrorText: () => call.scopes.includes("n8n:data") || readErrorText(env) === "read",
    mayReadData: call.scopes.includes("n8n:data"),
    ...call.redaction,
    progress: call.progress,
  };
}
