/**
 * Reads executions that are in no list of this n8n: those that run or wait in its main process. Their ids are gaps in
 * its lists, and are requested one by one, newest first.
 *
 * Promises: at most `MAX_REQUESTS` per scan; in a time window, executions that were queued for up to a minute are found,
 * too, or up to ten minutes if the lists show that others were; an id that can never get an execution is remembered and
 * not requested again; the number of unchecked ids is reported.
 */
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { counted } from "../../platform/counted.ts";
import { MINUTE_MS } from "../../platform/durations.ts";
import { ObserverError } from "../../platform/errors.ts";
import { higherOf, isNewer, lowerOf, newestFirst } from "../../platform/id-order.ts";
import { countOf, HIGHEST_ID, type IdRange, idFrom, newestOf, without } from "../store/gaps.ts";
import { MOST_OPEN_MS } from "../store/given-ids.ts";
import { isInside } from "../store/stretches.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import type { ScanOptions } from "./scan-options.ts";
import type { ScanSession } from "./session.ts";
import { earliestStart, type StartedItem, timeIn, widened } from "./window.ts";

/** Clock skew: workers whose clocks are wrong have hardly started this many in a row. */
const CONSECUTIVE_STARTS = 10;
/** Maximum single ids that a scan requests. */
const MAX_REQUESTS = 100;
/** After this many empty ids in a row above the newest listed one, no newer execution is assumed to exist. */
export const EMPTY_IDS_AT_THE_TOP = 10;
const CONCURRENT_REQUESTS = 2;
/**
 * An n8n with a concurrency limit assigns the id when it queues an execution. None is assumed to have been queued
 * longer than twice as long as those that were listed, within these limits.
 */
const MIN_QUEUED_MS = MINUTE_MS;
const MAX_QUEUED_MS = 10 * MINUTE_MS;

type Answer = "read" | "gone" | "failed";

/** A page of the newest executions that n8n listed; below the first page, a scan skips what is known. */
export interface ListedIds {
  readonly newest: string;
  readonly lowest: string;
  /** Newest first. */
  readonly ids: readonly string[];
  /** The newest execution that began long before the newest one; null if none did. */
  readonly old: string | null;
}

/** @param items newest first @returns null if nothing was listed */
export function listedIdsOf(items: readonly StartedItem[]): ListedIds | null {
  const ids = items.map(({ id }) => id);
  const [newest] = ids;
  if (newest === undefined) return null;
  const newestStart = earliestStart(items.slice(0, CONSECUTIVE_STARTS)) ?? 0;
  const isOld = ({ startedAt }: StartedItem): boolean =>
    startedAt !== null && Date.parse(startedAt) <= newestStart - MOST_OPEN_MS;
  const areOld = (_first: StartedItem, at: number): boolean =>
    at + CONSECUTIVE_STARTS <= items.length && items.slice(at, at + CONSECUTIVE_STARTS).every(isOld);
  return { newest, lowest: ids.at(-1) ?? newest, ids, old: items.find(areOld)?.id ?? null };
}

/** Records the newest id. @returns the newest id that, like all below it, can get no execution any more */
export function noteNewest(newest: string, listed: ListedIds | null, options: ScanOptions): string {
  const { givenIds } = options.store;
  givenIds.see(newest, options.clock.now());
  return lowerOf(newest, higherOf(listed?.old ?? "0", givenIds.closedUpTo));
}

export class UnlistedReader {
  readonly #session: ScanSession;
  /** The window plus a margin: an execution that began in the window may have an id of others that began around it. */
  readonly widenedWindow: TraceWindow;
  /** The ids that n8n has listed, and when they began. */
  readonly #listed = new Map<string, string | null>();
  #firstPage: ListedIds | null = null;
  /** The ids without a known execution before anything was listed; null for a shared scan. */
  #unknownBefore: readonly IdRange[] | null = null;
  #closedUpTo = "0";
  readonly #answered = new Set<string>();
  #requestsLeft = MAX_REQUESTS;
  #hasFailed = false;

