/** Makes what tools may use from the Worker's bindings, for one call of one user. */

import { TOOLS } from "../features/index.ts";
import type { InstancesContext } from "../features/instances-context.ts";
import type { ToolContext } from "../features/tool-context.ts";
import { type CorrelationDigest, createCorrelationDigest } from "../history/correlation-digest.ts";
import { memoryIdentity } from "../history/memory-identity.ts";
import { compileRequestIdPaths } from "../history/request-id-paths.ts";
import type { TraceMemory } from "../history/trace-memory.ts";
import { traceMemoryOf } from "../history/trace-session.ts";
import type { CallOrigin } from "../mcp/handler.ts";
import { KnownCapabilities } from "../n8n/capabilities/store.ts";
import { N8nClient } from "../n8n/client.ts";
import { createCapabilityStore } from "../n8n/limiter/instance-capabilities.ts";
import { createTakeSlot } from "../n8n/limiter/take-slot.ts";
import { createN8nUrls } from "../n8n/n8n-urls.ts";
import { systemClock } from "../platform/clock.ts";
import {
  instancesWithOneKey,
  inWordsOfInstance,
  type N8nInstance,
  readErrorText,
  readInstances,
  readRedactionSettings,
  readRequestIdPaths,
  settingProblems,
} from "../settings/index.ts";

/** Fails closed: while it is not known what to redact or to show, or how much n8n may be asked, nothing is read. */
function createClient(env: Env, { userId, countBytes, log }: CallOrigin, instance: N8nInstance): N8nClient {
  readRedactionSettings(env);
  readErrorText(env);
  const takeSlot = createTakeSlot(env.N8N_LIMITER, instance.name, userId, log, placementOf(instance));
  return new N8nClient(instance, undefined, countBytes, takeSlot);
}

function createCapabilities(env: Env, { log }: CallOrigin, instance: N8nInstance): KnownCapabilities {
  const { name, baseUrl, apiPath } = instance;
  return new KnownCapabilities(
    createCapabilityStore(env.N8N_LIMITER, name, `${baseUrl}${apiPath}`, log, placementOf(instance)),
  );
}

/** What the calling user's traces remember of one n8n: an object that no other user and no other n8n has. */
function historyOf(env: Env, call: CallOrigin, instance: N8nInstance): TraceMemory {
  return traceMemoryOf(
    env.TRACE_SESSION,
    // No name of an instance has a space in it.
    `${instance.name} ${call.userId}`,
    memoryIdentity(digestFor(call, instance), instance.baseUrl, readRequestIdPaths(env)),
    placementOf(instance),
  );
}

/**
 * What a call may use of one n8n.
 * @param name of the n8n, where it has one in the settings. Settings are read when they are needed: where they are
 * malformed, what can be told without them is told.
 */
export function createToolContext(env: Env, call: CallOrigin, name?: string): ToolContext {
  const instance = (): N8nInstance => instanceNamed(env, name);
  return {
    n8n: () => createClient(env, call, instance()),
    n8nUrls: () => createN8nUrls(instance()),
    capabilities: () => createCapabilities(env, call, instance()),
    requestIdPaths: () => compileRequestIdPaths(readRequestIdPaths(env)),
    settingProblems: () => settingProblems(env, call.requestUrl),
    inItsWords: (sentence) => (name === undefined ? sentence : inWordsOfInstance(sentence, name)),
    toolNames: TOOLS.map((tool) => tool.name),
    memory: () => historyOf(env, call, instance()),
    digest: () => digestFor(call, instance()),
    mayShowErrorText: () => call.scopes.includes("n8n:data") || readErrorText(env) === "read",
    newTraceId: () => `trace_${crypto.randomUUID()}`,
    newSearchId: () => `search_${crypto.randomUUID()}`,
    mayReadData: call.scopes.includes("n8n:data"),
    ...commonContext(call),
  };
}

/** What a call may use of several n8ns, one by one. */
export function createInstancesContext(env: Env, call: CallOrigin): InstancesContext {
  return {
    of: (name) => createToolContext(env, call, name),
    withOneKey: () => instancesWithOneKey(readInstances(env).values()),
    ...commonContext(call),
  };
}

function commonContext({ redaction, progress }: CallOrigin) {
  return { clock: systemClock, ...redaction, progress };
}

function instanceNamed(env: Env, name: string | undefined): N8nInstance {
  const instances = readInstances(env);
  const instance = name === undefined ? [...instances.values()][0] : instances.get(name);
  if (instance === undefined) throw new TypeError("There is no n8n of this name.");
  return instance;
}

function placementOf({ locationHint }: N8nInstance): DurableObjectNamespaceGetDurableObjectOptions {
  return locationHint === undefined ? {} : { locationHint };
}

/** The API key is known to the Worker alone: a key of its own would be one more secret to set. */
function digestFor({ userId }: CallOrigin, { apiKey }: N8nInstance): CorrelationDigest {
  return createCorrelationDigest(apiKey, userId);
}
