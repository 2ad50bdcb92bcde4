/**
 * Reads listed executions with their data, in pages, as they stream in.
 *
 * Promises: each is reported once, as read, unreadable or vanished. When n8n fails, the page is halved and requested
 * again after a pause, down to the one execution at which n8n fails, which is skipped. Requests one page at a time.
 */
import { backOff, mayPass, timeoutOf } from "../../n8n/back-off.ts";
import type { ExecutionQuery } from "../../n8n/client.ts";
import { cursorBelow } from "../../n8n/execution-cursor.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { isBadRequest, isNotFound, ObserverError } from "../../platform/errors.ts";
import { isNewer, lowerOf } from "../../platform/id-order.ts";
import { hasEnded } from "../store/traced-execution.ts";
import type { ReadingEvents, ReadOptions } from "./reading.ts";
import type { SlowReads } from "./slow-reads.ts";
import { StreamReader, streamInto } from "./stream-reader.ts";

/** Consecutive executions in n8n's list. */
export interface ListedRun {
  /** Newest first, at least one. Known executions only fill the page. */
  readonly items: readonly ExecutionListItem[];
  readonly wanted: ReadonlySet<string>;
  readonly workflowId: string | null;
  /** Requests the same executions if n8n refuses hand-made cursors; else null. */
  readonly query: ExecutionQuery | null;
}

/** After this many failures in a row, check whether n8n answers at all. */
const FAILURES_BEFORE_PROBE = 2;
const MAX_RATE_LIMITS = 3;
/** Before the retry of a page of several executions, if n8n answers other requests. */
const PAUSE_MS = 100;
/** n8n may fail at all data for a moment: it is blamed on one execution only after this time ... */
const MIN_STREAK_MS = 2_000;
/** ... or after this many failures in a row; halving the largest page down to one takes eight. */
const CERTAIN_FAILURES = 12;
/** Attempts at a page whose size cannot be changed. */
const MAX_TRIES = 3;
/** An execution is skipped once this many calls have ended at it. */
const MAX_ENDS = 3;
/** More than this many in one call are not a problem of single executions. */
const MAX_UNREADABLE = 20;

export async function readPage(
  query: ExecutionQuery,
  options: ReadOptions,
  events: ReadingEvents,
): Promise<void> {
  try {
    await streamPage(query, options, events);
  } catch (error) {
    throw error instanceof BrokenPage ? error.cause : error;
  }
}

/** A series of failures while reading a run. It ends when data arrives after an execution was skipped. */
interface FailureStreak {
  /** Epoch ms of the first failure. */
  readonly since: number;
  /** Whether data has arrived since, so that n8n does not fail at all data. */
  readonly hasReceivedData: boolean;
  /** Whether an execution was skipped. */
  readonly hasSkipped: boolean;
}

/** The streak once data has arrived. */
const afterData = (streak: FailureStreak | null): FailureStreak | null =>
  streak === null || streak.hasSkipped ? null : { ...streak, hasReceivedData: true };

type PageSeen = Readonly<Pick<StreamReader, "seen" | "withoutId">>;

/** @throws BrokenPage */
async function streamPage(
  query: ExecutionQuery,
  options: ReadOptions,
  events: ReadingEvents,
): Promise<PageSeen> {
  const reader = new StreamReader("list", options, events);
  const { walk } = reader;
  try {
    await streamInto(reader, options, (limits) => options.client.streamExecutions(query, walk, limits));
  } catch (error) {
    throw new BrokenPage(error, reader.seen, reader.waitedMs);
  }
  options.pageSize.note(reader.seen.length, walk.byteLength);
  return reader;
}

class BrokenPage extends Error {
  readonly seen: readonly string[];
  readonly waitedMs: number;

  constructor(cause: unknown, seen: readonly string[], waitedMs = Number.POSITIVE_INFINITY) {
    super("A page broke off.", { cause });
    this.seen = seen;
    this.waitedMs = waitedMs;
  }
}

/** Reads one execution of any size. @throws ObserverError `EXECUTION_NOT_FOUND` or an `N8N_…` code */
export async function readOne(id: string, options: ReadOptions, events: ReadingEvents): Promise<void> {
  const reader = new StreamReader("one", options, events);
  const { walk } = reader;
  await streamInto(reader, options, (limits) => options.client.streamExecution(id, walk, limits));
  options.pageSize.note(0, walk.byteLength);
}

/** Reads the wanted executions of a run. One reader serves a whole scan, because it counts n8n's failures. */
export class RunReader {
  readonly #options: ReadOptions;
  readonly #events: ReadingEvents;
  readonly #slowReads: SlowReads;
  #unreadable = 0;

  constructor(options: ReadOptions, events: ReadingEvents, slowReads: SlowReads) {
    this.#options = options;
    this.#events = events;
    this.#slowReads = slowReads;
  }

