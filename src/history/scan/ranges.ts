/**
 * The ranges of history that a scan skips because they are known, and those that it may claim as known. With
 * `ScanOptions.ownReads`, only what this search has read, or what filters exclude, counts as known.
 *
 * Promises: it claims no range that may have gained executions during the listing, that was listed through a date
 * filter, or that mixes the answers of two n8n instances or two histories.
 */
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { MINUTE_MS } from "../../platform/durations.ts";
import { higherOf, isNewer } from "../../platform/id-order.ts";
import type { ReadStretch } from "../resuming/own-reads.ts";
import type { KnownHistory } from "../store/execution-store.ts";
import { belowOf, type IdRange, idFrom, LOWEST_ID, newestOf, rangesOf, singleIds } from "../store/gaps.ts";
import type { Scope } from "../store/known-stretches.ts";
import type { Settled } from "../store/look-times.ts";
import type { Checkpoint } from "../store/memorable-execution.ts";
import type { Stretch } from "../store/stretches.ts";
import type { FilterPage } from "../terms/filter-blocks.ts";
import type { TermFilter } from "../terms/term-filter.ts";
import { claimable, Frontier, type ListedPage, type Step } from "./jobs.ts";
import { FIRST_WATCHED_IDS } from "./queue-probe.ts";
import type { ScanOptions } from "./scan-options.ts";
import { earliestStart } from "./window.ts";

/** Earlier than the first execution of any n8n. */
const NEVER: Settled = { before: "0000", upTo: "0" };
/** Clock skew: workers whose clocks are ahead have hardly started all of the newest three. */
const NEWEST_STARTS = 3;
/** Added to the time that listing took: executions that began within it may have been in no list. */
const SETTLING_MS = 1_000;
/** The same if not all running executions were seen: one that ended unseen may have been stored some time later. */
const UNSEEN_MS = MINUTE_MS;
/** Of the ids without an execution, only this many of the newest are noted. */
const MAX_UPCOMING = 1_000;
/** Ids at most this far apart share a page, for which everything that n8n has between them must be known. */
const READ_TOGETHER = 16;

type Claims = Checkpoint["claims"][number][];

/** What the lists before the first page showed. */
interface ListedBefore {
  readonly running: { readonly sawAll: boolean };
  /** The newest execution that had not begun when the running ones were listed; "0" if none is known. */
  readonly newestNotBegun: string;
}

export class ScanRanges {
  /** The scope whose stretches are skipped and claimed: `hidden` if n8n leaves executions out of its lists. */
  scope: Scope = "listed";
  /** False once n8n is known not to queue. */
  mayQueue = true;
  readonly #options: ScanOptions;
  /** The history to which the known stretches belong. */
  #epoch = 0;
  /** Stretches that are not listed. */
  #stretches: readonly Stretch[] = [];
  /** Stretches that earlier calls of this search have read. */
  #read: readonly ReadStretch[] = [];
  #hasCompared = false;
  #mayClaim = true;
  #claims: Claims = [];
  readonly #frontier = new Frontier();
  /** The newest listed id. */
  #newest: string | null = null;
  /** The newest id above which nothing can have been missed. */
  #settledAt: string | null = null;
  #settles: Settled | null = null;
  /** ISO 8601. Executions that ended earlier count as read by a scan with `ownReads`, once it has passed them. */
  #readBefore: string | null = null;
  /** Executions up to here cannot have been missed. */
  #settled: Settled | null = null;

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  get stretches(): readonly Stretch[] {
    return this.#stretches;
  }

  /** True once a listed page was compared with the stored executions. */
  get hasCompared(): boolean {
    return this.#hasCompared;
  }

  /** Every execution of the window down to this id is known; null when none is. */
  get downTo(): string | null {
    return this.#frontier.low;
  }

  /** What n8n's lists settle: see `ScanResult`. */
  get settles(): Settled | null {
    return this.#settles;
  }

  /** True if n8n's history differs from the known one, or another n8n has answered. */
  get isForgotten(): boolean {
    return !this.#mayClaim || this.#options.store.listed.epoch !== this.#epoch;
  }

