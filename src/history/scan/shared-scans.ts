/**
 * The scans of one n8n instance, shared by all callers: no two scans read the same execution at the same time, and one
 * look for new executions serves all callers that arrive at about the same time.
 *
 * Promises: each caller waits until its own window is covered, its own limit is reached or its own time is up.
 * Executions that began 250 ms or longer before a call are found. No caller is rejected because of another caller's
 * request quota: a scan that exists only once, such as the look for new executions, uses the shared client; a caller
 * that joined any other scan continues alone.
 */
import { hidesUnfinished } from "../../n8n/capabilities/capabilities.ts";
import type { KnownCapabilities } from "../../n8n/capabilities/store.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { orElse } from "../../platform/errors.ts";
import { isNewer, lowerOf } from "../../platform/id-order.ts";
import { SharedReading } from "../../platform/shared-reading.ts";
import type { ReadSources } from "../reading/reading.ts";
import { RepeatedPage } from "../reading/repeated-page.ts";
import { SlowReads } from "../reading/slow-reads.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import type { Scope } from "../store/known-stretches.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import { type TermSources, takeTerms } from "../terms/term-reading.ts";
import { missedIn } from "./missed.ts";
import { IDLE_MS, probeQueue, reasonToProbe } from "./queue-probe.ts";
import { ReadsInProgress } from "./reads-in-progress.ts";
import type { LookOptions, ScanResult } from "./scan-options.ts";
import { FRESH_MS, type ScanCaller, SharedScan } from "./shared-scan.ts";
import { hasWindowEnded, isInWindow } from "./window.ts";

/** The dependencies of a scan, taken from the caller that started it. */
export interface ScanSources extends ReadSources {
  readonly capabilities: KnownCapabilities;
  readonly terms: TermSources;
  readonly maxRunningBytes?: number | undefined;
  /**
   * The client for requests that serve all callers: no caller's quota limits the others. Default: `client`.
   */
  readonly clientOfAll?: ReadSources["client"] | undefined;
}

/** The sources for a scan that exists only once and serves all callers. */
export const forAll = (sources: ScanSources): ScanSources => ({
  ...sources,
  client: sources.clientOfAll ?? sources.client,
});

/** How much work a scan does: less while callers wait. */
interface ScanEffort {
  /** Maximum payload bytes that it redacts in order to extract search terms. */
  readonly maxTermBytes: number;
  /** Page size of the first list in a look for new executions. */
  readonly firstListSize: number;
  readonly isBackground: boolean;
}

/** Terms: limited to a twentieth of the scan's time. Lists: few executions are new since the last look. */
const FOREGROUND_EFFORT: ScanEffort = { maxTermBytes: 128 * 1024, firstListSize: 25, isBackground: false };
/** Terms: limited by the CPU time of one alarm. Lists: a longer one shows more of n8n's deletions. */
const BACKGROUND_EFFORT: ScanEffort = {
  maxTermBytes: 64 * 1024 * 1024,
  firstListSize: 100,
  isBackground: true,
};
/** Callers that poll do so at the same full seconds; their clocks and timers differ by less than this. */
const BATCH_MS = 100;
const NO_WINDOW: TraceWindow = { workflowId: null, startedAfter: null, startedBefore: null };

export class SharedScans {
  readonly readsInProgress = new ReadsInProgress();
  readonly slowReads = new SlowReads();
  readonly #runningPage = new RepeatedPage();
  readonly #queueProbe = new SharedReading<boolean>({ sharedMs: FRESH_MS, isKept: false });
  readonly #missed = new SharedReading<readonly ExecutionListItem[]>({ sharedMs: FRESH_MS, isKept: false });
  /** For an n8n that is known not to queue and has started nothing for a while. */
  readonly #idleProbe = new SharedReading<boolean>({ sharedMs: IDLE_MS, isKept: true });
  readonly #store: ExecutionStore;
  /** Scans down to the end of a window, by window. */
  readonly #windowScans = new Map<string, SharedScan>();
  /** The current look for new executions, or the next one if callers already wait for it. */
  #look: SharedScan | null = null;
  /** For each of its callers, the id down to which it must read; null for all. */
  #lookDownTo: (string | null)[] = [];
  /** The id at which it stops; null if it reads everything or has not started. */
  #lookStopsAt: string | null = null;
  #unsharedScans = 0;
  #batching: Promise<void> | null = null;
  /** The background scan: the look for new executions, then the backfill. */
  #background: SharedScan | null = null;

  constructor(store: ExecutionStore) {
    this.#store = store;
  }

  /** True while a request to n8n is under way. */
  get isBusy(): boolean {
    return this.#unsharedScans > 0 || this.hasCallers || this.#background?.isRunning === true;
  }

  /** Runs a scan that is not shared. It counts as busy, so that nothing that the scan relies on is deleted. */
  async runUnshared(scan: () => Promise<ScanResult>): Promise<ScanResult> {
    this.#unsharedScans += 1;
    try {
      return await scan();
    } finally {
      this.#unsharedScans -= 1;
    }
  }