  constructor(session: ScanSession) {
    this.#session = session;
    this.widenedWindow = widened(session.options.window, MAX_QUEUED_MS);
  }

  /** Call this before anything is listed. */
  begin(): void {
    const { ownReads, store } = this.#session.options;
    if (ownReads === null || !this.#session.hidesExecutions) return;
    this.#unknownBefore = store.stretches.gapsIn({ high: HIGHEST_ID, low: "1" }).ranges;
  }

  noteListed(items: readonly StartedItem[]): void {
    this.#firstPage ??= listedIdsOf(items);
    for (const { id, startedAt } of items) this.#listed.set(id, startedAt);
  }

  /** These were listed but skipped as known. A queued one is not: it is requested by its id. */
  noteSkipped(items: readonly { readonly id: string }[]): void {
    for (const { id } of items) this.#listed.delete(id);
  }

  /** Null if nothing was listed. */
  get listedIds(): ListedIds | null {
    return this.#firstPage;
  }

  /** Call this once everything is listed. @returns false if ids are left to request */
  async read(): Promise<boolean> {
    const { store } = this.#session.options;
    const ledger = this.#session.ledger;
    const listed = [...this.#listed.keys()].sort(newestFirst);
    const { window } = this.#session.options;
    const span = this.#spanOf(listed, widened(window, this.#queuedMs(listed)));
    if (span === null) {
      await this.#readEmptyHistory();
      return true;
    }
    await ledger.checkpoint();
    this.#closedUpTo = noteNewest(listed[0] ?? "0", this.#firstPage, this.#session.options);
    const top = span.isOpen ? await this.#readAbove(span.high) : span.high;
    const { ranges, isCut } = store.stretches.gapsIn({ ...span, high: top });
    const gaps = without(ranges, listed);
    // Missing executions most likely have ids among those that began in the window.
    const inside = this.#spanOf(listed, window) ?? span;
    const likely = store.stretches.gapsIn({ ...inside, high: inside.isOpen ? top : inside.high }).ranges;
    const ids = [without(likely, listed), gaps].flatMap((ranges) => newestOf(ranges, this.#requestsLeft));
    const asked = await this.#requestAll([...new Set([...this.#readByOthers(listed), ...ids])]);
    await ledger.checkpoint();
    // Below the oldest listed id everything is pruned, except executions that wait longer than n8n's retention time.
    const oldest = gaps.at(-1);
    const isBelow = !isCut && oldest !== undefined && oldest.low === "1";
    const below = isBelow ? this.#countLeft([oldest], asked) : 0;
    const between = this.#countLeft(isBelow ? gaps.slice(0, -1) : gaps, asked);
    const place = `before execution ${idFrom(oldest?.high ?? "0", 1)}`;
    if (below > 0) this.#skipLeft(counted(below, `id ${place} is`, `ids ${place} are`));
    const left = counted(between, "id is", "ids are");
    if (between > 0 || isCut) this.#skipLeft(isCut ? `more than ${left}` : left);
    if (this.#hasFailed) ledger.skip("n8n failed to return an execution that is in none of its lists");
    return between === 0 && !isCut && !this.#hasFailed;
  }

  /** Unlisted executions that another scan has read since this one began. @param listed newest first */
  #readByOthers(listed: readonly string[]): readonly string[] {
    const { ownReads, store, window } = this.#session.options;
    if (ownReads === null || this.#unknownBefore === null) return [];
    const unlisted = without(this.#unknownBefore, listed);
    const known = store.executions.listedIn(window, unlisted).map(({ id }) => id);
    const ids = known.filter((id) => !this.#answered.has(id));
    ownReads.noteUpcoming(ids);
    return ids;
  }

  /**
   * The ids that an execution of the window can have; null if nothing was listed. `isOpen`: newer executions may exist
   * than those listed. Ids ascend nearly in the order of starts: one that was queued longer does not end the span.
   * @param listed newest first
   */
  #spanOf(listed: readonly string[], window: TraceWindow): (IdRange & { readonly isOpen: boolean }) | null {
    const [newest] = listed;
    if (newest === undefined) return null;
    const timeOf = (id: string) => timeIn(window, { startedAt: this.#listed.get(id) ?? null });
    const listedAt = (time: string): string[] => listed.filter((id) => timeOf(id) === time);
    const [before, inside, after] = [listedAt("before"), listedAt("inside"), listedAt("after")];
    const anchor = inside[0] ?? before[0] ?? "0";
    const above = after.findLast((id) => isNewer(id, anchor));
    const lowest = inside.at(-1) ?? above ?? idFrom(newest, 1);
    const below = before.find((id) => isNewer(lowest, id)) ?? "0";
    const high = above === undefined ? newest : idFrom(above, -1);
    return { high, low: lowerOf(idFrom(below, 1), high), isOpen: above === undefined };
  }

  /** How long an unlisted execution may have been queued, in milliseconds. @param listed newest first */
  #queuedMs(listed: readonly string[]): number {
    let [earliest, longest] = [Number.POSITIVE_INFINITY, 0];
    for (const startedAt of listed.map((id) => this.#listed.get(id))) {
      if (typeof startedAt !== "string") continue;
      const start = Date.parse(startedAt);
      longest = Math.max(longest, start - earliest);
      earliest = Math.min(earliest, start);
    }
    return Math.min(MAX_QUEUED_MS, Math.max(MIN_QUEUED_MS, 2 * longest));
  }

  #countLeft(ranges: readonly IdRange[], looked: ReadonlySet<string>): number {
    const isIn = (id: string): boolean => ranges.some((range) => isInside(id, range));
    return countOf(ranges) - [...looked].filter(isIn).length;
  }

  /** Nothing is listed: all executions may be waiting, under unknown ids. */
  async #readEmptyHistory(): Promise<void> {
    const ledger = this.#session.ledger;
    const top = await this.#readAbove("0");
    const asked = `only the ids 1 to ${idFrom(top, EMPTY_IDS_AT_THE_TOP)} were requested`;
    ledger.skip(`this n8n lists no executions, not even waiting or running ones: ${asked}`);
    await ledger.checkpoint();
  }

  /** Reads upwards from the newest listed id. @returns the newest id that exists */
  async #readAbove(newest: string): Promise<string> {
    let top = newest;
    for (let id = idFrom(newest, 1); this.#mayRequest(); id = idFrom(id, 1)) {
      if (BigInt(id) - BigInt(top) > BigInt(EMPTY_IDS_AT_THE_TOP)) break;
      if ((await this.#request(id)) === "read") top = id;
    }
    return top;
  }

  #mayRequest(): boolean {
    return this.#requestsLeft > 0 && !this.#hasFailed && !this.#session.mustStop();
  }

  /** @returns the ids that were checked */
  async #requestAll(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const looked = new Set(ids.filter((id) => this.#answered.has(id)));
    await mapConcurrently(this.#toRequest(ids), CONCURRENT_REQUESTS, async (id) => {
      const answer = await this.#request(id);
      if (answer !== "failed") looked.add(id);
      if (answer === "gone" && !isNewer(id, this.#closedUpTo)) this.#session.ledger.noteEmpty(id);
    });
    return looked;
  }

  *#toRequest(ids: readonly string[]): Generator<string> {
    for (const id of ids.filter((each) => !this.#answered.has(each))) {
      if (!this.#mayRequest()) return;
      yield id;
    }
  }

  async #request(id: string): Promise<Answer> {
    this.#requestsLeft -= 1;
    const outcome = await this.#session.readOne(id);
    const isFailure = outcome instanceof ObserverError;
    const answer = isFailure ? "failed" : outcome === "gone" ? outcome : "read";
    if (isFailure) this.#hasFailed = true;
    this.#answered.add(id);
    return answer;
  }

  #skipLeft(which: string): void {
    this.#session.ledger.skip(
      `${which} in no list of this n8n and not checked yet: they may include waiting or running executions; each further call requests ${MAX_REQUESTS}`,
    );
  }
}
