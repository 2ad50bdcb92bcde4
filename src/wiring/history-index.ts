/**
 * The history index of one n8n: the Durable Object that lists, reads and stores its executions for all users, and keeps
 * itself up to date by its alarm. No payload is stored.
 *
 * - Each tool call is one call of this object, which reports progress by a callback.
 * - Its name encodes the instance and its settings. Once the settings give another name, it deletes itself.
 * - Errors for callers are returned as data: an `ObserverError` does not survive the RPC boundary.
 */
import { DurableObject } from "cloudflare:workers";
import type { CloserLook } from "../executions/closer-look.ts";
import { lookCloser } from "../features/closer-look.ts";
import { idsToLookAt } from "../features/trace-request/trace.ts";
import type { BackgroundSettings } from "../history/background-sync.ts";
import type { FailureQuery, HistoryFailures } from "../history/digest/failure-query.ts";
import type { HistoryStatus } from "../history/history-queries.ts";
import { type Caller, InstanceHistory } from "../history/instance-history.ts";
import type { RedactLarge } from "../history/payload/payload-items.ts";
import type { ExecutionQuery, QueriedExecutions } from "../history/query/execution-query.ts";
import type { HistoryReport, IndexReport } from "../history/report/index-report.ts";
import { forAll } from "../history/scan/shared-scans.ts";
import { errorFacts } from "../history/scan/stop-facts.ts";
import type { AskReadable, HistorySearch, SearchQuery } from "../history/search/search-query.ts";
import type { TracedExecution } from "../history/store/traced-execution.ts";
import type { RanCall } from "../history/store/workflow-calls.ts";
import type { HistoryTrace, KnownRequest, TraceQuery } from "../history/trace/history-trace.ts";
import type { KnownCapabilities } from "../n8n/capabilities/store.ts";
import { createN8nClient } from "../n8n/client.ts";
import { BACKGROUND_USER, EVERYBODY } from "../n8n/limiter/slot-schedule.ts";
import {
  readAllWorkflows,
  readPublishedWorkflows,
  type UnsavedWorkflows,
  unsavedAmong,
  unsavedWorkflows,
} from "../n8n/unsaved-workflows.ts";
import {
  type Grant,
  needsWorkflows,
  unmatchedBy,
  unreportedFacts,
  View,
  type ViewParts,
} from "../n8n/view.ts";
import { VisibleN8n } from "../n8n/visible-n8n.ts";
import type { WorkflowFacts } from "../n8n/workflow-schemas.ts";
import { systemClock } from "../platform/clock.ts";
import { MINUTE_MS } from "../platform/durations.ts";
import { describeBug, interrupted, orElse } from "../platform/errors.ts";
import { log } from "../platform/log.ts";
import { memoizeByObject } from "../platform/memoize.ts";
import { storageFull } from "../platform/object-calls.ts";
import { newShortId } from "../platform/short-id.ts";
import type { Sql } from "../platform/sql.ts";
import { memoizeBySettings, readHistoryIndexSettings } from "../settings/index.ts";
import { instanceOfIndex } from "./history-index-name.ts";
import { type Answer, type Calling, type IndexUser, NOBODY_WAITS, watchCaller } from "./index-callers.ts";
import { IndexSources, type Served, servedBy } from "./index-sources.ts";
import { isolateThread } from "./isolate-thread.ts";
import { spans } from "./spans.ts";

const NAME_KEY = "name";
/** Delay of the next step after invalid settings, with which n8n cannot be queried. */
const AFTER_MISCONFIGURATION_MS = 5 * MINUTE_MS;
/** Batches of surplus rows to delete per hour where there is no background sync: more than are added in that time. */
const MAX_TIDY_BATCHES = 20;

/** The object's own part of the operator's report. */
export type StoredIndexReport = HistoryReport & Pick<IndexReport, "sizeBytes" | "nextStepAt">;

export interface VisibleWorkflows {
  readonly all: boolean;
  /** Empty if all are seen. */
  readonly workflows: readonly { readonly id: string; readonly name: string; readonly data: boolean }[];
  /** Facts that the rules need and this n8n does not report. */
  readonly unreported: readonly string[];
  /** Names in the rules that no workflow has. */
  readonly unmatched: readonly string[];
}

const sqlOf = (storage: DurableObjectStorage): Sql => ({
  get databaseSize() {
    return storage.sql.databaseSize;
  },
  exec: (query, ...bindings) => storage.sql.exec(query, ...bindings),
  transaction: (write) => storage.transactionSync(write),
});

/** Grants as JSON → the view of these workflows, which is the same for many callers. */
const viewsOf = memoizeByObject((_workflows: readonly WorkflowFacts[]) => new Map<string, View>());

