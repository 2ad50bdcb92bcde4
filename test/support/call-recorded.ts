/**
 * Calls tools as the server does, through the same boundary, on the recorded n8n and outside workerd.
 * Only the transport and the caller's token are left out; traces are kept in memory.
 */
import type { ActivityLine } from "../../src/activity-log/entry.ts";
import { createRequestIdDigest } from "../../src/activity-log/request-id-digest.ts";
import { TOOLS, toolsForInstances } from "../../src/features/index.ts";
import type { InstancesContext } from "../../src/features/instances.ts";
import type { ToolContext } from "../../src/features/tool-context.ts";
import { type ComparableIds, createComparableIds } from "../../src/history/request-ids/comparable-ids.ts";
import { createCorrelationDigest } from "../../src/history/request-ids/correlation-digest.ts";
import { compileRequestIdPaths } from "../../src/history/request-ids/request-id-paths.ts";
import { createCallAudit } from "../../src/mcp/call-audit.ts";
import { callTool } from "../../src/mcp/call-tool.ts";
import type { Tool } from "../../src/mcp/define-tool.ts";
import type { Envelope } from "../../src/mcp/envelope.ts";
import { createRequestRedactor, serializeRules } from "../../src/mcp/request-redactor.ts";
import { type CapabilityStore, KnownCapabilities } from "../../src/n8n/capabilities/store.ts";
import { createN8nClient, type N8nClient } from "../../src/n8n/client.ts";
import { createN8nUrls } from "../../src/n8n/n8n-urls.ts";
import type { Fetch } from "../../src/n8n/requests.ts";
import { View } from "../../src/n8n/view.ts";
import { VisibleN8n } from "../../src/n8n/visible-n8n.ts";
import { newShortId } from "../../src/platform/short-id.ts";
import type { createRedactor } from "../../src/redaction/redact.ts";
import {
  instancesSharingKey,
  type N8nInstance,
  namesOfInstances,
  ownSecrets,
  readErrorText,
  readInstances,
  readRedactionSettings,
  readRequestIdPaths,
  SCOPES,
  settingProblems,
  wordForInstance,
} from "../../src/settings/index.ts";
import { createLocalCapabilities, N8N_2 } from "./local-capabilities.ts";
import { createLocalHistory, type LocalHistory, queriesOf } from "./local-history.ts";
import { createLocalTerms } from "./local-terms.ts";

export interface CallerOptions {
  /** Settings as the Worker's `env` holds them; by default `FAKE_SETTINGS`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly scopes?: readonly string[];
  /** The key of the index's terms, for tests that compare two. */
  readonly termKey?: string;
  readonly tools?: readonly Tool<ToolContext>[];
  readonly history?: LocalHistory;
  /** The history of each n8n by name, if there are several. */
  readonly historyOf?: (name: string) => LocalHistory;
  /** By default those of an n8n 2, already known. */
  readonly capabilities?: CapabilityStore;
  readonly now?: () => number;
  /** By default it returns at once. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
  /** By default every call is admitted. */
  readonly admit?: () => Promise<() => void>;
  /** Replaces the real one, as does `redact`. */
  readonly fetch?: Fetch;
  readonly redact?: ReturnType<typeof createRedactor>;
  /** The caller's view of the n8n; everything by default. */
  readonly view?: View;
  /** Receives each value that a tool redacts by itself, before its answer. */
  readonly onRedact?: (value: unknown) => void;
}

interface ProgressUpdate {
  readonly done: number;
  readonly message: string;
  readonly total: number | undefined;
}

export interface Caller {
  readonly call: (name: string, args?: unknown) => Promise<Envelope>;
  /** Progress messages, as a client would see them. */
  readonly progress: string[];
  /** The same with their numbers. */
  readonly updates: ProgressUpdate[];
  /** The operator's log. */
  readonly log: Readonly<Record<string, unknown>>[];
  /** The lines of the audit. */
  readonly audit: ActivityLine[];
  readonly history: LocalHistory;
}