  /** False once the answers come from more than one n8n or more than one history. */
  get mayClaim(): boolean {
    return this.#mayClaim;
  }

  /** Executions that began above this id may be in no list; null while no listed execution has settled. */
  get settledAt(): string | null {
    return this.#settledAt;
  }

  /** Call once, before requesting executions from n8n. */
  loadKnown(): KnownHistory {
    const { store, ownReads, window } = this.#options;
    const known = store.known(this.scope, window);
    this.#epoch = store.listed.epoch;
    if (ownReads === null) {
      this.#stretches = known.stretches;
      return known;
    }
    const { settled, read } = ownReads.selectHistory(store.listed.epoch, this.scope);
    this.#read = read;
    this.noteUpcoming();
    // The list of one workflow does not show which ids are missing.
    const isBlind = this.scope === "hidden" && window.workflowId !== null;
    // Executions to read in known stretches are found without n8n's lists.
    if (!isBlind)
      this.#stretches = [...settled, ...known.stretches.flatMap((one) => this.#belowHidden(one) ?? [])];
    return known;
  }

  /**
   * Notes the ids that may be queued: once another scan reads one, its times would suggest that this search has.
   * Call this before anything is read, and again at the end.
   */
  noteUpcoming(): void {
    const { ownReads, store } = this.#options;
    const newest = store.executions.newest?.id;
    if (ownReads === null || newest === undefined || !this.mayQueue) return;
    const low = store.queue.lastLook?.from ?? belowOf(newest, FIRST_WATCHED_IDS);
    ownReads.noteUpcoming(newestOf(store.stretches.gapsIn({ high: newest, low }).ranges, MAX_UPCOMING));
  }

