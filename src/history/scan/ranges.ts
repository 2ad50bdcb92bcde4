/**
 * The ranges of history that a scan need not list or read, since they are known, and those that it may claim as known.
 * A scan of its own (`ScanOptions.own`) takes nothing as known but what it has read itself, and what filters rule out.
 *
 * Promises: nothing is claimed that may have begun while n8n was listed, that was seen through a window of dates, or
 * that rests on the answers of another n8n or on another history than the scan began with.
 */
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import type { KnownHistory } from "../store/execution-store.ts";
import type { Scope } from "../store/known-stretches.ts";
import type { Checkpoint } from "../store/memorable-execution.ts";
import { isInside, type Stretch } from "../store/stretches.ts";
import type { FilterPage } from "../terms/filter-blocks.ts";
import type { TermFilter } from "../terms/term-filter.ts";
import { claimable, Frontier, type ListedPage, type Step } from "./jobs.ts";
import type { ScanOptions } from "./scan-options.ts";

/** Before the first execution of any n8n. */
const NEVER = "0000";
/** Added to the time that listing took: what had begun then may have been in no list. */
const SETTLING_MS = 1_000;

type Claims = Checkpoint["claims"][number][];

export class ScanRanges {
  /** Whose stretches are passed over and claimed: `hidden` once n8n turns out to leave executions out of its lists. */
  scope: Scope = "listed";
  readonly #options: ScanOptions;
  /** The history that the known stretches are of. */
  #epoch = 0;
  /** Need not be listed. */
  #stretches: readonly Stretch[] = [];
  /** Need not be read, since this scan's own calls have read them. */
  #read: readonly Stretch[] = [];
  #hasCompared = false;
  #mayClaim = true;
  #claims: Claims = [];
  readonly #frontier = new Frontier();
  /** The newest listed id. */
  #newest: string | null = null;
  /** The newest id above which nothing can have been missed. */
  #settledAt: string | null = null;
  #settles: string | null = null;
  /** Before this time nothing can have been missed, ISO 8601. */
  #settledBefore: string | null = null;

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  get stretches(): readonly Stretch[] {
    return this.#stretches;
  }

  /** True once a listed page was compared with what is known. */
  get hasCompared(): boolean {
    return this.#hasCompared;
  }

  /** Every execution of the window down to this id is known; null when none is. */
  get downTo(): string | null {
    return this.#frontier.low;
  }

  /** What began before was in one of n8n's lists, ISO 8601; null when that is not known. */
  get settles(): string | null {
    return this.#settles;
  }

  /** True when n8n has another history than the one that was taken as known. */
  get isForgotten(): boolean {
    return this.#options.store.listed.epoch !== this.#epoch;
  }

  /** Call once, before requesting executions from n8n. */
  recall(): KnownHistory {
    const { store, own, window, ruling } = this.#options;
    const known = store.known(this.scope, window);
    this.#epoch = store.listed.epoch;
    if (own === null) {
      this.#stretches = known.stretches;
      return known;
    }
    const { settled, read } = own.open(store.listed.epoch, this.scope);
    this.#read = read;
    // From the list of one workflow nobody can tell which ids are missing.
    const isBlind = this.scope === "hidden" && window.workflowId !== null;
    // With filters, what may have to be read of known stretches is found without n8n's lists.
    if (!isBlind) this.#stretches = ruling === undefined ? settled : [...settled, ...known.stretches];
    return known;
  }

  /** Ids of the listed executions that have to be read. */
  unreadOf(items: readonly ExecutionListItem[]): ReadonlySet<string> {
    if (items.length === 0) return new Set();
    const { own, ruling, store } = this.#options;
    const changed = this.changedOf(items);
    this.#hasCompared = true;
    if (own === null) return changed;
    const ids = items.map(({ id }) => id);
    const known = ids.filter((id) => !changed.has(id));
    const filters = ruling === undefined ? new Map<string, TermFilter>() : store.filters.of(known);
    const unread = this.#unreadKnown(known, filters);
    return new Set(ids.filter((id) => changed.has(id) || unread.has(id)));
  }

