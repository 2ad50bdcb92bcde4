/**
 * Keeps the history up to date in the background: looks for new executions, and backfills step by step. It pauses as
 * soon as a caller needs something to be read.
 */
import { DAY_MS, MINUTE_MS } from "../platform/durations.ts";
import { ObserverError } from "../platform/errors.ts";
import { STEP_EXECUTIONS } from "./report/index-report.ts";
import { type ScanSources, type SharedScans, scopeOf } from "./scan/shared-scans.ts";
import { type ErrorFacts, errorFacts } from "./scan/stop-facts.ts";
import type { ExecutionStore } from "./store/execution-store.ts";
import type { KnownStretches } from "./store/known-stretches.ts";

export interface BackgroundSettings {
  /** Milliseconds between two looks for new executions. */
  readonly intervalMs: number;
  readonly days: number;
  readonly maxExecutions: number;
}

export interface BackgroundResult {
  readonly nextMs: number;
  /** Why n8n could not be asked; null if it answered. */
  readonly failure: ErrorFacts | null;
}

/**
 * How long a step may begin new reads, in wall time; reads in flight still finish. A Durable Object may use 30 s of CPU
 * time (Cloudflare), which does not include waiting for n8n.
 */
const STEP_MS = 20_000;
/** The same after a step in which n8n was too slow for any backfill. */
const MAX_STEP_MS = 30_000;
/** After an interrupted step, the next one reads half as many executions; after a finished one, this many more. */
const MIN_EXECUTIONS = 50;
const ADDED_EXECUTIONS = 50;
/** The pause while there is more to read. */
export const NEXT_STEP_MS = 500;
/** Five seconds: new or ended executions count as known a moment later. */
const MAX_EMPTY_STEPS = 10;
/** The pause while a caller waits for n8n. */
const BUSY_PAUSE_MS = 5_000;
/** More than two minutes; people hardly call that long without a break, so n8n or its limiter does not answer. */
const MAX_REFUSED = 24;
/** The maximum pause between two looks when nothing happens, or n8n fails. */
const MAX_PAUSE_MS = 5 * MINUTE_MS;

const BACKGROUND = { limit: STEP_EXECUTIONS, searchTarget: null, onRead: () => {}, onPage: async () => {} };

/** A caller is waiting, or the backfill has read far enough. */
class Paused extends Error {}

/** Removed executions are read again only if a whole step fits: the limit was raised, or n8n has deleted many. */
export const roomFor = (most: number, { hasFloor }: Pick<KnownStretches, "hasFloor">): number =>
  most - (hasFloor ? STEP_EXECUTIONS : 0);

export class BackgroundSync {
  readonly #store: ExecutionStore;
  readonly #scans: SharedScans;
  /** Consecutive steps without anything new, or in which n8n failed. */
  #idle = 0;
  /** Consecutive steps that reached the end of history and read nothing. */
  #emptySteps = 0;
  /** Consecutive steps that got no slot. */
  #refused = 0;
  /** The last step looked for new executions and had no time left for the backfill. */
  #ranOutOfTime = false;

  constructor(store: ExecutionStore, scans: SharedScans) {
    this.#store = store;
    this.#scans = scans;
  }

  /** A caller has arrived, so new executions matter again. */
  wake(): void {
    this.#idle = 0;
  }

