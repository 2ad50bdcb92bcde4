/** Makes what tools may use from the Worker's bindings, for one call of one user. */

import { TOOLS } from "../features/index.ts";
import type { ToolContext } from "../features/tool-context.ts";
import { type CorrelationDigest, createCorrelationDigest } from "../history/correlation-digest.ts";
import { memoryIdentity } from "../history/memory-identity.ts";
import { compileRequestIdPaths } from "../history/request-id-paths.ts";
import { traceMemoryOf } from "../history/trace-session.ts";
import type { CallOrigin } from "../mcp/handler.ts";
import { KnownCapabilities } from "../n8n/capabilities/store.ts";
import { N8nClient } from "../n8n/client.ts";
import { createCapabilityStore } from "../n8n/limiter/instance-capabilities.ts";
import { createTakeSlot } from "../n8n/limiter/take-slot.ts";
import { createN8nUrls } from "../n8n/n8n-urls.ts";
import { systemClock } from "../platform/clock.ts";
import {
  readErrorText,
  readLocationHint,
  readN8nLimits,
  readN8nSettings,
  readRedactionSettings,
  readRequestIdPaths,
  settingProblems,
} from "../settings/index.ts";

/** Fails closed: while it is not known what to redact or to show, or how much n8n may be asked, nothing is read. */
function createClient(env: Env, { userId, countBytes, log }: CallOrigin): N8nClient {
  readRedactionSettings(env);
  readErrorText(env);
  readN8nLimits(env);
  const takeSlot = createTakeSlot(env.N8N_LIMITER, userId, log, placementOf(env));
  return new N8nClient(readN8nSettings(env), undefined, countBytes, takeSlot);
}

/** What another address answers says nothing of this one. */
function createCapabilities(env: Env, { log }: CallOrigin): KnownCapabilities {
  const { baseUrl, apiPath } = readN8nSettings(env);
  return new KnownCapabilities(
    createCapabilityStore(env.N8N_LIMITER, `${baseUrl}${apiPath}`, log, placementOf(env)),
  );
}

export function createToolContext(env: Env, call: CallOrigin): ToolContext {
  return {
    n8n: () => createClient(env, call),
    n8nUrls: () => createN8nUrls(readN8nSettings(env)),
    capabilities: () => createCapabilities(env, call),
    requestIdPaths: () => compileRequestIdPaths(readRequestIdPaths(env)),
    settingProblems: () => settingProblems(env, call.requestUrl),
    toolNames: TOOLS.map((tool) => tool.name),
    memory: () =>
      traceMemoryOf(
        env.TRACE_SESSION,
        call.userId,
        memoryIdentity(digestFor(env, call), readN8nSettings(env).baseUrl, readRequestIdPaths(env)),
        placementOf(env),
      ),
    digest: () => digestFor(env, call),
    clock: systemClock,
    mayShowErrorText: () => call.scopes.includes("n8n:data") || readErrorText(env) === "read",
    newTraceId: () => `trace_${crypto.randomUUID()}`,
    newSearchId: () => `search_${crypto.randomUUID()}`,
    mayReadData: call.scopes.includes("n8n:data"),
    ...call.redaction,
    progress: call.progress,
  };
}

function placementOf(env: Env): DurableObjectNamespaceGetDurableObjectOptions {
  const locationHint = readLocationHint(env);
  return locationHint === undefined ? {} : { locationHint };
}

/** The API key is known to the Worker alone: a key of its own would be one more secret to set. */
function digestFor(env: Env, { userId }: CallOrigin): CorrelationDigest {
  return createCorrelationDigest(readN8nSettings(env).apiKey, userId);
}