  #unreadKnown(ids: readonly string[], filters: ReadonlyMap<string, TermFilter | null>): ReadonlySet<string> {
    const { ruling } = this.#options;
    const isRead = (id: string): boolean => this.#read.some((stretch) => isInside(id, stretch));
    const isRuledOut = (id: string): boolean => {
      const filter = filters.get(id) ?? null;
      if (filter === null || ruling?.rulesOut(filter) !== true) return false;
      if (filter.isPartial) ruling.onPartial(id);
      return true;
    };
    return new Set(ids.filter((id) => !isRead(id) && !isRuledOut(id)));
  }

  /** Ids of the listed executions that are not as they are remembered. */
  changedOf(items: readonly ExecutionListItem[]): ReadonlySet<string> {
    const { ids, isOtherHistory } = this.#options.store.listed.unknownOf(items);
    if (isOtherHistory) this.#forgetHistory();
    return new Set(ids);
  }

  /**
   * This n8n was reinstalled or restored: what was passed over as known may be another execution now. At the first
   * page that is no harm; later, what is known has to be compared with all that n8n lists.
   */
  #forgetHistory(): void {
    const { store, own } = this.#options;
    this.#stretches = [];
    this.#read = [];
    if (this.#hasCompared) {
      this.forbidClaims();
      return;
    }
    this.#epoch = store.listed.epoch;
    own?.open(store.listed.epoch, this.scope);
  }

  /** The page, and what was passed over below it, where that may have to be read. */
  async *withPassedOver(page: ListedPage): AsyncGenerator<ListedPage, void> {
    const { ruling, store, clock } = this.#options;
    const { listedTo, low, isBottom } = page;
    if (ruling === undefined || listedTo === null || low === null || listedTo === low) return yield page;
    yield { ...page, low: listedTo, isBottom: false };
    for (let below = listedTo; ; ) {
      const known = store.filters.page(below, low, (filter) => filter.isPartial || !ruling.rulesOut(filter));
      if (known === null) break;
      yield { ...page, ...this.#ofKnown(known), low: known.low, isBottom: false, query: null };
      below = known.low;
      // A long history is walked over without n8n: others get their turn.
      await clock.sleep(0);
    }
    yield { ...page, items: [], unread: new Set(), low, isBottom };
  }

  /** Most pages have nothing to read; then their rows are not looked up. */
  #ofKnown({ filters }: FilterPage): Pick<ListedPage, "items" | "unread"> {
    const { store, window } = this.#options;
    const [high, low] = [[...filters.keys()][0], [...filters.keys()].at(-1)];
    if (high === undefined || low === undefined) return { items: [], unread: new Set() };
    const items = store.executions.listedIn(window, { high, low });
    const ids = items.map(({ id }) => id).filter((id) => filters.has(id));
    return { items, unread: this.#unreadKnown(ids, filters) };
  }

  /**
   * Learns from a listed page from where on claims hold. Only a list without dates tells that there is nothing between
   * its executions.
   * @param took how long it took to get to the first page, in milliseconds
   * @param sawAllRunning false when executions run that were not seen
   */
  settle({ items, low }: ListedPage, took: number, sawAllRunning: boolean): void {
    const { window, head } = this.#options;
    if (this.#settledBefore === null) {
      this.#settles = settlingTime(items, took);
      this.#settledBefore = head === null ? this.#settles : (head.settledBefore ?? NEVER);
    }
    const before = this.#settledBefore;
    this.#newest ??= items[0]?.id ?? low;
    if (!sawAllRunning || window.startedAfter !== null || window.startedBefore !== null) return;
    const hasSettled = ({ startedAt }: ExecutionListItem): boolean =>
      before === null || (startedAt !== null && startedAt <= before);
    this.#settledAt ??= items.find(hasSettled)?.id ?? (items.length === 0 ? low : null);
  }

  begin(step: Step): void {
    this.#frontier.begin(step);
  }

  /** @see Frontier.giveUp */
  giveUp(step: Step): void {
    this.#frontier.giveUp(step);
  }

  /** Claims what is known now. @param low @see Frontier.finish */
  finish(step: Step, low?: string): void {
    const { own, window, store } = this.#options;
    const descent = this.#frontier.finish(step, low);
    if (descent === null) return;
    const stretch = claimable(descent, this.#settledAt);
    if (stretch !== null && window.workflowId === null && this.#mayClaim)
      this.#claims.push({ scope: this.scope, stretch });
    if (own === null || store.listed.epoch !== own.stretches.epoch) return;
    if (stretch !== null) own.claim("settled", stretch);
    const read = claimable(descent, this.#newest);
    if (read !== null) own.claim("read", read);
  }

  /** For answers that turned out to be another n8n's or another history's. */
  forbidClaims(): void {
    this.#mayClaim = false;
    this.#claims = [];
  }

  /** The claims since the last time, to be kept together with what was read. */
  takeClaims(): Pick<Checkpoint, "claims" | "epoch"> {
    const claims = this.#claims;
    this.#claims = [];
    return { claims, epoch: this.#epoch };
  }
}

/** What began before this time was in one of the lists, ISO 8601; null when no start is known. */
function settlingTime(items: readonly ExecutionListItem[], took: number): string | null {
  const starts = items.flatMap(({ startedAt }) => startedAt ?? []);
  const newest = starts.reduce((latest, start) => (start > latest ? start : latest), "");
  return newest === "" ? null : new Date(Date.parse(newest) - took - SETTLING_MS).toISOString();
}
