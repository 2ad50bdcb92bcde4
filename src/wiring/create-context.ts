/** Builds a tool's context from the Worker's bindings, for one call of one user. */
import { TOOLS } from "../features/index.ts";
import type { InstancesContext } from "../features/instances.ts";
import type { ToolContext } from "../features/tool-context.ts";
import type { CallOrigin } from "../mcp/run-call.ts";
import { KnownCapabilities } from "../n8n/capabilities/store.ts";
import { createN8nUrls } from "../n8n/n8n-urls.ts";
import { VisibleN8n } from "../n8n/visible-n8n.ts";
import { systemClock } from "../platform/clock.ts";
import {
  instancesSharingKey,
  type N8nInstance,
  readErrorText,
  readInstances,
  settingProblems,
  wordForInstance,
} from "../settings/index.ts";
import { comparableIdsOf } from "./comparable-ids.ts";
import { createHistoryQueries } from "./history-calls.ts";
import { capabilityStoreOf, createClient } from "./n8n-access.ts";
import { ownKeyOf } from "./own-keys.ts";

/** Reads settings lazily: malformed ones stop only the tools that need them. @param name of the instance, if any */
export function createToolContext(env: Env, call: CallOrigin, name?: string): ToolContext {
  const instance = (): N8nInstance => instanceNamed(env, name);
  let made: ReturnType<typeof createHistoryQueries> | undefined;
  const queries = () => (made ??= createHistoryQueries(env, call, instance()));
  let viewing: ReturnType<ReturnType<typeof queries>["view"]> | undefined;
  const view = () => (viewing ??= queries().view());
  const tell = async (message: string): Promise<void> => await call.progress(0, message);
  const client = () =>
    createClient(env, call, instance(), ownKeyOf(env, call.access, instance()))
      .until(call.gone)
      .retrying({ clock: systemClock, tell });
  const nameOwnKey = (sentence: string): string =>
    call.access.kind === "own keys" ? sentence.replaceAll("N8N_API_KEY", "your API key") : sentence;
  const maySeeData = async (workflowId: string | null): Promise<boolean> =>
    call.scopes.includes("n8n:data") &&
    (workflowId === null ? await queries().mayReadAllData() : (await view()).mayReadData(workflowId));
  return {
    n8n: () => new VisibleN8n(client(), view, call.showsData),
    n8nUrls: () => createN8nUrls(instance()),
    capabilities: () => new KnownCapabilities(capabilityStoreOf(env, instance())),
    requestIdPaths: () => comparableIdsOf(env),
    settingProblems: () => settingProblems(env, call.requestUrl),
    renameSettings: (sentence) =>
      name === undefined ? nameOwnKey(sentence) : wordForInstance(nameOwnKey(sentence), name),
    toolNames: TOOLS.map((tool) => tool.name),
    history: queries,
    unreportedFacts: async () => await queries().unreportedFacts(),
    maySeeErrorText: async (workflowId) => readErrorText(env) === "read" || (await maySeeData(workflowId)),
    maySeeData,
    ...commonContext(call),
  };
}

/** @param names of the instances that the call may use */
export function createInstancesContext(
  env: Env,
  call: CallOrigin,
  names: readonly string[],
): InstancesContext {
  return {
    of: (name) => createToolContext(env, call, name),
    instancesSharingKey: () => instancesSharingKey(names.map((name) => instanceNamed(env, name))),
    ...commonContext(call),
  };
}

const commonContext = ({ redaction, progress, pause }: CallOrigin) => ({
  clock: systemClock,
  ...redaction,
  progress,
  pause,
});

function instanceNamed(env: Env, name: string | undefined): N8nInstance {
  const instances = readInstances(env);
  const instance = name === undefined ? [...instances.values()][0] : instances.get(name);
  if (instance === undefined) throw new TypeError("There is no n8n of this name.");
  return instance;
}
