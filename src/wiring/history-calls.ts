/** The history index as tools see it: one call of its object each. Its errors arrive as data and are rethrown here. */
import { lookCloser } from "../features/closer-look.ts";
import type { HistoryQueries } from "../history/history-queries.ts";
import { executionsLeft, percentKnown } from "../history/report/index-progress.ts";
import type { FailedIndex, IndexReport } from "../history/report/index-report.ts";
import { errorFacts, type ReportProgress } from "../history/scan/stop-facts.ts";
import type { AskReadable } from "../history/search/search-query.ts";
import type { HistoryTrace, TraceQuery } from "../history/trace/history-trace.ts";
import { NO_PROGRESS } from "../mcp/progress.ts";
import type { CallOrigin } from "../mcp/run-call.ts";
import { type Grant, givePayloadOfAll, type View } from "../n8n/view.ts";
import { VisibleN8n } from "../n8n/visible-n8n.ts";
import { systemClock } from "../platform/clock.ts";
import { ObserverError, orElse, orIfNotFound } from "../platform/errors.ts";
import { ObjectCalls, StorageFull } from "../platform/object-calls.ts";
import {
  type CallerAccess,
  type N8nInstance,
  readHistoryIndexSettings,
  readInstances,
  type Scope,
} from "../settings/index.ts";
import { grantsIn, viewOf } from "./caller-view.ts";
import type { ExplainedTrace, HistoryIndex } from "./history-index.ts";
import { historyIndexName } from "./history-index-name.ts";
import type { Answer, Calling, IndexUser } from "./index-callers.ts";
import { createClient, placementOf, type Requester } from "./n8n-access.ts";
import { grantsOfKey, ownKeyOf } from "./own-keys.ts";

