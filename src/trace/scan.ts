/**
 * The scan: pages of executions with data, newest first, each searched for the request id.
 *
 * Promises: it ends at the limit, at the time budget, at the end of the window or at n8n's failure, and
 * says which; the state is handed to `checkpoint` after each page, so that a client that goes away loses
 * no more than one page; what cannot be read is noted, never silently dropped.
 */
import { ObserverError } from "../errors.ts";
import type { ExecutionQuery, N8nClient } from "../n8n/client.ts";
import { cursorBelow, withLimit } from "../n8n/execution-cursor.ts";
import type { Match } from "./match.ts";
import { type ElementReading, readElement, type Wanted } from "./read-element.ts";
import {
  isNewer,
  noteScanned,
  noteSkipped,
  remember,
  type TracedExecution,
  type TraceState,
  toTracedExecution,
} from "./trace-state.ts";

export interface ScanOptions {
  readonly client: N8nClient;
  readonly wanted: Wanted;
  /** Most executions to read in this call. */
  readonly limit: number;
  /** Epoch ms at which to stop. */
  readonly deadline: number;
  readonly now: () => number;
  /** Told the moment a match is found. */
  readonly onMatch: (execution: TracedExecution, match: Match) => Promise<void>;
  /** Told after each page, with the state to keep. */
  readonly checkpoint: (state: TraceState) => Promise<void>;
}

/** Why the scan ended. `n8n`: it failed after something had been read; the error says how. */
export type ScanStop =
  | { readonly reason: "complete" | "limit" | "time" }
  | { readonly reason: "n8n"; readonly error: ObserverError };

const PAGE_SIZE = 100;
/** No page is given less, else a late page could never be read. */
const MIN_PAGE_TIMEOUT_MS = 1_000;
const MAX_PAGE_TIMEOUT_MS = 25_000;

interface Page {
  readonly nextCursor: string | null;
  readonly count: number;
  /** True when each execution of the page started before the window. */
  readonly isBeforeWindow: boolean;
  /** True when an execution that was read before came by. */
  readonly hasKnown: boolean;
}

/** Scans on from where the state stands, and changes it. @throws ObserverError when nothing could be read */
export async function scan(state: TraceState, options: ScanOptions): Promise<ScanStop> {
  const scanner = new Scanner(state, options);
  try {
    await scanner.readRunning();
    return (await scanner.readNewer()) ?? (await scanner.readOlder());
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    // Whatever was read is kept; only a trace that could read nothing at all has nothing to say but the error.
    if (state.scannedExecutions === 0) throw error;
    await options.checkpoint(state);
    if (error.code === "N8N_TIMEOUT" && options.now() >= options.deadline) return { reason: "time" };
    return { reason: "n8n", error };
  }
}

class Scanner {
  readonly #state: TraceState;
  readonly #options: ScanOptions;
  #read = 0;

  constructor(state: TraceState, options: ScanOptions) {
    this.#state = state;
    this.#options = options;
  }