  /** The part below all unchecked ids: if another scan read one of them later, this search would take it as its own. */
  #belowHidden(known: Stretch): Stretch | null {
    if (this.scope !== "hidden") return known;
    const { ranges, isCut } = this.#options.store.stretches.gapsIn(known);
    const [lowest] = ranges.slice(-1);
    if (isCut || lowest === undefined) return isCut ? null : known;
    return isNewer(lowest.low, known.low) ? { ...known, high: idFrom(lowest.low, -1) } : null;
  }

  /**
   * Everything known of the window, as if n8n had listed it; null if that may be incomplete. Call after `recall`.
   * @param settles see `ScanResult`: from the look that stored it
   */
  knownPage(settles: Settled | null): ListedPage | null {
    const { store, window } = this.#options;
    const [known] = store.stretches.of(this.scope);
    const { newest } = store.executions;
    if (known === undefined || newest === null || !store.isKnownSince(window, this.scope)) return null;
    this.#hasCompared = true;
    this.#settles = settles;
    this.#readBefore = settles?.before ?? null;
    this.#newest = newest.id;
    // An execution that was running when the oldest one was listed may have a lower id.
    const { isBottom } = known;
    const low = isBottom ? LOWEST_ID : known.low;
    const nothingListed = { items: [], unread: new Set<string>(), query: null };
    return { ...nothingListed, listedTo: idFrom(newest.id, 1), low, isBottom, isLast: true };
  }

  /** Ids of the listed executions that have to be read. */
  unreadOf(items: readonly ExecutionListItem[]): ReadonlySet<string> {
    if (items.length === 0) return new Set();
    const { ownReads, store } = this.#options;
    const changed = this.changedOf(items);
    this.#hasCompared = true;
    if (ownReads === null) return changed;
    const ids = items.map(({ id }) => id);
    const known = this.#shownOf(items).filter(({ id }) => !changed.has(id));
    const unread = this.#unreadKnown(known, store.filters.of(known.map(({ id }) => id)));
    return new Set(ids.filter((id) => changed.has(id) || unread.has(id)));
  }

  /** Executions that the caller may not see are not read again: that would reveal whether they may match. */
  #shownOf(items: readonly ExecutionListItem[]): ExecutionListItem[] {
    const { isVisible = () => true } = this.#options;
    return items.filter(({ workflowId }) => isVisible(workflowId));
  }

  /** The ids of known executions that the caller may not see. */
  hiddenOf(ids: readonly string[]): ReadonlySet<string> {
    const { store, window } = this.#options;
    const known = store.executions.listedIn(window, singleIds(ids));
    const shown = new Set(this.#shownOf(known).map(({ id }) => id));
    return new Set(known.map(({ id }) => id).filter((id) => !shown.has(id)));
  }

  /** Ids of known executions in these ranges that other scans have read but this one has not. Empty without `ownReads`. */
  readByOthers(ranges: readonly IdRange[]): readonly string[] {
    const { ownReads, store, window } = this.#options;
    if (ownReads === null) return [];
    this.#read = ownReads.state.read;
    const known = this.#shownOf(store.executions.listedIn(window, ranges));
    return [...this.#unreadKnown(known, store.filters.of(known.map(({ id }) => id)))];
  }

  #unreadKnown(
    items: readonly ExecutionListItem[],
    filters: ReadonlyMap<string, TermFilter | null>,
  ): ReadonlySet<string> {
    const { ownReads, exclusion } = this.#options;
    const isRuledOut = (id: string): boolean => {
      const filter = filters.get(id) ?? null;
      if (filter === null || exclusion?.excludes(filter) !== true) return false;
      if (filter.isPartial) exclusion.onPartial(id);
      return true;
    };
    const isRead = (item: ExecutionListItem): boolean => ownReads?.hasRead(item, this.#read) === true;
    const unread = items.filter((item) => !isRead(item) && !isRuledOut(item.id));
    return new Set(unread.map(({ id }) => id));
  }

  /** Ids of the listed executions that differ from the stored ones. */
  changedOf(items: readonly ExecutionListItem[]): ReadonlySet<string> {
    const { ids, isOtherHistory } = this.#options.store.listed.unknownOf(items);
    if (isOtherHistory) this.#forgetHistory();
    return new Set(ids);
  }

  /** If everything listed is older than the newest known stretch, n8n has lost that stretch and reuses its ids. */
  compareNewest(listed: string): void {
    const [known] = this.#stretches;
    if (known === undefined || !isNewer(known.low, listed)) return;
    this.#options.store.listed.beginEpoch(listed);
    this.#forgetHistory();
  }

  /**
   * This n8n was reinstalled or restored, so an execution that was skipped as known may be a different one now. On the
   * first page this does no harm; later, everything known has to be compared with n8n's lists again.
   */
  #forgetHistory(): void {
    const { store, ownReads } = this.#options;
    this.#stretches = [];
    this.#read = [];
    if (this.#hasCompared) {
      this.forbidClaims();
      return;
    }
    this.#epoch = store.listed.epoch;
    ownReads?.selectHistory(store.listed.epoch, this.scope);
  }

  /** Yields the page, then the skipped executions below it that may have to be read. */
  async *withSkipped(page: ListedPage): AsyncGenerator<ListedPage, void> {
    const { exclusion, store, clock, thread } = this.#options;
    const { listedTo, low, isBottom } = page;
    if (exclusion === undefined || listedTo === null || low === null || listedTo === low) return yield page;
    yield { ...page, low: listedTo, isBottom: false };
    // An execution that was running when the oldest one was listed may have a lower id.
    const lowest = isBottom ? LOWEST_ID : low;
    for (let below = listedTo; ; ) {
      const known = store.filters.page(
        below,
        lowest,
        (filter) => filter.isPartial || !exclusion.excludes(filter),
      );
      if (known === null) break;
      // A job without reads would cost as much as checking the filters.
      for (const found of this.#ofKnown(known))
        if (found.unread.size > 0)
          yield { ...page, ...found, low: higherOf(found.low, low), isBottom: false, query: null };
      below = known.low;
      // Walking through a long history sends no requests, so this yields to other tasks.
      await (thread?.giveWay() ?? clock.sleep(0));
    }
    yield { ...page, items: [], unread: new Set(), low, isBottom };
  }

  /** In parts, newest first: n8n may have other executions between two parts, which must not be read. */
  *#ofKnown({
    filters,
    low,
  }: FilterPage): Generator<Pick<ListedPage, "items" | "unread"> & Pick<FilterPage, "low">> {
    const { store, window } = this.#options;
    const ranges = rangesOf(filters.keys(), READ_TOGETHER);
    const all = store.executions.listedIn(window, ranges);
    let next = 0;
    for (const [index, range] of ranges.entries()) {
      const from = next;
      while (next < all.length && !isNewer(range.low, all[next]?.id ?? "0")) next += 1;
      const items = all.slice(from, next);
      const asked = this.#shownOf(items).filter(({ id }) => filters.has(id));
      const unread = this.#unreadKnown(asked, filters);
      yield { items, unread, low: index === ranges.length - 1 ? low : range.low };
    }
  }

  /**
   * Finds the id from which down claims hold. Only a list without date filters proves that nothing is missing.
   * @param took time until the first page arrived, in milliseconds
   * @param before what was listed earlier
   */
  settle(
    { items, low }: ListedPage,
    took: number,
    { running: { sawAll }, newestNotBegun }: ListedBefore,
  ): void {
    const { window, look } = this.#options;
    if (this.#settled === null) {
      this.#settles = sawAll ? settledBy(items, took) : null;
      this.#readBefore ??= settledBy(items, sawAll ? took : took + UNSEEN_MS)?.before ?? null;
      this.#settled = look === null ? this.#settles : (look.settled ?? NEVER);
    }
    const settled = this.#settled;
    this.#newest ??= items[0]?.id ?? low;
    if (!sawAll || window.startedAfter !== null || window.startedBefore !== null) return;
    // Without any start, times say nothing; executions that began after the running ones were listed have higher ids.
    const hasSettled = ({ id, startedAt }: ExecutionListItem): boolean =>
      settled === null
        ? !isNewer(id, newestNotBegun)
        : startedAt !== null && startedAt <= settled.before && !isNewer(id, settled.upTo);
    this.#settledAt ??= items.find(hasSettled)?.id ?? (items.length === 0 ? low : null);
  }

  begin(step: Step): void {
    this.#frontier.begin(step);
  }

  /** @see Frontier.giveUp */
  giveUp(step: Step): void {
    this.#frontier.giveUp(step);
  }

  /** Claims what is known now. @param end @see Frontier.finish */
  finish(step: Step, end?: Step): void {
    const { ownReads, window, store } = this.#options;
    const descent = this.#frontier.finish(step, end);
    if (descent === null) return;
    const stretch = claimable(descent, this.#settledAt);
    if (stretch !== null && window.workflowId === null && this.#mayClaim)
      this.#claims.push({ scope: this.scope, stretch });
    if (ownReads === null || !this.#mayClaim || store.listed.epoch !== ownReads.epoch) return;
    if (stretch !== null) ownReads.claimSettled(stretch);
    const read = claimable(descent, this.#newest);
    if (read !== null && this.#readBefore !== null) ownReads.claimRead({ ...read, before: this.#readBefore });
  }

  /** For answers that turned out to come from another n8n or another history. */
  forbidClaims(): void {
    this.#mayClaim = false;
    this.#claims = [];
  }

  /** Returns the claims made since the last call, to be stored together with the executions. */
  takeClaims(): Pick<Checkpoint, "claims" | "epoch"> {
    const claims = this.#claims;
    this.#claims = [];
    return { claims, epoch: this.#epoch };
  }
}

/** What one list settles. @param items newest first @returns null if no start is known */
function settledBy(items: readonly ExecutionListItem[], took: number): Settled | null {
  const begun = items.filter(({ startedAt }) => startedAt !== null);
  // At least one execution must settle, however few there are.
  const start = earliestStart(begun.slice(0, Math.max(1, Math.min(NEWEST_STARTS, begun.length - 1))));
  const [newest] = items;
  if (newest === undefined || start === null) return null;
  return { before: new Date(start - took - SETTLING_MS).toISOString(), upTo: newest.id };
}