interface TraceOptions {
  /** True to write nothing, and to send n8n no request. */
  readonly isStorageFull?: boolean;
  /** True to take closer looks at the decisive executions of a known request while n8n is asked for new ones. */
  readonly looksCloser?: boolean;
}

/** A trace, with everything already known that its explanation needs. */
export interface ExplainedTrace {
  readonly trace: HistoryTrace;
  /** Execution id → the closer look at it. */
  readonly looks: ReadonlyMap<string, CloserLook>;
  /** Undefined if the request was found, or if n8n has to be asked. */
  readonly unsaved: UnsavedWorkflows | undefined;
}

type Operation = "trace" | "search" | "failures" | "query" | "look" | "status" | "workflows";

export class HistoryIndex extends DurableObject<Env> {
  /** Created at the first call, and again after everything stored was deleted. */
  #opened: InstanceHistory | null = null;
  /** Caches that its name is stored and its alarm is set. */
  #isAwake = false;

  /** Cached until the settings change. */
  readonly #served = memoizeBySettings((settings) => servedBy(settings, this.#name ?? ""));
  readonly #sources = new IndexSources(this.env, () => this.#history.store.costs);

  get #history(): InstanceHistory {
    this.#opened ??= new InstanceHistory(sqlOf(this.ctx.storage));
    return this.#opened;
  }

  // `trace` is reserved by workerd.
  async traceRequest(
    user: IndexUser,
    query: TraceQuery,
    calling: Calling,
    { isStorageFull = false, looksCloser = false }: TraceOptions = {},
  ): Promise<Answer<ExplainedTrace>> {
    return await this.#answer("trace", user, calling, async (caller) => {
      const looking: Promise<unknown>[] = [];
      const look = (known: KnownRequest): void => {
        // A failed look is repeated, and reported, when the trace is explained.
        for (const id of idsToLookAt(known)) looking.push(this.#lookCloser(id, caller).catch(() => null));
      };
      const trace = isStorageFull
        ? await this.#traceInKnown(query, caller)
        : await this.#history.trace(query, caller, looksCloser ? look : undefined);
      await Promise.all(looking);
      const { view } = caller;
      const now = caller.sources.clock.now();
      const ids = trace.family.map(({ id }) => id);
      const published = ids.length === 0 ? this.#history.knownPublishedWorkflows(now) : undefined;
      return {
        trace,
        looks: this.#history.knownLooks(ids, view, now),
        unsaved: published && unsavedAmong(published, view),
      };
    });
  }

  async #traceInKnown(query: TraceQuery, { sources, ...caller }: Caller): Promise<HistoryTrace> {
    const refuse = async (): Promise<never> => {
      throw storageFull();
    };
    const client = createN8nClient(this.#required().instance, { takeSlot: refuse });
    return await this.#history.traceInKnown(query, {
      ...caller,
      sources: { ...sources, client, clientOfAll: client },
    });
  }

  async searchExecutions(
    user: IndexUser,
    query: SearchQuery,
    calling: Calling,
    redactShown: RedactLarge,
    askReadable: AskReadable | null,
  ): Promise<Answer<HistorySearch>> {
    const ask = (caller: Caller) => this.#history.search(query, caller, redactShown, askReadable);
    return await this.#answer("search", user, calling, ask);
  }

  async summarizeFailures(
    user: IndexUser,
    query: FailureQuery,
    calling: Calling,
  ): Promise<Answer<HistoryFailures>> {
    return await this.#answer("failures", user, calling, (caller) =>
      this.#history.failures(query, caller, () => readPublishedWorkflows(forAll(caller.sources).client)),
    );
  }

  async queryExecutions(
    user: IndexUser,
    query: ExecutionQuery,
    calling: Calling,
  ): Promise<Answer<QueriedExecutions>> {
    return await this.#answer("query", user, calling, (caller) => this.#history.query(query, caller));
  }

  async lookCloser(user: IndexUser, executionId: string, waitingSince?: string): Promise<Answer<CloserLook>> {
    const ask = async (caller: Caller) => await this.#lookCloser(executionId, caller, waitingSince);
    return await this.#answer("look", user, NOBODY_WAITS, ask);
  }

  async #lookCloser(
    executionId: string,
    { view, sources }: Caller,
    waitingSince?: string,
  ): Promise<CloserLook> {
    const { client, clock } = sources;
    const visible = new VisibleN8n(client.retrying({ clock }), async () => view);
    const look = async () => await lookCloser(visible, executionId);
    return await this.#history.lookCloser(executionId, view, clock.now(), look, waitingSince);
  }

  async unsavedWorkflows(user: IndexUser): Promise<Answer<UnsavedWorkflows | null>> {
    const ask = async ({ sources, view }: Caller) => {
      const { client, clock } = forAll(sources);
      return await unsavedWorkflows(view, () =>
        this.#history.publishedWorkflows(clock.now(), () => readPublishedWorkflows(client)),
      );
    };
    return await this.#answer("workflows", user, NOBODY_WAITS, ask);
  }

  async judge(user: IndexUser, executionId: string, isWrong: boolean): Promise<Answer<null>> {
    return await this.#answerDirectly(async () => {
      this.#history.judge(executionId, await this.#viewOf(user), isWrong);
      return null;
    });
  }

  /** Starts no background sync. */
  async familyOf(user: IndexUser, executionId: string): Promise<Answer<readonly TracedExecution[]>> {
    return await this.#answerDirectly(async () =>
      this.#history.familyOf(executionId, await this.#viewOf(user)),
    );
  }

  /** Starts no background sync. */
  async callsOf(user: IndexUser, workflowId: string): Promise<Answer<readonly RanCall[]>> {
    return await this.#answerDirectly(async () =>
      this.#history.callsOf(workflowId, await this.#viewOf(user)),
    );
  }

  async status(user: IndexUser): Promise<Answer<HistoryStatus>> {
    const background = this.#background;
    const ask = ({ sources: { capabilities, clock }, view }: Caller) =>
      this.#history.status(capabilities, view, background, clock.now());
    return await this.#answer("status", user, NOBODY_WAITS, ask);
  }

  async viewOf(user: IndexUser): Promise<Answer<ViewParts>> {
    return await this.#answerDirectly(async () => (await this.#viewOf(user)).parts);
  }

  /** For the operator, and for `check_connection`: the workflows that somebody sees, and facts that n8n does not report. */
  async workflowsVisibleTo(grants: readonly Grant[]): Promise<Answer<VisibleWorkflows>> {
    return await this.#answerDirectly(async () => {
      // Workflows that are granted by id are also looked up, for their names.
      const isAll = grants.every(({ workflows }) => workflows === undefined);
      const all = isAll ? [] : await this.#allWorkflows();
      const view = View.of(grants, all);
      const workflows = all
        .filter(({ id }) => view.ids !== null && view.has(id))
        .map(({ id, name }) => ({ id, name, data: view.mayReadData(id) }));
      return {
        all: view.ids === null,
        workflows,
        unreported: unreportedFacts(all, grants),
        unmatched: unmatchedBy(all, grants),
      };
    });
  }

  async #viewOf(user: IndexUser): Promise<View> {
    if (!needsWorkflows(user.grants)) return View.of(user.grants, []);
    const workflows = await this.#allWorkflows();
    const views = viewsOf(workflows);
    const key = JSON.stringify(user.grants);
    const view = views.get(key) ?? View.of(user.grants, workflows);
    views.set(key, view);
    return view;
  }

  async #allWorkflows(): Promise<readonly WorkflowFacts[]> {
    const { client, clock } = this.#sources.of(this.#required(), EVERYBODY, () => {});
    const read = async () => await readAllWorkflows(client.retrying({ clock }));
    return (await this.#history.allWorkflows(clock.now(), read)).workflows;
  }

  /** For the operator, and for the start page. Starts no background sync and sends n8n no request. */
  async report(isBrief: boolean): Promise<Answer<StoredIndexReport>> {
    const alarm = await this.ctx.storage.getAlarm();
    return await this.#answerDirectly(async (capabilities) => ({
      ...(await this.#history.report(capabilities, isBrief)),
      sizeBytes: this.ctx.storage.sql.databaseSize,
      nextStepAt: alarm === null ? null : new Date(alarm).toISOString(),
    }));
  }

  /** Answers without background sync, span or callbacks. */
  async #answerDirectly<Value>(
    ask: (capabilities: KnownCapabilities) => Promise<Value>,
  ): Promise<Answer<Value>> {
    return await orElse(
      async () => ({
        value: await ask(this.#sources.capabilitiesOf(this.#required().instance)),
        bytes: 0,
      }),
      (error) => ({ error: errorFacts(error), bytes: 0 }),
    );
  }

  /** Runs every hour. Starts the background sync, or, where that is off, deletes surplus rows. */
  async wake(): Promise<void> {
    await this.#startUpdating();
    const { intervalMs, maxExecutions } = readHistoryIndexSettings(this.env);
    if (intervalMs !== null) return;
    for (let batch = 0; batch < MAX_TIDY_BATCHES; batch += 1) {
      if (this.#history.tidy(Date.now(), maxExecutions) === 0) return;
      await systemClock.sleep(0);
    }
  }

  /** Null where the background sync is off. @throws ObserverError `CONFIGURATION_ERROR` */
  get #background(): BackgroundSettings | null {
    const { intervalMs, ...settings } = readHistoryIndexSettings(this.env);
    return intervalMs === null ? null : { ...settings, intervalMs };
  }

  /** Idempotent. */
  async #startUpdating(): Promise<void> {
    if (this.#isAwake) return;
    const { name } = this.ctx.id;
    const { kv } = this.ctx.storage;
    if (name !== undefined && kv.get(NAME_KEY) !== name) kv.put(NAME_KEY, name);
    if (this.#background === null) return;
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now());
    this.#isAwake = true;
  }

  /** Runs one step of the background sync, and schedules the next. */
  override async alarm(): Promise<void> {
    this.#isAwake = false;
    const next = await this.#step();
    if (next === null) return;
    await this.ctx.storage.setAlarm(Date.now() + next);
    this.#isAwake = true;
  }

  /** Undefined once the settings no longer name its n8n instance. @throws ObserverError `CONFIGURATION_ERROR` */
  #serving() {
    return this.#name === null ? undefined : this.#served(this.env);
  }

  get #name(): string | null {
    const name = this.ctx.id.name ?? this.ctx.storage.kv.get(NAME_KEY);
    return typeof name === "string" ? name : null;
  }

  /** Milliseconds until the next step; null when there is none. */
  async #step(): Promise<number | null> {
    try {
      const served = this.#serving();
      if (served === undefined) {
        await this.ctx.storage.deleteAll();
        this.#opened = null;
        return null;
      }
      const background = this.#background;
      return background === null ? null : await this.#stepOf(served, background);
    } catch (error) {
      log({ event: "history-index-failed", ...describeBug(error) });
      return AFTER_MISCONFIGURATION_MS;
    }
  }

  async #stepOf(served: Served, settings: BackgroundSettings): Promise<number> {
    return await spans.enter("n8n_observer.index", async (span) => {
      let bytes = 0;
      const { instance } = served;
      const sources = this.#sources.of(served, BACKGROUND_USER, (more) => {
        bytes += more;
      });
      const wasFailing = this.#isFailing;
      const { nextMs, failure } = await this.#history.step(sources, settings);
      const outcome = failure?.code ?? "success";
      span.set({ "index.operation": "step", "index.outcome": outcome, "index.bytes_read": bytes });
      span.set({ "n8n.instance": instance.name });
      if (failure !== null)
        log({
          event: "history-index-failed",
          instance: instance.name,
          code: failure.code,
          began: !wasFailing,
        });
      else if (wasFailing && !this.#isFailing)
        log({ event: "history-index-recovered", instance: instance.name });
      return nextMs;
    });
  }

  /** Whether the last request to n8n failed. */
  get #isFailing(): boolean {
    return this.#history.store.lastFailure?.isOver === false;
  }

  async #answer<Value>(
    operation: Operation,
    user: IndexUser,
    calling: Calling,
    ask: (caller: Caller) => Promise<Value>,
  ): Promise<Answer<Value>> {
    const { userId } = user;
    let bytes = 0;
    const countBytes = (more: number): void => {
      bytes += more;
    };
    return await spans.enter("n8n_observer.index", async (span) => {
      span.set({ "index.operation": operation, "n8n.instance": instanceOfIndex(this.ctx.id.name ?? "") });
      const { gone: disconnected, progress, end } = watchCaller(calling);
      const thread = isolateThread.begin(userId);
      const run = async (): Promise<Value> => {
        await this.#startUpdating();
        const sources = this.#sources.of(this.#required(), userId, countBytes);
        const view = await this.#viewOf(user);
        return await ask({ userId, view, sources, newId: newShortId, progress, disconnected, thread });
      };
      try {
        const answer = await orElse<Answer<Value>, Answer<Value>>(
          async () => ({ value: await run(), bytes }),
          (error) => ({ error: errorFacts(error), bytes }),
        );
        const outcome = "error" in answer ? answer.error.code : "success";
        span.set({ "index.outcome": outcome, "index.bytes_read": bytes });
        return answer;
      } finally {
        thread.end();
        end();
      }
    });
  }

  /** @throws ObserverError `INTERRUPTED` when the caller's settings differ from this object's */
  #required(): Served {
    const served = this.#serving();
    if (served !== undefined) return served;
    throw interrupted("The settings were changed in the middle of this call.", { retryAfter: 1 });
  }
}