  /** Running executions are in no list but their own. They do not count against the limit. */
  async readRunning(): Promise<void> {
    const isFirstCall = this.#state.newestId === null && this.#state.cursor === null;
    const query = { ...this.#query(null), status: "running" as const, limit: PAGE_SIZE };
    const page = await this.#readPage(query, (reading) => {
      if (reading.kind === "read" && isFirstCall) this.#state.scannedExecutions += 1;
    });
    if (page.nextCursor !== null)
      noteSkipped(this.#state, {
        executionId: null,
        reason: `more than ${PAGE_SIZE} executions are running`,
      });
    this.#read = 0;
  }

  /**
   * What has come since earlier calls, down to what was read then. A stretch that one of them left comes
   * first, so that there is never more than one. Null when all of it was read.
   */
  async readNewer(): Promise<ScanStop | null> {
    const left = this.#state.newer;
    const stop = await this.#readStretch();
    if (stop !== null || this.#state.newestId === null) return stop;
    // One that had not been begun was read from the newest.
    if (left !== null && left.cursor === null) return null;
    this.#state.newer = { cursor: null, downTo: this.#state.newestId };
    return await this.#readStretch();
  }

  async #readStretch(): Promise<ScanStop | null> {
    for (let stretch = this.#state.newer; stretch !== null; stretch = this.#state.newer) {
      const stop = this.#stop();
      if (stop !== null) return stop;
      const page = await this.#readFrontier(stretch, stretch.downTo);
      const isRead = page.hasKnown || page.nextCursor === null || page.isBeforeWindow;
      this.#state.newer = isRead ? null : { ...stretch, cursor: page.nextCursor };
      await this.#options.checkpoint(this.#state);
    }
    return null;
  }

  async readOlder(): Promise<ScanStop> {
    while (!this.#state.complete) {
      const stop = this.#stop();
      if (stop !== null) return stop;
      const page = await this.#readFrontier(this.#state);
      this.#state.cursor = page.nextCursor;
      this.#state.complete = page.nextCursor === null || page.isBeforeWindow;
      await this.#options.checkpoint(this.#state);
    }
    return { reason: "complete" };
  }

  #stop(): ScanStop | null {
    if (this.#options.now() >= this.#options.deadline) return { reason: "time" };
    return this.#read >= this.#options.limit ? { reason: "limit" } : null;
  }

  /** The next page. Changes `place` only when the page breaks off. */
  async #readFrontier(place: { cursor: string | null }, downTo?: string): Promise<Page> {
    let lastId: string | null = null;
    const note = (reading: ElementReading): void => {
      this.#noteFrontier(reading);
      if (reading.kind === "read") lastId = reading.execution.id;
    };
    try {
      const page = await this.#readPage(this.#query(place.cursor), note, downTo);
      if (page.nextCursor === null || page.nextCursor !== place.cursor) return page;
    } catch (error) {
      // Part of the page was read: go on below it, not with the whole page again.
      if (lastId !== null) place.cursor = cursorBelow(lastId, PAGE_SIZE);
      throw error;
    }
    throw new ObserverError("N8N_BAD_RESPONSE", "n8n's cursor does not move on.", {
      solution: "Narrow the window with startedBefore to get past this place.",
    });
  }

  readonly #noteFrontier = (reading: ElementReading): void => {
    if (reading.kind === "read") noteScanned(this.#state, reading.execution.id, reading.execution.startedAt);
  };

  #query(cursor: string | null): ExecutionQuery {
    const { workflowId, startedAfter, startedBefore } = this.#state.window;
    const dates = this.#state.filtersDates
      ? { startedAfter: startedAfter ?? undefined, startedBefore: startedBefore ?? undefined }
      : {};
    const limit = Math.max(1, Math.min(PAGE_SIZE, this.#options.limit - this.#read));
    const place = cursor === null ? undefined : withLimit(cursor, limit);
    return { workflowId: workflowId ?? undefined, ...dates, limit, cursor: place };
  }

  #timeoutMs(): number {
    const left = this.#options.deadline - this.#options.now();
    return Math.min(MAX_PAGE_TIMEOUT_MS, Math.max(MIN_PAGE_TIMEOUT_MS, left));
  }

  async #readPage(
    query: ExecutionQuery,
    note: (reading: ElementReading) => void,
    knownId?: string,
  ): Promise<Page> {
    try {
      return await this.#readElements(query, note, knownId);
    } catch (error) {
      if (!isUnknownParameter(error) || !this.#state.filtersDates || query.cursor !== undefined) throw error;
      // Before 2.36 n8n has no date filters: compare dates here, while paging.
      this.#state.filtersDates = false;
      const { startedAfter: _after, startedBefore: _before, ...withoutDates } = query;
      return await this.#readElements(withoutDates, note, knownId);
    }
  }

  async #readElements(
    query: ExecutionQuery,
    note: (reading: ElementReading) => void,
    knownId?: string,
  ): Promise<Page> {
    const { client, wanted } = this.#options;
    const elements = client.streamExecutions(query, { timeoutMs: this.#timeoutMs() });
    let count = 0;
    let beforeWindow = 0;
    for (let next = await elements.next(); ; next = await elements.next()) {
      if (next.done) {
        return {
          nextCursor: next.value,
          count,
          isBeforeWindow: count > 0 && beforeWindow === count,
          hasKnown: false,
        };
      }
      const reading = await readElement(next.value, client, wanted, this.#timeoutMs());
      count += 1;
      if (reading.kind === "read" && knownId !== undefined && !isNewer(reading.execution.id, knownId)) {
        await elements.return(null);
        return { nextCursor: null, count, isBeforeWindow: false, hasKnown: true };
      }
      this.#read += 1;
      const place = this.#placeInWindow(reading);
      if (place === "before") beforeWindow += 1;
      if (place === "inside") {
        note(reading);
        await this.#keep(reading);
      }
    }
  }

  /** Where n8n does not filter by date, or ignores the filter without a word, this does. */
  #placeInWindow(reading: ElementReading): "inside" | "before" | "after" {
    if (reading.kind === "skipped" || reading.execution.startedAt === null) return "inside";
    const started = Date.parse(reading.execution.startedAt);
    const { startedAfter, startedBefore } = this.#state.window;
    if (startedAfter !== null && started < Date.parse(startedAfter)) return "before";
    return startedBefore !== null && started > Date.parse(startedBefore) ? "after" : "inside";
  }

  async #keep(reading: ElementReading): Promise<void> {
    if (reading.kind === "skipped") {
      noteSkipped(this.#state, { executionId: reading.executionId, reason: reading.reason });
      return;
    }
    const execution = toTracedExecution(reading.execution);
    const isNew = reading.match !== null && !(execution.id in this.#state.matches);
    remember(this.#state, execution, reading.match);
    if (reading.isUncertain) {
      noteSkipped(this.#state, {
        executionId: execution.id,
        reason: "it may hold the id in a part too large to look at",
      });
    }
    if (isNew && reading.match !== null) await this.#options.onMatch(execution, reading.match);
  }
}

function isUnknownParameter(error: unknown): boolean {
  return error instanceof ObserverError && error.details.httpStatus === 400;
}