/** The settings for a recorded n8n. */
export function settingsFor(n8n: { baseUrl: string; apiKey: string }): Record<string, string> {
  return { N8N_BASE_URL: n8n.baseUrl, N8N_API_KEY: n8n.apiKey, ACCESS_PASSPHRASE: "a passphrase for tests" };
}

/** The settings of one n8n whose answers a test makes by `fetch`. */
export const FAKE_SETTINGS = { N8N_BASE_URL: "http://localhost:1", N8N_API_KEY: "a-key-for-these-tests" };

const byName = <One extends { readonly name: string }>(tools: readonly One[]): Map<string, One> =>
  new Map(tools.map((tool) => [tool.name, tool]));

/** Tools whose messages the page shows to people (`src/pages/app`). */
const OF_THE_PAGE = new Set([
  "trace_request",
  "search_executions",
  "explain_failure",
  "get_execution",
  "get_execution_by_node",
  "explain_agent_run",
  "compare_executions",
  "summarize_failures",
]);
/** Terms that mean something only to a program: a tool, an argument, a member of an answer. */
const OF_PROGRAMS = new RegExp(
  `\\b(${TOOLS.map(({ name }) => name).join("|")}|requestId|traceId|searchId|n8n:data|deep: true|coverage\\.)`,
);

/** A message must not mention tools or arguments, which people cannot use: they belong in the guidance. */
function requireForPeople(tool: string, { status, message = "" }: Envelope): void {
  if (status !== "success" || !OF_THE_PAGE.has(tool)) return;
  const term = OF_PROGRAMS.exec(message.replace(/"[^"]*"/g, ""))?.[0];
  if (term !== undefined) throw new Error(`The message of ${tool} mentions ${term}: ${message}`);
}

/** A caller of the tools for one n8n or several (`N8N_INSTANCES`), according to the settings. */
export function createCaller(options: CallerOptions): Caller {
  const { settings = FAKE_SETTINGS }: CallerOptions = options;
  const tools = options.tools ?? TOOLS;
  const now = options.now ?? Date.now;
  // Created on demand, as most calls need none.
  let made: LocalHistory | undefined;
  const history = (): LocalHistory => {
    made ??= options.history ?? createLocalHistory();
    return made;
  };
  const histories = new Map<string, LocalHistory>();
  const historyOf =
    options.historyOf ??
    ((name: string): LocalHistory => {
      const own = histories.get(name) ?? createLocalHistory();
      histories.set(name, own);
      return own;
    });
  const capabilities = options.capabilities ?? createLocalCapabilities(N8N_2);
  const redactor = createRequestRedactor(ownSecrets(settings), () => readRedactionSettings(settings));
  const redact = options.redact ?? redactor.redact;
  const progress: string[] = [];
  const updates: ProgressUpdate[] = [];
  const log: Readonly<Record<string, unknown>>[] = [];
  const audit: ActivityLine[] = [];
  const noted =
    <Result>(redactValue: (value: unknown) => Result) =>
    (value: unknown): Result => {
      options.onRedact?.(value);
      return redactValue(value);
    };
  const instanceNamed = (name: string | undefined): N8nInstance => {
    const instances = readInstances(settings);
    const instance = name === undefined ? [...instances.values()][0] : instances.get(name);
    if (instance === undefined) throw new Error("The test names no n8n of its settings.");
    return instance;
  };
  const common = {
    clock: { now, sleep: options.sleep ?? (async () => {}) },
    pause: options.sleep ?? (async () => {}),
    redact: noted(redactor.preview),
    redactLarge: noted(async (value) => await redactor.unnumbered(value, async () => {})),
    print: async (value: unknown) => await redactor.print(value, async () => {}),
    progress: async (done: number, text: string, total?: number) => {
      const message = String(redact(text).value);
      progress.push(message);
      updates.push({ done, message, total });
    },
  };
  const comparableIds = (): ComparableIds =>
    createComparableIds(
      compileRequestIdPaths(readRequestIdPaths(settings)),
      createRequestRedactor([], () => readRedactionSettings(settings)).redact,
    );
  const clientOf = (countBytes: (bytes: number) => void, name: string | undefined): N8nClient => {
    readRedactionSettings(settings);
    readErrorText(settings);
    return createN8nClient(instanceNamed(name), { fetch: options.fetch, countBytes });
  };
  const { view = View.everything, scopes = SCOPES } = options;
  const maySeeData = async (workflowId: string | null) =>
    scopes.includes("n8n:data") && view.mayReadData(workflowId);
  const contextOf = (countBytes: (bytes: number) => void, name?: string, showsData = false): ToolContext => ({
    n8n: () => {
      const tell = async (message: string): Promise<void> => await common.progress(0, message);
      const client = clientOf(countBytes, name).retrying({ clock: common.clock, tell });
      return new VisibleN8n(client, async () => view, showsData);
    },
    n8nUrls: () => createN8nUrls(instanceNamed(name)),
    capabilities: () => new KnownCapabilities(capabilities),
    requestIdPaths: comparableIds,
    settingProblems: () => settingProblems(settings, "http://localhost:8787/mcp"),
    renameSettings: (sentence) => (name === undefined ? sentence : wordForInstance(sentence, name)),
    toolNames: tools.map((tool) => tool.name),
    history: () =>
      queriesOf(name === undefined ? history() : historyOf(name), {
        userId: "user",
        view,
        sources: {
          client: clientOf(countBytes, name),
          capabilities: new KnownCapabilities(capabilities),
          digest: createCorrelationDigest("a key for tests", "an n8n"),
          paths: comparableIds(),
          redactLarge: noted(async (value) => await redactor.unnumbered(value, async () => {})),
          terms: createLocalTerms(
            serializeRules(ownSecrets(settings), () => readRedactionSettings(settings)),
            options.termKey,
          ),
          clock: { now, sleep: async () => {} },
        },
        newId: newShortId,
      }),
    unreportedFacts: async () => [],
    maySeeErrorText: async (workflowId) =>
      readErrorText(settings) === "read" || (await maySeeData(workflowId)),
    maySeeData,
    ...common,
  });
  const instancesContextOf = (countBytes: (bytes: number) => void): InstancesContext => ({
    of: (name) => contextOf(countBytes, name),
    instancesSharingKey: () => instancesSharingKey(readInstances(settings).values()),
    ...common,
  });
  const names = namesOfInstances(settings);
  return {
    call: async (name, args) => {
      const called = createCallAudit({
        call: {
          userId: "user",
          clientId: "client",
          tool: tools.some((tool) => tool.name === name) ? name : "unknown",
        },
        audit: (line) => audit.push({ event: "tool_call", ...line }),
        digest: createRequestIdDigest(settings),
        now,
      });
      const boundary = {
        admit: options.admit ?? (async () => () => {}),
        scopes: options.scopes ?? SCOPES,
        redact,
        redactAnswer: async (value: unknown) =>
          options.redact?.(value) ?? (await redactor.redactWithPauses(value, async () => {})),
        now,
        noteIds: called.noteIds,
        newIncidentId: () => "incident-1",
        log: (line: Readonly<Record<string, unknown>>) => log.push(line),
      };
      const answer =
        names.length > 1
          ? await callTool(name, args, {
              tools: byName(toolsForInstances(tools, names)),
              context: instancesContextOf(called.countBytes),
              ...boundary,
            })
          : await callTool(name, args, {
              tools: byName(tools),
              context: contextOf(
                called.countBytes,
                undefined,
                tools.find((tool) => tool.name === name)?.scope === "n8n:data",
              ),
              ...boundary,
            });
      requireForPeople(name, answer);
      return called.end(answer);
    },
    progress,
    updates,
    log,
    audit,
    get history() {
      return history();
    },
  };
}
