/**
 * The history index of one n8n: the one Durable Object that lists, reads and stores its executions, for
 * all users, and keeps itself up to date by its alarm. No payload is stored.
 *
 * - Each tool call is one call of this object, which reports progress by a callback.
 * - Its name encodes the instance and its settings. Once the settings give another name, it deletes itself.
 * - Errors for callers are returned as data: an `ObserverError` does not survive the RPC boundary.
 */

import { DurableObject } from "cloudflare:workers";
import { wrongIn } from "../features/wrong-in.ts";
import type { BackgroundSettings } from "../history/background-sync.ts";
import type { FailureQuery, HistoryFailures } from "../history/digest/failure-query.ts";
import type { HistoryStatus } from "../history/history-queries.ts";
import { type Caller, InstanceHistory } from "../history/instance-history.ts";
import type { RedactLarge } from "../history/payload/payload-items.ts";
import type { Payer } from "../history/report/index-costs.ts";
import type { HistoryReport, IndexReport } from "../history/report/index-report.ts";
import { createCorrelationDigest, createTermKey } from "../history/request-ids/correlation-digest.ts";
import type { ScanSources } from "../history/scan/shared-scans.ts";
import { callerGone, type ErrorFacts, errorFacts, type ReportProgress } from "../history/scan/stop-facts.ts";
import type { HistorySearch, SearchQuery } from "../history/search/search-query.ts";
import type { TracedExecution } from "../history/store/traced-execution.ts";
import type { RanCall } from "../history/store/workflow-calls.ts";
import { TermMaker } from "../history/terms/execution-terms.ts";
import { TermHasher } from "../history/terms/term-hasher.ts";
import type { HistoryTrace, TraceQuery } from "../history/trace/history-trace.ts";
import { createRequestRedactor, serializeRules } from "../mcp/request-redactor.ts";
import { KnownCapabilities, RecalledCapabilities } from "../n8n/capabilities/store.ts";
import { BACKGROUND_USER } from "../n8n/limiter/slot-schedule.ts";
import { systemClock } from "../platform/clock.ts";
import { describeBug, ObserverError } from "../platform/errors.ts";
import { newShortId } from "../platform/short-id.ts";
import {
  type N8nInstance,
  ownSecrets,
  readHistoryIndexSettings,
  readInstances,
  readRedactionSettings,
} from "../settings/index.ts";
import { comparableIdsOf } from "./comparable-ids.ts";
import { historyIndexName, instanceOfIndex } from "./history-index-name.ts";
import { capabilityStoreOf, createClient } from "./n8n-access.ts";
import { spans } from "./spans.ts";

const NAME_KEY = "name";
/** With invalid settings, n8n cannot be queried. */
const AFTER_MISCONFIGURATION_MS = 5 * 60_000;

function log(line: Readonly<Record<string, unknown>>): void {
  console.error(JSON.stringify(line));
}

/** The object's own part of the operator's report. */
export type StoredIndexReport = HistoryReport & Pick<IndexReport, "sizeBytes" | "nextStepAt">;

/** Callbacks of the calling Worker. They fail once it has gone. */
export interface Calling {
  readonly report: ReportProgress;
  readonly isThere: () => Promise<void>;
}

/** How long n8n may keep working for a caller who has gone. */
const ASK_WHETHER_THERE_EVERY_MS = 500;

/** Watches whether the caller is still there. When it has gone, its work ends; that is not a server error. */
function watchCaller(calling: Calling) {
  const controller = new AbortController();
  const timer = setInterval(
    () => void calling.isThere().catch(() => controller.abort()),
    ASK_WHETHER_THERE_EVERY_MS,
  );
  /** @throws ObserverError `INTERRUPTED` when the caller has gone */
  const progress: ReportProgress = async (scanned, message) =>
    await calling.report(scanned, message).catch(() => {
      throw callerGone();
    });
  return { gone: controller.signal, progress, end: () => clearInterval(timer) };
}

/** The operation, as its span names it. */
type Operation = "trace" | "search" | "failures" | "wrong" | "status";

/** Result of a call of the object. */
export type Answer<Value> =
  /** `bytes`: how many n8n sent for the call. */
  { readonly value: Value; readonly bytes: number } | { readonly error: ErrorFacts; readonly bytes: number };