  /** True while a caller waits for an answer. */
  get hasCallers(): boolean {
    return this.#windowScans.size > 0 || this.#look?.isRunning === true;
  }

  /** Looks for new executions in the background. Null while nothing is known, because then nothing is newer. */
  async lookForNew(sources: ScanSources, caller: ScanCaller): Promise<ScanResult | null> {
    const scope = await scopeOf(sources.capabilities);
    if (this.#store.stretches.of(scope).length === 0) return null;
    const begin = (): LookOptions => this.#lookOptions(null, scope, BACKGROUND_EFFORT);
    this.#background = this.#newScan(NO_WINDOW, begin, sources, BACKGROUND_EFFORT);
    return await this.#background.join(caller);
  }

  /** Backfills below what is known, in the background. */
  async backfill(sources: ScanSources, caller: ScanCaller): Promise<ScanResult> {
    this.#background = this.#newScan(NO_WINDOW, null, sources, BACKGROUND_EFFORT);
    return await this.#background.join(caller);
  }

  /** Reads down to the end of the window, as far as time and limit allow. */
  async cover(window: TraceWindow, sources: ScanSources, caller: ScanCaller): Promise<ScanResult> {
    if (caller.batchesWithOthers === true) await this.#waitForBatch();
    const scope = await scopeOf(sources.capabilities);
    if (this.#store.isKnownSince(window, scope))
      return await this.#lookInWindow(window, scope, sources, caller);
    const running = this.#windowScans.get(keyOf(window));
    if (running === undefined || running.isFresh) return await this.#scanWindow(window, sources, caller);
    const [look, windowScan] = await Promise.all([
      this.#currentLook(running.newestListed, scope, sources).join(caller),
      this.#scanWindow(window, sources, caller),
    ]);
    const result = mergeResults(look, windowScan);
    // The other scan may have read before this caller asked; this finds what has changed since.
    const isOutdated = [...windowScan.current].some((id) => !look.current.has(id));
    if (result.stop.reason !== "complete" || !isOutdated) return result;
    const again = this.#currentLook(running.newestListed, scope, sources);
    return mergeResults(await again.join({ ...caller, limit: caller.limit - result.read }), result);
  }

  /**
   * Checks whether n8n queues executions, if that is unknown or may have changed. Callers share the probe.
   * @param isFound something was found: n8n is then probed only if nothing is known about its queue
   * @param deadline epoch ms
   * @returns whether this n8n has just turned out to queue @throws ObserverError when n8n fails
   */
  async probeQueue(
    window: TraceWindow,
    sources: ScanSources,
    { isFound, deadline }: { readonly isFound: boolean; readonly deadline: number },
  ): Promise<boolean> {
    const now = sources.clock.now();
    const known = await sources.capabilities.get();
    const reason = reasonToProbe(known, this.#store, now);
    if (reason === null || (isFound && reason !== "unknown") || hasWindowEnded(window, now)) return false;
    const probe = () => probeQueue({ ...forAll(sources), store: this.#store, deadline });
    const queues = await (reason === "idle" ? this.#idleProbe : this.#queueProbe).get(now, probe);
    // The shared probe has updated only the capabilities of the caller that started it.
    if (queues) await sources.capabilities.learn({ queues });
    return queues;
  }

  /**
   * Probes for a queue while nobody waits, so that traces need not. A failure is ignored: the next trace probes again.
   * @param deadline epoch ms
   */
  async learnWhetherQueued(sources: ScanSources, deadline: number): Promise<void> {
    const probe = async () => await this.probeQueue(NO_WINDOW, sources, { isFound: true, deadline });
    await orElse(probe, () => false);
  }

  /** @see missedIn Callers share it. @param deadline epoch ms @throws ObserverError when time is up */
  async missedIn(
    window: TraceWindow,
    sources: ScanSources,
    deadline: number,
  ): Promise<readonly ExecutionListItem[]> {
    const now = sources.clock.now();
    // Where little is known, most ids would look missed.
    if (!this.#store.isKnownSince(window, "listed") || hasWindowEnded(window, now)) return [];
    const ask = () => missedIn({ ...forAll(sources), store: this.#store, deadline });
    const missed = await this.#missed.get(now, ask);
    return missed.filter((item) => isInWindow(window, item));
  }

  /** Waits until all callers that poll at the same second have arrived: one starts a scan that the others join. */
  async #waitForBatch(): Promise<void> {
    this.#batching ??= new Promise<void>((resolve) => setTimeout(resolve, BATCH_MS)).then(() => {
      this.#batching = null;
    });
    await this.#batching;
  }

  /** True if everything since the start of the window is known, except new executions, which every call looks for. */
  async isKnownSince(window: TraceWindow, { capabilities }: ScanSources): Promise<boolean> {
    return this.#store.isKnownSince(window, await scopeOf(capabilities));
  }

  async #lookInWindow(
    window: TraceWindow,
    scope: Scope,
    sources: ScanSources,
    caller: ScanCaller,
  ): Promise<ScanResult> {
    const look = await this.#currentLook(null, scope, sources).join(caller);
    // n8n turned out to have another history than the known one.
    if (!this.#store.isKnownSince(window, scope) && ["complete", "forgotten"].includes(look.stop.reason)) {
      const windowScan = await this.#scanWindow(window, sources, caller);
      return { ...windowScan, read: look.read + windowScan.read };
    }
    const [newest] = this.#store.stretches.of(scope);
    return { ...look, downTo: newest?.low ?? look.downTo };
  }

  /**
   * A caller that arrives during a look waits for the next one, which serves all waiting callers.
   * @param top another scan reads everything from this id down; null if none does
   */
  #currentLook(top: string | null, scope: Scope, sources: ScanSources): SharedScan {
    const stopAt = this.#stopAt(top, scope);
    const isFarEnough =
      this.#lookStopsAt === null || (stopAt !== null && !isNewer(this.#lookStopsAt, stopAt));
    if (this.#look?.isFresh === true && isFarEnough) {
      this.#lookDownTo.push(top);
      return this.#look;
    }
    this.#lookDownTo = [top];
    this.#lookStopsAt = null;
    const begin = (): LookOptions => {
      const lowest = this.#lookDownTo.reduce((low, one) => low && one && lowerOf(low, one));
      const look = this.#lookOptions(lowest, scope, FOREGROUND_EFFORT);
      this.#lookStopsAt = look.stopAt;
      return look;
    };
    this.#look = this.#newScan(NO_WINDOW, begin, forAll(sources), FOREGROUND_EFFORT, this.#look?.ended);
    return this.#look;
  }

  /** The id at which a look down to `top` may stop because everything below is known. */
  #stopAt(top: string | null, scope: Scope): string | null {
    const known = this.#store.stretches.of(scope)[0]?.high ?? null;
    return top !== null && (known === null || isNewer(top, known)) ? top : known;
  }

  #lookOptions(top: string | null, scope: Scope, { firstListSize }: ScanEffort): LookOptions {
    return { stopAt: this.#stopAt(top, scope), settled: this.#store.lookTimes.settled, firstListSize };
  }

  async #scanWindow(window: TraceWindow, sources: ScanSources, caller: ScanCaller): Promise<ScanResult> {
    let read = 0;
    for (;;) {
      const before = read;
      const running = this.#windowScans.get(keyOf(window));
      const others = running?.isJoinable === true ? running : null;
      const result = await (others ?? this.#beginWindowScan(window, sources)).join({
        ...caller,
        limit: caller.limit - before,
        onPage: async (readNow, back) => await caller.onPage(before + readNow, back),
      });
      read += result.read;
      const { stop } = result;
      const isInTime = sources.clock.now() < caller.deadline;
      const isRefused = stop.reason === "n8n" && stop.error.code === "RATE_LIMITED";
      // It ended for others that had less time, a lower limit, or no request quota left.
      const isEarly =
        (stop.reason === "limit" && read < caller.limit) ||
        (stop.reason === "time" && isInTime) ||
        (isRefused && isInTime && others !== null) ||
        stop.reason === "enough";
      if (!isEarly) return { ...result, read };
    }
  }

  #beginWindowScan(window: TraceWindow, sources: ScanSources): SharedScan {
    const key = keyOf(window);
    const windowScan = this.#newScan(window, null, sources, FOREGROUND_EFFORT);
    this.#windowScans.set(key, windowScan);
    void windowScan.ended.then(() => {
      if (this.#windowScans.get(key) === windowScan) this.#windowScans.delete(key);
    });
    return windowScan;
  }

  #newScan(
    window: TraceWindow,
    newLook: (() => LookOptions) | null,
    sources: ScanSources,
    { maxTermBytes, isBackground }: ScanEffort,
    before?: Promise<void>,
  ): SharedScan {
    const newTerms = () => takeTerms(sources.terms, maxTermBytes);
    const shared = {
      store: this.#store,
      slowReads: this.slowReads,
      runningPage: this.#runningPage,
      // Background requests have the lowest priority, so a caller must not wait for a background read.
      readsInProgress: isBackground ? new ReadsInProgress() : this.readsInProgress,
      isBackground,
    };
    return new SharedScan(window, newLook, { ...sources, ...shared, newTerms }, before);
  }
}

const keyOf = (window: TraceWindow): string => JSON.stringify(window);

export async function scopeOf(capabilities: KnownCapabilities): Promise<Scope> {
  return hidesUnfinished(await capabilities.get()) ? "hidden" : "listed";
}

/**
 * Merges the look for new executions with the scan below it, which starts where the look ended.
 * @param windowScan may have started before its caller asked, so it does not say what is current
 */
function mergeResults(look: ScanResult, windowScan: ScanResult): ScanResult {
  const { current } = look;
  return {
    stop: look.stop.reason === "complete" ? windowScan.stop : look.stop,
    downTo: windowScan.downTo,
    current,
    read: look.read + windowScan.read,
    skipped: [...look.skipped, ...windowScan.skipped],
    leftRunning: new Set([...look.leftRunning, ...windowScan.leftRunning].filter((id) => !current.has(id))),
    settles: look.settles,
  };
}