  /** One step. Never throws for n8n's failures. */
  async step(sources: ScanSources, settings: BackgroundSettings): Promise<BackgroundResult> {
    if (this.#scans.isBusy) return { nextMs: BUSY_PAUSE_MS, failure: null };
    try {
      // With a slow n8n, the look would use up every step.
      const onlyBackfills = this.#ranOutOfTime;
      const deadline = sources.clock.now() + (onlyBackfills ? MAX_STEP_MS : STEP_MS);
      const head = onlyBackfills ? null : await this.#scans.lookForNew(sources, { ...BACKGROUND, deadline });
      if (head !== null && "error" in head.stop) throw head.stop.error;
      // A queue shows only while n8n is busy.
      if (head !== null && head.read > 0) await this.#scans.learnWhetherQueued(sources, deadline);
      const isMore = await this.#backfill(sources, settings, deadline);
      if (onlyBackfills) this.#ranOutOfTime = false;
      this.#refused = 0;
      this.#idle = isMore || (head?.read ?? 1) > 0 ? 0 : this.#idle + 1;
      const { lastFailure } = this.#store;
      if (lastFailure?.isOver === false) this.#store.lastFailure = { ...lastFailure, isOver: true };
      return { nextMs: isMore ? NEXT_STEP_MS : this.#pause(settings), failure: null };
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
      this.#refused = error.code === "RATE_LIMITED" ? this.#refused + 1 : 0;
      // The background gets slots last: busy callers are no failure, unless it goes on.
      if (this.#refused > 0 && this.#refused <= MAX_REFUSED) return { nextMs: BUSY_PAUSE_MS, failure: null };
      this.#idle += 1;
      const at = new Date(sources.clock.now()).toISOString();
      this.#store.lastFailure = { code: error.code, at, isOver: false };
      return { nextMs: this.#pause(settings), failure: errorFacts(error) };
    } finally {
      this.#store.costs.keep();
    }
  }

  #pause({ intervalMs }: BackgroundSettings): number {
    const doubled = intervalMs * 2 ** Math.min(10, Math.max(0, this.#idle - 1));
    return Math.max(intervalMs, Math.min(MAX_PAUSE_MS, doubled));
  }

  /** @returns whether there is more to read */
  async #backfill(sources: ScanSources, settings: BackgroundSettings, deadline: number): Promise<boolean> {
    const oldest = new Date(sources.clock.now() - settings.days * DAY_MS).toISOString();
    const isFarEnough = (start: string | null): boolean => start !== null && start < oldest;
    const isDone = async (): Promise<boolean> => {
      const [newest] = this.#store.stretches.of(await scopeOf(sources.capabilities));
      if (newest === undefined) return false;
      const most = roomFor(settings.maxExecutions, this.#store.stretches);
      const hasNoRoom = this.#store.isFull || this.#store.counts.all >= most;
      return newest.isBottom || hasNoRoom || isFarEnough(this.#store.executions.startOf(newest.low));
    };
    this.#ranOutOfTime = false;
    if (await isDone()) return false;
    this.#ranOutOfTime = sources.clock.now() >= deadline;
    if (this.#ranOutOfTime) return true;
    const onPage = async (_read: number, back: string | null): Promise<void> => {
      if (this.#scans.hasCallers || isFarEnough(back)) throw new Paused();
    };
    // Searches that began since the start of this step would have to start over.
    if (this.#store.stretches.hasFloor && this.#scans.isBusy) return true;
    this.#store.liftFloor();
    const limit = this.#beginStep();
    try {
      const { stop, read } = await this.#scans.backfill(sources, { ...BACKGROUND, deadline, limit, onPage });
      this.#endStep(limit);
      this.#ranOutOfTime = stop.reason === "time" && read === 0;
      if ("error" in stop) throw stop.error;
      this.#emptySteps = stop.reason === "complete" && read === 0 ? this.#emptySteps + 1 : 0;
      // Everything is read, but cannot count as known before another execution begins: the next step would do the same.
      if (this.#emptySteps >= MAX_EMPTY_STEPS) return false;
    } catch (error) {
      if (!(error instanceof Paused)) throw error;
      this.#endStep(limit);
    }
    return !(await isDone());
  }

  /** An unfinished step stays recorded: its object exceeded its CPU time, or was reset. */
  #beginStep(): number {
    const { executions, isOver } = this.#store.step;
    const limit = isOver ? executions : Math.max(MIN_EXECUTIONS, Math.floor(executions / 2));
    this.#store.step = { executions: limit, isOver: false };
    return limit;
  }

  #endStep(limit: number): void {
    this.#store.step = { executions: Math.min(STEP_EXECUTIONS, limit + ADDED_EXECUTIONS), isOver: true };
  }
}
