/**
 * Reads listed executions with their data, in pages, as they stream in.
 *
 * Promises: each is reported once, as read, unreadable or vanished. When n8n fails, the page is halved and requested
 * again after a pause, down to the one execution at which n8n fails, which is skipped. Requests one page at a time.
 */
import { backOff, mayPass, timeoutOf } from "../../n8n/back-off.ts";
import type { ExecutionQuery } from "../../n8n/client.ts";
import { cursorBelow } from "../../n8n/execution-cursor.ts";
import { ExecutionWalk } from "../../n8n/execution-walk.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { isBadRequest, isNotFound, ObserverError } from "../../platform/errors.ts";
import { isNewer } from "../../platform/id-order.ts";
import { hasEnded } from "../store/traced-execution.ts";
import { PassingReader, passBy } from "./passing-reader.ts";
import type { ReadingEvents, ReadOptions } from "./reading.ts";
import type { SlowReads } from "./slow-reads.ts";

/** Consecutive executions in n8n's list. */
export interface ListedRun {
  /** Newest first, at least one. Known executions are only counted. */
  readonly items: readonly ExecutionListItem[];
  readonly wanted: ReadonlySet<string>;
  readonly workflowId: string | null;
  /** Gets the same executions where cursors cannot be made by hand; else null. */
  readonly query: ExecutionQuery | null;
}

/** Consecutive failures after which we check whether n8n answers at all. */
const FAILURES_BEFORE_PROBE = 2;
const MAX_RATE_LIMITS = 3;
/** After a further failure at a page of several, if n8n answers otherwise. */
const PAUSE_MS = 100;
/** n8n may fail at any data for a moment: only after so long is it taken to fail at one execution. */
const LEAST_STREAK_MS = 2_000;
/** Or after so many failures in a row, of which halving the largest page takes eight. */
const SURE_FAILURES = 12;
/** Tries of a page whose size cannot be changed. */
const MAX_TRIES = 3;
/** A single execution is passed over once so many calls have ended at it. */
const MAX_ENDS = 3;
/** More in one call are not a problem of single executions. */
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

/** n8n's failures at a run. It ends when data comes after an execution was passed over. */
interface FailureStreak {
  /** Epoch ms of the first. */
  readonly since: number;
  /** Whether data has come since: then n8n does not fail at all of it. */
  readonly hasDataCome: boolean;
  /** Whether an execution was passed over. */
  readonly hasPassedOver: boolean;
}

/** What is left of the failures once data has come. */
const afterData = (streak: FailureStreak | null): FailureStreak | null =>
  streak === null || streak.hasPassedOver ? null : { ...streak, hasDataCome: true };

interface PageSeen {
  readonly ids: readonly string[];
  readonly nameless: number;
}

/** @throws BrokenPage */
async function streamPage(
  query: ExecutionQuery,
  options: ReadOptions,
  events: ReadingEvents,
): Promise<PageSeen> {
  const reader = new PassingReader(options, events);
  const walk = new ExecutionWalk("list", reader);
  reader.walk = walk;
  try {
    await passBy(reader, options, (limits) => options.client.streamExecutions(query, walk, limits));
  } catch (error) {
    throw new BrokenPage(error, reader.seen, reader.waitedMs);
  }
  options.pageSize.note(reader.seen.length, walk.byteLength);
  return { ids: reader.seen, nameless: reader.nameless };
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
  const reader = new PassingReader(options, events);
  const walk = new ExecutionWalk("one", reader);
  reader.walk = walk;
  await passBy(reader, options, (limits) => options.client.streamExecution(id, walk, limits));
  options.pageSize.note(0, walk.byteLength);
}

/** Reads the wanted executions of a run. One reader serves a whole scan, since it counts n8n's failures. */
export class RunReader {
  readonly #options: ReadOptions;
  readonly #events: ReadingEvents;
  readonly #slow: SlowReads;
  #unreadable = 0;

  constructor(options: ReadOptions, events: ReadingEvents, slow: SlowReads) {
    this.#options = options;
    this.#events = events;
    this.#slow = slow;
  }

