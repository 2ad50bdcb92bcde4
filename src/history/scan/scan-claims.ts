/**
 * How far down a scan has come, and what of that it may claim to know: nothing that may have begun while it listed,
 * and nothing that it saw through a window of dates.
 */
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import type { Scope } from "../store/known-stretches.ts";
import { Frontier, type FrontierStep } from "./frontier.ts";
import type { ListedPage } from "./listing.ts";
import type { ScanLedger } from "./scan-ledger.ts";
import type { ScanOptions } from "./scan-options.ts";

/** Before the first execution of any n8n. */
const NEVER = "0000";
/** Added to the time that listing took: what had begun then may have been in no list. */
const SETTLING_MS = 1_000;

type ClaimOptions = Pick<ScanOptions, "store" | "own" | "window" | "head"> & {
  /** Of which stretches are claimed: another one, once n8n turns out to hide executions. */
  readonly scope: () => Scope;
};

export class ScanClaims {
  readonly #options: ClaimOptions;
  readonly #ledger: ScanLedger;
  readonly #frontier = new Frontier();
  /** Of what was read, settled or not. */
  readonly #readFrontier = new Frontier();
  #settles: string | null = null;

  constructor(options: ClaimOptions, ledger: ScanLedger) {
    this.#options = options;
    this.#ledger = ledger;
  }

  /** Every execution of the window down to this id is known; null when none is. */
  get downTo(): string | null {
    return this.#frontier.low;
  }

  /** What began before was in one of n8n's lists, ISO 8601; null when that is not known. */
  get settles(): string | null {
    return this.#settles;
  }

  /**
   * What began before is in one of the lists; ISO 8601, null when no start is known.
   * @param items of the first page
   * @param took how long it took to list them, in milliseconds
   */
  settlingTime(items: readonly ExecutionListItem[], took: number): string | null {
    const { head } = this.#options;
    this.#settles = settlingTime(items, took);
    return head === null ? this.#settles : (head.settledBefore ?? NEVER);
  }

  /**
   * Only a list without dates tells that there is nothing between its executions.
   * @param isWhole false when executions run that were not seen
   */
  settle(page: ListedPage, settles: string | null, isWhole: boolean): void {
    const { window } = this.#options;
    const newest = page.items[0]?.id ?? page.low;
    if (newest !== null) this.#readFrontier.settleAt(newest);
    if (!isWhole || window.startedAfter !== null || window.startedBefore !== null) return;
    const settled = page.items.find(
      (item) => settles === null || (item.startedAt !== null && item.startedAt <= settles),
    );
    const id = settled?.id ?? (page.items.length === 0 ? page.low : null);
    if (id !== null) this.#frontier.settleAt(id);
  }

  begin(step: FrontierStep): void {
    this.#frontier.begin(step);
    this.#readFrontier.begin(step);
  }

  /** @see Frontier.giveUp */
  giveUp(step: FrontierStep): void {
    this.#frontier.giveUp(step);
    this.#readFrontier.giveUp(step);
  }

  /** @param low @see Frontier.finish */
  finish(step: FrontierStep, low: string = step.low): void {
    const { own, window, store, scope } = this.#options;
    const settled = this.#frontier.finish(step, low);
    const read = this.#readFrontier.finish(step, low);
    if (settled !== null && window.workflowId === null) this.#ledger.claim(scope(), settled);
    if (own === null || store.listed.epoch !== own.stretches.epoch) return;
    if (settled !== null) own.claim("settled", settled);
    if (read !== null) own.claim("read", read);
  }
}

/** What began before this time was in one of the lists, ISO 8601; null when no start is known. */
function settlingTime(items: readonly ExecutionListItem[], took: number): string | null {
  const newest = items.reduce<string>(
    (latest, { startedAt }) => ((startedAt ?? "") > latest ? (startedAt ?? "") : latest),
    "",
  );
  return newest === "" ? null : new Date(Date.parse(newest) - took - SETTLING_MS).toISOString();
}