  /** @throws ObserverError when n8n fails for good, or time runs out */
  async read(run: ListedRun): Promise<void> {
    let open = run.items.filter((item) => run.wanted.has(item.id));
    let failures = 0;
    let hasRead = false;
    let streak: FailureStreak | null = null;
    while (open.length > 0) {
      // Pages shrink when other users arrive, so a run of one page may now take many.
      if (hasRead && this.#options.clock.now() >= this.#options.deadline) throw outOfTime();
      const part = this.#partOf(open, run);
      // A page with a query of n8n's own cannot be split.
      if (run.query !== null && this.#isSlow(part)) return await this.#readSingly(open);
      try {
        const page = await streamPage(queryFor(part, run), this.#options, this.#events);
        const left = await this.#afterPage(open, part, page);
        // The same page would lack them again.
        if (run.query !== null || left.length === open.length) return await this.#readSingly(left);
        open = left;
        failures = 0;
        hasRead = true;
        streak = afterData(streak);
      } catch (error) {
        if (!(error instanceof BrokenPage)) throw error;
        const seen = new Set(error.seen);
        const rest = open.filter((item) => !seen.has(item.id));
        const hasComeInPart = rest.length < open.length;
        if (hasComeInPart) streak = afterData(streak);
        streak ??= { since: this.#options.clock.now(), hasReceivedData: false, hasSkipped: false };
        failures = hasComeInPart ? 1 : failures + 1;
        const isHopeless = isBadRequest(error.cause) || (run.query !== null && failures > MAX_TRIES);
        if (isHopeless) return await this.#readSingly(rest);
        open = await this.#afterFailure(rest, part, { failures, streak }, error.cause).catch((last) =>
          this.#endAt(rest, part, error, last),
        );
        if (open.length < rest.length) streak = { ...streak, hasSkipped: true };
      }
    }
  }

  #partOf(open: readonly ExecutionListItem[], run: ListedRun): readonly ExecutionListItem[] {
    const { pageSize } = this.#options;
    const part = itemsFrom(open, run, pageSize.current);
    if (part.length === 1 || run.query !== null || !this.#isSlow(part)) return part;
    pageSize.restart();
    return itemsFrom(open, run, 1);
  }

  #isSlow(part: readonly ExecutionListItem[]): boolean {
    return this.#slowReads.isSlow(part.map(({ id }) => id));
  }

  /** Ends the call. The next one continues with smaller pages; an execution at which several calls ended is skipped. */
  #endAt(
    open: ExecutionListItem[],
    { length }: readonly unknown[],
    { cause, waitedMs }: BrokenPage,
    error: unknown,
  ): never {
    const [failed] = open;
    if (failed === undefined || !mayPass(error) || error.code === "N8N_RATE_LIMITED") throw error;
    if (isTimeout(cause) && !this.#slowReads.hadEnoughTime(Math.min(waitedMs, givenMs(cause)))) throw error;
    if (this.#slowReads.noteCallEnd(failed.id) >= MAX_ENDS && length === 1) this.#skipFirst(open, error);
    throw error;
  }

  /** Returns the executions still to be read; the others were read or are gone. @throws BrokenPage */
  async #afterPage(
    open: readonly ExecutionListItem[],
    part: readonly ExecutionListItem[],
    page: PageSeen,
  ): Promise<ExecutionListItem[]> {
    const read = new Set(page.seen);
    this.#slowReads.noteArrived(part.map(({ id }) => id));
    const missing = missingFrom(part, page).filter((item) => open.includes(item));
    const left = open.filter((item) => !read.has(item.id) && !missing.includes(item));
    if (missing.length === 0) return left;
    if (page.withoutId > 0) {
      for (const { id } of missing)
        this.#events.unreadable(id, "n8n returned it without an id, or not at all");
      return left;
    }
    // n8n may leave unfinished executions out of its lists, so further pages would lack them again.
    const unlisted = missing.filter((item) => !hasEnded(item));
    const [first, ...others] = missing.filter(hasEnded);
    const isGone = first !== undefined && (await this.#isGone(first, page.seen));
    if (isGone) for (const { id } of [first, ...others]) this.#events.vanished(id);
    await this.#readSingly(unlisted);
    if (first === undefined || isGone) return left;
    // The page was short: its missing executions exist.
    return open.filter((item) => left.includes(item) || others.includes(item));
  }

  /** Requests an execution that a page lacked, and reads it if it exists. @throws BrokenPage */
  async #isGone({ id }: ExecutionListItem, seen: readonly string[]): Promise<boolean> {
    try {
      await readOne(id, this.#options, this.#events);
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw new BrokenPage(error, seen);
    }
  }

  /** Waits, or gives up on n8n or on one execution. Returns the executions still to be read. */
  async #afterFailure(
    open: ExecutionListItem[],
    part: readonly ExecutionListItem[],
    { failures, streak }: { readonly failures: number; readonly streak: FailureStreak },
    error: unknown,
  ): Promise<ExecutionListItem[]> {
    const { clock, deadline, pageSize } = this.#options;
    const mayBeDown = failures < FAILURES_BEFORE_PROBE;
    if (!mayPass(error)) throw error;
    if (clock.now() >= deadline) throw mayBeDown ? error : outOfTime();
    if (error.code === "N8N_RATE_LIMITED") {
      if (failures > MAX_RATE_LIMITS) throw error;
      await backOff(error, failures, { clock }, deadline);
      return open;
    }
    if (!mayBeDown) await this.#probe();
    const isSingle = part.length === 1 && !mayBeDown;
    const { since, hasReceivedData, hasSkipped } = streak;
    const isLong = clock.now() - since >= MIN_STREAK_MS || failures >= CERTAIN_FAILURES;
    const isSure = hasReceivedData || hasSkipped || isLong;
    if (isSingle && isSure) return this.#skipFirst(open, error);
    pageSize.halve();
    // n8n most likely fails at one of them: a smaller page finds it sooner than a longer pause would.
    if (isSingle || mayBeDown) await backOff(error, failures, { clock }, deadline);
    else await clock.sleep(PAUSE_MS);
    return open;
  }

  /** Skips executions at which n8n fails; waits when n8n limits the rate. */
  async #readSingly(open: readonly ExecutionListItem[]): Promise<void> {
    const { clock, deadline } = this.#options;
    let rateLimits = 0;
    for (let left = open; left.length > 0; ) {
      const [next, ...others] = left;
      if (next === undefined) return;
      if (clock.now() >= deadline) throw outOfTime();
      try {
        await readOne(next.id, this.#options, this.#events);
        this.#slowReads.noteArrived([next.id]);
        rateLimits = 0;
      } catch (error) {
        if (isNotFound(error)) this.#events.vanished(next.id);
        else if (!mayPass(error)) throw error;
        else if (error.code === "N8N_RATE_LIMITED") {
          rateLimits += 1;
          if (rateLimits > MAX_RATE_LIMITS) throw error;
          await backOff(error, rateLimits, { clock }, deadline);
          continue;
        } else this.#skipFirst([next], error);
      }
      left = others;
    }
  }

  #skipFirst([failed, ...rest]: ExecutionListItem[], error: ObserverError): ExecutionListItem[] {
    this.#unreadable += 1;
    if (this.#unreadable > MAX_UNREADABLE) throw error;
    if (failed !== undefined) this.#events.unreadable(failed.id, `n8n failed to return it (${error.code})`);
    return rest;
  }

  /** @throws ObserverError when n8n does not answer even the smallest request */
  async #probe(): Promise<void> {
    const { client, clock, deadline } = this.#options;
    await client.listExecutions({ limit: 1 }, { timeoutMs: timeoutOf(clock, deadline) });
  }
}

export const isTimeout = (error: unknown): error is ObserverError =>
  error instanceof ObserverError && error.code === "N8N_TIMEOUT";

/** The timeout of the failed request, in milliseconds; infinite for any other failure. */
export function givenMs(error: unknown): number {
  const timeoutMs = isTimeout(error) ? error.details.timeoutMs : undefined;
  return typeof timeoutMs === "number" ? timeoutMs : Number.POSITIVE_INFINITY;
}

function outOfTime(): ObserverError {
  return new ObserverError("N8N_TIMEOUT", "Time ran out before everything was read.", {
    solution: "Call again to continue.",
  });
}

/** Executions that a page lacked, except those pushed out of it by others that ended in the meantime. */
function missingFrom(
  part: readonly ExecutionListItem[],
  { seen, withoutId }: PageSeen,
): readonly ExecutionListItem[] {
  const read = new Set(seen);
  const lowest = seen.reduce(lowerOf, seen[0] ?? "0");
  const isFull = seen.length + withoutId >= part.length;
  return part.filter(({ id }) => !read.has(id) && !(isFull && isNewer(lowest, id)));
}

/** The listed executions from the first to the last open one, limited to `size`. */
function itemsFrom(
  open: readonly ExecutionListItem[],
  run: ListedRun,
  size: number,
): readonly ExecutionListItem[] {
  if (run.query !== null) return run.items;
  const start = run.items.findIndex((item) => item.id === open[0]?.id);
  const end = run.items.findIndex((item) => item.id === open.at(-1)?.id) + 1;
  return run.items.slice(start, Math.min(end, start + size));
}

function queryFor(part: readonly ExecutionListItem[], run: ListedRun): ExecutionQuery {
  if (run.query !== null) return run.query;
  const newest = BigInt(part[0]?.id ?? 0);
  const limit = part.length;
  return {
    workflowId: run.workflowId ?? undefined,
    limit,
    cursor: cursorBelow(String(newest + 1n), limit),
  };
}