export class HistoryIndex extends DurableObject<Env> {
  /** Created at the first call, and again after everything stored was deleted. */
  #opened: InstanceHistory | null = null;
  #madeTerms: TermMaker | null = null;
  #recalled: RecalledCapabilities | null = null;

  /** @param instance the one n8n that this object serves for its lifetime */
  #capabilitiesOf(instance: N8nInstance): RecalledCapabilities {
    this.#recalled ??= new RecalledCapabilities(capabilityStoreOf(this.env, { log }, instance), systemClock);
    return this.#recalled;
  }

  get #history(): InstanceHistory {
    this.#opened ??= new InstanceHistory(this.ctx.storage.sql);
    return this.#opened;
  }

  // `trace` is reserved by workerd.
  async traceRequest(userId: string, query: TraceQuery, calling: Calling): Promise<Answer<HistoryTrace>> {
    return await this.#answer("trace", userId, calling, (caller) => this.#history.trace(query, caller));
  }

  async searchExecutions(
    userId: string,
    query: SearchQuery,
    calling: Calling,
    redactShown: RedactLarge,
  ): Promise<Answer<HistorySearch>> {
    const ask = (caller: Caller) => this.#history.search(query, caller, redactShown);
    return await this.#answer("search", userId, calling, ask);
  }

  async summarizeFailures(
    userId: string,
    query: FailureQuery,
    calling: Calling,
  ): Promise<Answer<HistoryFailures>> {
    return await this.#answer("failures", userId, calling, (caller) => this.#history.failures(query, caller));
  }

  async wrongIn(userId: string, executionId: string): Promise<Answer<string | null>> {
    const calling = { report: async () => {}, isThere: async () => {} };
    const ask = ({ sources: { client } }: Caller) =>
      this.#history.wrongIn(executionId, async () => await wrongIn(client, executionId));
    return await this.#answer("wrong", userId, calling, ask);
  }

  async judge(executionId: string, isWrong: boolean): Promise<Answer<null>> {
    return await this.#tell(async () => {
      this.#history.judge(executionId, isWrong);
      return null;
    });
  }

  /** Starts nothing and sends n8n no request. */
  async familyOf(executionId: string): Promise<Answer<readonly TracedExecution[]>> {
    return await this.#tell(async () => this.#history.familyOf(executionId));
  }

  /** Starts nothing and sends n8n no request. */
  async callsOf(workflowId: string): Promise<Answer<readonly RanCall[]>> {
    return await this.#tell(async () => this.#history.callsOf(workflowId));
  }

  async status(userId: string): Promise<Answer<HistoryStatus>> {
    const calling = { report: async () => {}, isThere: async () => {} };
    const ask = ({ sources }: Caller) => this.#history.status(sources.capabilities);
    return await this.#answer("status", userId, calling, ask);
  }

  /** For the operator, and for the start page. Starts nothing and sends n8n no request. */
  async report(isBrief: boolean): Promise<Answer<StoredIndexReport>> {
    const alarm = await this.ctx.storage.getAlarm();
    return await this.#tell(async (capabilities) => ({
      ...(await this.#history.report(capabilities, isBrief)),
      sizeBytes: this.ctx.storage.sql.databaseSize,
      nextStepAt: alarm === null ? null : new Date(alarm).toISOString(),
    }));
  }

  async #tell<Value>(tell: (capabilities: KnownCapabilities) => Promise<Value>): Promise<Answer<Value>> {
    try {
      const capabilities = new KnownCapabilities(this.#capabilitiesOf(this.#required()));
      return { value: await tell(capabilities), bytes: 0 };
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
      return { error: errorFacts(error), bytes: 0 };
    }
  }

  /** Starts the self-update, unless it is already running. */
  async wake(): Promise<void> {
    const { name } = this.ctx.id;
    const { kv } = this.ctx.storage;
    if (name !== undefined && kv.get(NAME_KEY) !== name) kv.put(NAME_KEY, name);
    const { intervalMs } = readHistoryIndexSettings(this.env);
    if (intervalMs === null || (await this.ctx.storage.getAlarm()) !== null) return;
    await this.ctx.storage.setAlarm(Date.now());
  }

  /** Keeps itself up to date. */
  override async alarm(): Promise<void> {
    const next = await this.#step();
    if (next !== null) await this.ctx.storage.setAlarm(Date.now() + next);
  }

  /** Its n8n instance; undefined once the settings no longer have it. @throws ObserverError `CONFIGURATION_ERROR` */
  #instance(): N8nInstance | undefined {
    const name = this.ctx.id.name ?? this.ctx.storage.kv.get(NAME_KEY);
    if (typeof name !== "string") return undefined;
    const instance = readInstances(this.env).get(instanceOfIndex(name));
    return instance !== undefined && historyIndexName(this.env, instance) === name ? instance : undefined;
  }

  /** Milliseconds until the next step; null when there is none. */
  async #step(): Promise<number | null> {
    try {
      const instance = this.#instance();
      if (instance === undefined) {
        await this.ctx.storage.deleteAll();
        this.#opened = null;
        return null;
      }
      const { intervalMs, ...settings } = readHistoryIndexSettings(this.env);
      if (intervalMs === null) return null;
      return await this.#stepOf(instance, { ...settings, intervalMs });
    } catch (error) {
      log({ event: "history-index-failed", ...describeBug(error) });
      return AFTER_MISCONFIGURATION_MS;
    }
  }

  async #stepOf(instance: N8nInstance, settings: BackgroundSettings): Promise<number> {
    return await spans.enter("n8n_observer.index", async (span) => {
      let bytes = 0;
      const sources = this.#sources(instance, BACKGROUND_USER, (more) => {
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
    userId: string,
    calling: Calling,
    ask: (caller: Caller) => Promise<Value>,
  ): Promise<Answer<Value>> {
    return await spans.enter("n8n_observer.index", async (span) => {
      span.set({ "index.operation": operation, "n8n.instance": instanceOfIndex(this.ctx.id.name ?? "") });
      const answer = await this.#ask(userId, calling, ask);
      const outcome = "error" in answer ? answer.error.code : "success";
      span.set({ "index.outcome": outcome, "index.bytes_read": answer.bytes });
      return answer;
    });
  }

  async #ask<Value>(
    userId: string,
    calling: Calling,
    ask: (caller: Caller) => Promise<Value>,
  ): Promise<Answer<Value>> {
    let bytes = 0;
    const countBytes = (more: number): void => {
      bytes += more;
    };
    const { gone, progress, end } = watchCaller(calling);
    try {
      await this.wake();
      const sources = this.#sources(this.#required(), userId, countBytes);
      return { value: await ask({ userId, sources, newId: newShortId, progress, gone }), bytes };
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
      return { error: errorFacts(error), bytes };
    } finally {
      end();
    }
  }

  /** Its key belongs to this index alone. It caches member names, so it is created once. */
  #termMakerOf(instance: N8nInstance): TermMaker {
    const key = createTermKey(instance.apiKey, historyIndexName(this.env, instance));
    this.#madeTerms ??= new TermMaker(new TermHasher(key));
    return this.#madeTerms;
  }

  /** @throws ObserverError `INTERRUPTED` when the caller's settings differ from this object's */
  #required(): N8nInstance {
    const instance = this.#instance();
    if (instance !== undefined) return instance;
    throw new ObserverError("INTERRUPTED", "The settings were changed in the middle of this call.", {
      retryAfter: 1,
      solution: "Call again.",
    });
  }

  /** @throws ObserverError `CONFIGURATION_ERROR` */
  #sources(instance: N8nInstance, userId: string, countBytes: (bytes: number) => void): ScanSources {
    const payer: Payer = userId === BACKGROUND_USER ? "background" : "people";
    const counters = this.#history.store.costs.countersOf(payer, systemClock.now());
    const { countRequest, countExecution } = counters;
    const countAllBytes = (bytes: number): void => {
      counters.countBytes(bytes);
      countBytes(bytes);
    };
    const asker = { userId, countBytes: countAllBytes, countRequest, log };
    const redactor = createRequestRedactor(ownSecrets(this.env), () => readRedactionSettings(this.env));
    const pause = async (): Promise<void> => await systemClock.sleep(0);
    const digest = createCorrelationDigest(instance.apiKey, "the history index");
    return {
      client: createClient(this.env, asker, instance),
      capabilities: new KnownCapabilities(this.#capabilitiesOf(instance)),
      digest,
      paths: comparableIdsOf(this.env),
      redactLarge: async (value) => await redactor.unnumbered(value, pause),
      countExecution,
      terms: {
        maker: this.#termMakerOf(instance),
        rulesDigest: digest(serializeRules(ownSecrets(this.env), () => readRedactionSettings(this.env))),
      },
      clock: systemClock,
    };
  }
}
