/**
 * Keeps the history up to date while nobody asks: looks at what is new, and reads further back step by step. It never
 * makes a person wait: it pauses as soon as somebody asks for what has to be read.
 */
import { DAY_MS, MINUTE_MS } from "../platform/durations.ts";
import { ObserverError } from "../platform/errors.ts";
import { STEP_EXECUTIONS } from "./report/index-report.ts";
import { type ScanSources, type SharedScans, scopeOf } from "./scan/shared-scans.ts";
import { type ErrorFacts, errorFacts } from "./scan/stop-facts.ts";
import type { ExecutionStore } from "./store/execution-store.ts";

export interface BackgroundSettings {
  /** Milliseconds between two looks at what is new. */
  readonly intervalMs: number;
  readonly days: number;
  readonly maxExecutions: number;
}

export interface BackgroundResult {
  /** Milliseconds until the next step. */
  readonly nextMs: number;
  /** Why n8n could not be asked; null when it could. */
  readonly failure: ErrorFacts | null;
}

/**
 * For how long a step begins to read, by the clock: what is under way then ends first. A Durable Object's processor may
 * take 30 s (Cloudflare), of which waiting for n8n is no part.
 */
const STEP_MS = 20_000;
/** The same after a step in which n8n was too slow for anything further back to be read. */
const LONGEST_STEP_MS = 30_000;
/** After a step that was cut off, the next reads half as many executions; after one that was not, some more. */
const LEAST_EXECUTIONS = 50;
const MORE_EXECUTIONS = 50;
/** While there is more to read. */
export const NEXT_STEP_MS = 500;
/** Five seconds: what has just begun or ended counts as known a moment later. */
const MAX_IN_VAIN = 10;
/** While somebody waits for n8n. */
const AFTER_OTHERS_MS = 5_000;
/** Two minutes and more, in which people hardly ask all the time: n8n or its limiter does not answer. */
const MAX_REFUSED = 24;
/** Between two looks when nothing happens, or n8n fails. */
const MAX_PAUSE_MS = 5 * MINUTE_MS;

const FOR_NOBODY = { limit: STEP_EXECUTIONS, searchTarget: null, onRead: () => {}, onPage: async () => {} };

/** Somebody asks, or it has read far enough. */
class Paused extends Error {}

export class BackgroundSync {
  readonly #store: ExecutionStore;
  readonly #scans: SharedScans;
  /** Steps in a row in which nothing was new, or n8n failed. */
  #idle = 0;
  /** Steps in a row that came to the end of history, and read nothing. */
  #inVain = 0;
  /** Steps in a row that got no slot. */
  #refused = 0;
  /** The last step looked at what is new, and had no time to read further back. */
  #hadNoTime = false;

  constructor(store: ExecutionStore, scans: SharedScans) {
    this.#store = store;
    this.#scans = scans;
  }

  /** Somebody asks: what is new matters again. */
  wake(): void {
    this.#idle = 0;
  }

  /** One step. Never throws for n8n's failures. */
  async step(sources: ScanSources, settings: BackgroundSettings): Promise<BackgroundResult> {
    if (this.#scans.isBusy) return { nextMs: AFTER_OTHERS_MS, failure: null };
    try {
      // With a slow n8n, the look would use up every step.
      const onlyReadsBack = this.#hadNoTime;
      const deadline = sources.clock.now() + (onlyReadsBack ? LONGEST_STEP_MS : STEP_MS);
      const head = onlyReadsBack ? null : await this.#scans.lookAtHead(sources, { ...FOR_NOBODY, deadline });
      if (head !== null && "error" in head.stop) throw head.stop.error;
      // A queue shows only while n8n is busy.
      if (head !== null && head.read > 0) await this.#scans.learnWhetherQueued(sources, deadline);
      const isMore = await this.#readBack(sources, settings, deadline);
      if (onlyReadsBack) this.#hadNoTime = false;
      this.#refused = 0;
      this.#idle = isMore || (head?.read ?? 1) > 0 ? 0 : this.#idle + 1;
      const { lastFailure } = this.#store;
      if (lastFailure?.isOver === false) this.#store.lastFailure = { ...lastFailure, isOver: true };
      return { nextMs: isMore ? NEXT_STEP_MS : this.#pause(settings), failure: null };
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
      this.#refused = error.code === "RATE_LIMITED" ? this.#refused + 1 : 0;
      // It gets a slot last: that people ask is no failure, unless it goes on.
      if (this.#refused > 0 && this.#refused <= MAX_REFUSED)
        return { nextMs: AFTER_OTHERS_MS, failure: null };
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
  async #readBack(sources: ScanSources, settings: BackgroundSettings, deadline: number): Promise<boolean> {
    const oldest = new Date(sources.clock.now() - settings.days * DAY_MS).toISOString();
    const isFarEnough = (start: string | null): boolean => start !== null && start < oldest;
    const isDone = async (): Promise<boolean> => {
      const [newest] = this.#store.stretches.of(await scopeOf(sources.capabilities));
      if (newest === undefined) return false;
      // What made room is read again once a whole step has room: the limit was raised, or n8n has deleted much.
      const most = settings.maxExecutions - (this.#store.stretches.hasFloor ? STEP_EXECUTIONS : 0);
      const hasNoRoom = this.#store.isFull || this.#store.counts.all >= most;
      return newest.isBottom || hasNoRoom || isFarEnough(this.#store.executions.startOf(newest.low));
    };
    this.#hadNoTime = false;
    if (await isDone()) return false;
    this.#hadNoTime = sources.clock.now() >= deadline;
    if (this.#hadNoTime) return true;
    const onPage = async (_read: number, back: string | null): Promise<void> => {
      if (this.#scans.isAwaited || isFarEnough(back)) throw new Paused();
    };
    // Whoever has begun to search since this step began would begin anew.
    if (this.#store.stretches.hasFloor && this.#scans.isBusy) return true;
    this.#store.liftFloor();
    const limit = this.#beginStep();
    try {
      const { stop, read } = await this.#scans.readBack(sources, { ...FOR_NOBODY, deadline, limit, onPage });
      this.#endStep(limit);
      this.#hadNoTime = stop.reason === "time" && read === 0;
      if ("error" in stop) throw stop.error;
      this.#inVain = stop.reason === "complete" && read === 0 ? this.#inVain + 1 : 0;
      // All is read, but cannot count as known before something else begins: the next step would do the same.
      if (this.#inVain >= MAX_IN_VAIN) return false;
    } catch (error) {
      if (!(error instanceof Paused)) throw error;
      this.#endStep(limit);
    }
    return !(await isDone());
  }

  /** A step that does not come to its end leaves its mark: its object used up the processor, or was reset. */
  #beginStep(): number {
    const { executions, isOver } = this.#store.step;
    const limit = isOver ? executions : Math.max(LEAST_EXECUTIONS, Math.floor(executions / 2));
    this.#store.step = { executions: limit, isOver: false };
    return limit;
  }

  #endStep(limit: number): void {
    this.#store.step = { executions: Math.min(STEP_EXECUTIONS, limit + MORE_EXECUTIONS), isOver: true };
  }
}