  /** @throws ObserverError when n8n fails for good, or time runs out */
  async read(run: ListedRun): Promise<void> {
    let open = run.items.filter((item) => run.wanted.has(item.id));
    let failures = 0;
    let hasRead = false;
    let streak: FailureStreak | null = null;
    while (open.length > 0) {
      // When other users arrive, pages become smaller, so that a run of one page may take many.
      if (hasRead && this.#options.clock.now() >= this.#options.deadline) throw outOfTime();
      const part = this.#partOf(open, run);
      // Such a page cannot be asked for in parts.
      if (run.query !== null && this.#isSlow(part)) return await this.#readSingly(open);
      try {
        const seen = await streamPage(queryFor(part, run), this.#options, this.#events);
        const left = await this.#afterPage(open, part, seen);
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
        streak ??= { since: this.#options.clock.now(), hasDataCome: false, hasPassedOver: false };
        failures = hasComeInPart ? 1 : failures + 1;
        const isHopeless = isBadRequest(error.cause) || (run.query !== null && failures > MAX_TRIES);
        if (isHopeless) return await this.#readSingly(rest);
        open = await this.#afterFailure(rest, part, { failures, streak }, error.cause).catch((last) =>
          this.#endAt(rest, part, error, last),
        );
        if (open.length < rest.length) streak = { ...streak, hasPassedOver: true };
      }
    }
  }

  #partOf(open: readonly ExecutionListItem[], run: ListedRun): readonly ExecutionListItem[] {
    const { pageSize } = this.#options;
    const part = itemsFrom(open, run, pageSize.current);
    if (part.length === 1 || run.query !== null || !this.#isSlow(part)) return part;
    pageSize.beginAgain();
    return itemsFrom(open, run, 1);
  }

  #isSlow(part: readonly ExecutionListItem[]): boolean {
    return this.#slow.isSlow(part.map(({ id }) => id));
  }

  /** The next call goes on more carefully here; one execution at which each call ends is passed over. */
  #endAt(
    open: ExecutionListItem[],
    { length }: readonly unknown[],
    { cause, waitedMs }: BrokenPage,
    error: unknown,
  ): never {
    const [failed] = open;
    if (failed === undefined || !mayPass(error) || error.code === "N8N_RATE_LIMITED") throw error;
    if (isTimeout(cause) && !this.#slow.hadTime(Math.min(waitedMs, givenMs(cause)))) throw error;
    if (this.#slow.endedAt(failed.id) >= MAX_ENDS && length === 1) this.#passOver(open, error);
    throw error;
  }

  /** Returns the executions still to be read; the others were read or are gone. @throws BrokenPage */
  async #afterPage(
    open: readonly ExecutionListItem[],
    part: readonly ExecutionListItem[],
    seen: PageSeen,
  ): Promise<ExecutionListItem[]> {
    const read = new Set(seen.ids);
    this.#slow.came(part.map(({ id }) => id));
    const missing = missingFrom(part, seen).filter((item) => open.includes(item));
    const left = open.filter((item) => !read.has(item.id) && !missing.includes(item));
    if (missing.length === 0) return left;
    if (seen.nameless > 0) {
      for (const { id } of missing) this.#events.unreadable(id, "it came without an id, or did not come");
      return left;
    }
    // n8n may leave out of its lists what has not ended: further pages would lack it again.
    const unlisted = missing.filter((item) => !hasEnded(item));
    const [first, ...others] = missing.filter(hasEnded);
    const isGone = first !== undefined && (await this.#isGone(first, seen.ids));
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
    const { since, hasDataCome, hasPassedOver } = streak;
    const isLong = clock.now() - since >= LEAST_STREAK_MS || failures >= SURE_FAILURES;
    const isSure = hasDataCome || hasPassedOver || isLong;
    if (isSingle && isSure) return this.#passOver(open, error);
    pageSize.halve();
    // Of several, one is most likely what n8n fails at: the smaller page shows it sooner than a longer pause would.
    if (isSingle || mayBeDown) await backOff(error, failures, { clock }, deadline);
    else await clock.sleep(PAUSE_MS);
    return open;
  }

  /** One at which n8n fails is passed over; its rate limit is waited for. */
  async #readSingly(open: readonly ExecutionListItem[]): Promise<void> {
    const { clock, deadline } = this.#options;
    let rateLimits = 0;
    for (let left = open; left.length > 0; ) {
      const [next, ...others] = left;
      if (next === undefined) return;
      if (clock.now() >= deadline) throw outOfTime();
      try {
        await readOne(next.id, this.#options, this.#events);
        this.#slow.came([next.id]);
        rateLimits = 0;
      } catch (error) {
        if (isNotFound(error)) this.#events.vanished(next.id);
        else if (!mayPass(error)) throw error;
        else if (error.code === "N8N_RATE_LIMITED") {
          rateLimits += 1;
          if (rateLimits > MAX_RATE_LIMITS) throw error;
          await backOff(error, rateLimits, { clock }, deadline);
          continue;
        } else this.#passOver([next], error);
      }
      left = others;
    }
  }

  #passOver([failed, ...rest]: ExecutionListItem[], error: ObserverError): ExecutionListItem[] {
    this.#unreadable += 1;
    if (this.#unreadable > MAX_UNREADABLE) throw error;
    if (failed !== undefined) this.#events.unreadable(failed.id, `n8n fails to give it, with ${error.code}`);
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

/** How long n8n was given for an answer that did not come, in milliseconds; infinite for any other failure. */
export function givenMs(error: unknown): number {
  const timeoutMs = isTimeout(error) ? error.details.timeoutMs : undefined;
  return typeof timeoutMs === "number" ? timeoutMs : Number.POSITIVE_INFINITY;
}

function outOfTime(): ObserverError {
  return new ObserverError("N8N_TIMEOUT", "Time ran out before everything was read.", {
    solution: "Call again to go on.",
  });
}

/** Executions that a page lacked, except those pushed out of it by others that ended in the meantime. */
function missingFrom(
  part: readonly ExecutionListItem[],
  { ids, nameless }: PageSeen,
): readonly ExecutionListItem[] {
  const read = new Set(ids);
  const lowest = ids.reduce<string | null>((low, id) => (low === null || isNewer(low, id) ? id : low), null);
  const isFull = ids.length + nameless >= part.length;
  return part.filter(({ id }) => !read.has(id) && !(isFull && lowest !== null && isNewer(lowest, id)));
}

/** The listed executions from the first open one to the last, as many as fit. */
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
