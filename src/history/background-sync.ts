/**
 * Keeps the history up to date while nobody asks: looks at what is new, reads further back step by step, and makes
 * room. It never makes a person wait: it pauses as soon as somebody asks for what has to be read.
 */

import { ObserverError } from "../platform/errors.ts";
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

/** A step: n8n's answers and the rows of a few thousand executions. */
const STEP_MS = 20_000;
const STEP_EXECUTIONS = 2_000;
/** While there is more to read. */
const NEXT_STEP_MS = 500;
/** While somebody waits for n8n. */
const AFTER_OTHERS_MS = 5_000;
/** Between two looks when nothing happens, or n8n fails. */
const MAX_PAUSE_MS = 5 * 60_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Somebody asks, or it has read far enough. */
class Paused extends Error {}

export class BackgroundSync {
  readonly #store: ExecutionStore;
  readonly #scans: SharedScans;
  /** Steps in a row in which nothing was new, or n8n failed. */
  #idle = 0;

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
    this.#store.makeRoom(settings.maxExecutions);
    try {
      const head = await this.#scans.lookAtHead(sources, this.#waiting(sources));
      if (head?.stop.reason === "n8n") throw head.stop.error;
      const isMore = await this.#readBack(sources, settings);
      this.#idle = isMore || (head?.read ?? 1) > 0 ? 0 : this.#idle + 1;
      const { lastFailure } = this.#store;
      if (lastFailure?.isOver === false) this.#store.lastFailure = { ...lastFailure, isOver: true };
      return { nextMs: isMore ? NEXT_STEP_MS : this.#pause(settings), failure: null };
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
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
  async #readBack(sources: ScanSources, settings: BackgroundSettings): Promise<boolean> {
    const oldest = new Date(sources.clock.now() - settings.days * DAY_MS).toISOString();
    const isFarEnough = (start: string | null): boolean => start !== null && start < oldest;
    const isDone = async (): Promise<boolean> => {
      const [newest] = this.#store.stretches.of(await scopeOf(sources.capabilities));
      if (newest === undefined) return false;
      const hasNoRoom = this.#store.isFull || this.#store.counts.all >= settings.maxExecutions;
      return newest.isBottom || hasNoRoom || isFarEnough(this.#store.executions.startOf(newest.low));
    };
    if (await isDone()) return false;
    const onPage = async (_read: number, back: string | null): Promise<void> => {
      if (this.#scans.isAwaited || isFarEnough(back)) throw new Paused();
    };
    try {
      const { stop } = await this.#scans.readBack(sources, { ...this.#waiting(sources), onPage });
      if (stop.reason === "n8n") throw stop.error;
    } catch (error) {
      if (!(error instanceof Paused)) throw error;
    }
    return !(await isDone());
  }

  #waiting({ clock }: ScanSources) {
    const ignore = { searchTarget: null, onRead: () => {}, onPage: async () => {} };
    return { deadline: clock.now() + STEP_MS, limit: STEP_EXECUTIONS, ...ignore };
  }
}
