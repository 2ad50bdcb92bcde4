/**
 * What a scan believes of history without asking n8n: which stretches it passes over, and which of the executions that
 * n8n lists it does not read. A scan that looks for something itself believes only what it has read, and what filters
 * rule out.
 */
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import type { KnownHistory } from "../store/execution-store.ts";
import type { Scope } from "../store/known-stretches.ts";
import { isInside, type Stretch } from "../store/stretches.ts";
import type { FilterPage } from "../terms/filter-blocks.ts";
import type { TermFilter } from "../terms/term-filter.ts";
import type { ListedPage } from "./listing.ts";
import type { ScanLedger } from "./scan-ledger.ts";
import type { ScanOptions } from "./scan-options.ts";

type BelievedOptions = Pick<ScanOptions, "store" | "own" | "window" | "ruling" | "clock"> & {
  /** Whose stretches may be passed over: another one, once n8n turns out to hide executions. */
  readonly scope: () => Scope;
};

export class BelievedHistory {
  readonly #options: BelievedOptions;
  readonly #ledger: ScanLedger;
  /** Which need not be listed. */
  #stretches: readonly Stretch[] = [];
  /** Which were read in scopes of their own. */
  #read: readonly Stretch[] = [];
  #isUnderWay = false;

  constructor(options: BelievedOptions, ledger: ScanLedger) {
    this.#options = options;
    this.#ledger = ledger;
  }

  /** Which need not be listed. */
  get stretches(): readonly Stretch[] {
    return this.#stretches;
  }

  /** True once a page was compared with what is known. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** To be called first. */
  recall(): KnownHistory {
    const { store, own, window } = this.#options;
    const scope = this.#options.scope();
    const known = store.known(scope, window);
    this.#ledger.epoch = store.listed.epoch;
    const ownStretches = own?.open(store.listed.epoch, scope) ?? null;
    this.#read = ownStretches?.read ?? [];
    // Of one workflow's executions alone, nobody can tell the gaps.
    const isBlind = ownStretches !== null && scope === "hidden" && window.workflowId !== null;
    this.#stretches = isBlind ? [] : this.#passedOver(known.stretches, ownStretches?.settled ?? null);
    return known;
  }

  /** Which stretches need not be listed. */
  #passedOver(known: readonly Stretch[], own: readonly Stretch[] | null): readonly Stretch[] {
    if (own === null) return known;
    // What may be read of known ones is found without n8n's lists.
    return this.#options.ruling === undefined ? own : [...own, ...known];
  }

  /** All that it has not read itself, where it believes nothing; else what is not known. */
  unreadOf(items: readonly ExecutionListItem[]): ReadonlySet<string> {
    if (items.length === 0) return new Set();
    const changed = this.changedOf(items);
    this.#isUnderWay = true;
    if (this.#options.own === null) return changed;
    const ids = items.map(({ id }) => id);
    const known = ids.filter((id) => !changed.has(id));
    const { ruling, store } = this.#options;
    const filters = ruling === undefined ? new Map<string, TermFilter>() : store.filters.of(known);
    const unread = this.#unreadKnown(known, filters);
    return new Set(ids.filter((id) => changed.has(id) || unread.has(id)));
  }

  /** Of what is known, what it has to read itself. */
  #unreadKnown(ids: readonly string[], filters: ReadonlyMap<string, TermFilter | null>): ReadonlySet<string> {
    const isRead = (id: string): boolean => this.#read.some((stretch) => isInside(id, stretch));
    const isRuledOut = (id: string): boolean => {
      const filter = filters.get(id) ?? null;
      if (filter === null || this.#options.ruling?.rulesOut(filter) !== true) return false;
      if (filter.isPartial) this.#options.ruling.onPartial(id);
      return true;
    };
    return new Set(ids.filter((id) => !isRead(id) && !isRuledOut(id)));
  }

  /** Of what n8n lists, the ids that are not as they are remembered. */
  changedOf(items: readonly ExecutionListItem[]): ReadonlySet<string> {
    const { ids, isOtherHistory } = this.#options.store.listed.unknownOf(items);
    if (isOtherHistory) this.#forgetHistory();
    return new Set(ids);
  }

  /**
   * This n8n was set up anew, or restored: what was passed over as known may be another execution now. At the first
   * page that is no harm; later, what is known has to be compared with all that n8n lists.
   */
  #forgetHistory(): void {
    const { store, own } = this.#options;
    this.#stretches = [];
    this.#read = [];
    if (this.#isUnderWay) {
      this.#ledger.forbidClaims();
      return;
    }
    this.#ledger.epoch = store.listed.epoch;
    own?.open(store.listed.epoch, this.#options.scope());
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

  /** What is to be read of known executions: in most pages nothing, and then their rows are not asked for. */
  #ofKnown({ filters }: FilterPage): Pick<ListedPage, "items" | "unread"> {
    const { store, window } = this.#options;
    const [high, low] = [[...filters.keys()][0], [...filters.keys()].at(-1)];
    if (high === undefined || low === undefined) return { items: [], unread: new Set() };
    const items = store.executions.listedIn(window, { high, low });
    const ids = items.map(({ id }) => id).filter((id) => filters.has(id));
    return { items, unread: this.#unreadKnown(ids, filters) };
  }
}