/** Starts the background sync of each index. @throws ObserverError `CONFIGURATION_ERROR` */
export async function wakeHistoryIndexes(env: Env): Promise<void> {
  const waking = [...readInstances(env).values()].map(
    async (instance) => await openIndex(env, instance).repeatable(async (object) => await object.wake()),
  );
  // A failure must not keep the others from waking.
  const failed = (await Promise.allSettled(waking)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

/** The progress of each index, for the start page, without waking any. @throws ObserverError `CONFIGURATION_ERROR` */
export async function readIndexProgress(env: Env) {
  const settings = readHistoryIndexSettings(env);
  return await Promise.all(
    [...readInstances(env).values()].map(async (instance) => {
      const index = toValue(await openIndex(env, instance).repeatable(async (object) => object.report(true)));
      // Without an interval there is no background sync, so nothing is left to do.
      const left = settings.intervalMs === null ? 0 : (executionsLeft(index, settings, Date.now()) ?? 0);
      return {
        instance: instance.name,
        executions: index.known,
        percent: left === 0 ? null : percentKnown(index.known, left),
        knownSince: index.floor?.startedAt ?? null,
        syncedAt: index.syncedAt,
      };
    }),
  );
}

/**
 * The operator's report on each index, without waking any. A failure does not affect the other reports.
 * @param isBrief leaves out what is slow on a long history
 * @throws ObserverError `CONFIGURATION_ERROR`
 */
export async function reportIndexes(env: Env, isBrief: boolean): Promise<(IndexReport | FailedIndex)[]> {
  const settings = readHistoryIndexSettings(env);
  return await ofEachIndex(env, async (index) => {
    const answer = await index.repeatable(async (object) => await object.report(isBrief));
    return { ...toValue(answer), settings };
  });
}

/** The answer of each index, or its error, with the instance name. @throws ObserverError `CONFIGURATION_ERROR` */
const ofEachIndex = async <Value extends object>(
  env: Env,
  ask: (index: ReturnType<typeof openIndex>, instance: string) => Promise<Value>,
): Promise<((Value & { instance: string }) | FailedIndex)[]> =>
  await Promise.all(
    [...readInstances(env).values()].map(async (instance) => {
      const { name } = instance;
      return await orElse(
        async () => ({ instance: name, ...(await ask(openIndex(env, instance), name)) }),
        ({ code, message }) => ({ instance: name, error: { code, message } }),
      );
    }),
  );

/** @throws ObserverError the error that the object returned */
function toValue<Value>(answer: Answer<Value>): Value {
  if ("value" in answer) return answer.value;
  const { code, message, details } = answer.error;
  throw new ObserverError(code, message, details);
}

/** The workflows that an access shows, per n8n; or each n8n's error. @throws ObserverError `CONFIGURATION_ERROR` */
export async function workflowsInInstances(
  env: Env,
  { access, scopes }: { readonly access: CallerAccess; readonly scopes: readonly Scope[] },
) {
  return await ofEachIndex(env, async (index, instance) => {
    const grants = grantsIn(env, access, instance).map((grant) => ({
      ...grant,
      scopes: grant.scopes.filter((scope) => scopes.includes(scope)),
    }));
    return toValue(await index.repeatable(async (object) => await object.workflowsVisibleTo(grants)));
  });
}

function openIndex(env: Env, instance: N8nInstance): ObjectCalls<DurableObjectStub<HistoryIndex>> {
  const name = historyIndexName(env, instance);
  return new ObjectCalls("HistoryIndex", () => env.HISTORY_INDEX.getByName(name, placementOf(instance)));
}

/** Turns a call of the object into a function of `HistoryQueries` for one caller. */
type AskIndex = <Args extends readonly unknown[], Value>(
  call: (object: DurableObjectStub<HistoryIndex>, user: IndexUser, ...args: Args) => Promise<Answer<Value>>,
) => (...args: Args) => Promise<Value>;

const callingWith = (report: ReportProgress): Calling => ({
  report: report === NO_PROGRESS ? null : report,
  isThere: async () => {},
});

interface ViewQueries {
  readonly view: () => Promise<View>;
  /** Whether they may see the payload of everything that they see. Most rules decide it without n8n's list of workflows. */
  readonly mayReadAllData: () => Promise<boolean>;
  /** Facts that the caller's rules need and this n8n does not report. */
  readonly unreportedFacts: () => Promise<readonly string[]>;
}

/** @throws ObserverError `CONFIGURATION_ERROR`; `N8N_UNAUTHORIZED` for a caller who needs a key of their own */
export function createHistoryQueries(
  env: Env,
  { access, ...caller }: Requester & Pick<CallOrigin, "access">,
  instance: N8nInstance,
): HistoryQueries & ViewQueries {
  const index = openIndex(env, instance);
  const ownKey = ownKeyOf(env, access, instance);
  const own =
    ownKey === undefined
      ? undefined
      : createClient(env, caller, instance, ownKey).retrying({ clock: systemClock });
  const { userId, countBytes } = caller;
  let granted: Promise<readonly Grant[]> | undefined;
  const readGrants = async (): Promise<readonly Grant[]> =>
    own === undefined || ownKey === undefined
      ? grantsIn(env, access, instance.name)
      : await grantsOfKey(own, ownKey, instance);
  const grantsOf = () => (granted ??= readGrants());
  const asking: AskIndex =
    (call) =>
    async (...args) => {
      const user = { userId, grants: await grantsOf() };
      const answer = await index.repeatable(async (object) => await call(object, user, ...args));
      countBytes(answer.bytes);
      return toValue(answer);
    };
  const askView = asking(async (object, user) => await object.viewOf(user));
  const view = async (): Promise<View> => await viewOf(await grantsOf(), askView);
  const visibleWorkflows = asking(async (object, { grants }) => await object.workflowsVisibleTo(grants));
  const judge = asking(
    async (object, user, id: string, isWrong: boolean) => await object.judge(user, id, isWrong),
  );
  const visible = own && new VisibleN8n(own, view);
  const askReadable = visible === undefined ? null : readableBy(visible);
  return {
    view,
    mayReadAllData: async () => givePayloadOfAll(await grantsOf()) ?? (await view()).mayReadData(null),
    unreportedFacts: async () => (await visibleWorkflows()).unreported,
    status: asking(async (object, user) => await object.status(user)),
    judge: async (id, isWrong) => void (await judge(id, isWrong)),
    familyOf: asking(async (object, user, id) => await object.familyOf(user, id)),
    callsOf: asking(async (object, user, workflowId) => await object.callsOf(user, workflowId)),
    ...traceQueries(asking, own === undefined),
    search: asking(
      async (object, user, query, progress, redactShown) =>
        await object.searchExecutions(user, query, callingWith(progress), redactShown, askReadable),
    ),
    failures: asking(
      async (object, user, query, progress) =>
        await object.summarizeFailures(user, query, callingWith(progress)),
    ),
    query: asking(
      async (object, user, query, progress) =>
        await object.queryExecutions(user, query, callingWith(progress)),
    ),
    // The index reads with the operator's key, so a closer look, which shows payload, uses the caller's own.
    ...(visible && { lookCloser: async (executionId) => await lookCloser(visible, executionId) }),
  };
}

const readableBy =
  (visible: VisibleN8n): AskReadable =>
  async (id) =>
    await orElse(
      async () => (await orIfNotFound(async () => await visible.readExecutionItem(id), null)) !== null,
      errorFacts,
    );

/**
 * A trace, and the queries for explaining it, whose answers mostly arrive with the trace.
 * @param looksCloser false if the index must not take closer looks
 */
function traceQueries(
  asking: AskIndex,
  looksCloser: boolean,
): Pick<HistoryQueries, "trace" | "lookCloser" | "unsavedWorkflows"> {
  let known: Omit<ExplainedTrace, "trace"> = { looks: new Map(), unsaved: undefined };
  const askTrace = asking(
    async (object, user, query: TraceQuery, progress: ReportProgress, isStorageFull: boolean) =>
      await object.traceRequest(user, query, callingWith(progress), { isStorageFull, looksCloser }),
  );
  const trace = async (...asked: Parameters<typeof askTrace>): Promise<HistoryTrace> => {
    const { trace: answer, ...prefetched } = await askTrace(...asked);
    known = prefetched;
    return answer;
  };
  const askLook = asking(
    async (object, user, id: string, waitingSince?: string) =>
      await object.lookCloser(user, id, waitingSince),
  );
  const askUnsaved = asking(async (object, user) => await object.unsavedWorkflows(user));
  return {
    lookCloser: async (...asked) => known.looks.get(asked[0]) ?? (await askLook(...asked)),
    unsavedWorkflows: async () => known.unsaved ?? (await askUnsaved()),
    trace: async (...asked) =>
      await orElse(
        async () => await trace(...asked, false),
        async (error) => {
          if (!(error instanceof StorageFull)) throw error;
          return await trace(...asked, true);
        },
      ),
  };
}
