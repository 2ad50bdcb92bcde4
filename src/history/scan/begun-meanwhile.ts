/**
 * Executions that have left n8n's queue since a scan began, and were in none of its lists: it no longer lists what is
 * around them, and has not searched itself what other scans have read of them.
 *
 * Promises: up to 100 are read; the answer says how many are left.
 */
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { counted } from "../../platform/counted.ts";
import { isNewer } from "../../platform/id-order.ts";
import { HIGHEST_ID, type IdRange } from "../store/gaps.ts";
import type { ScanLedger } from "./ledger.ts";
import type { QueueAsks } from "./queue-asks.ts";
import type { ScanRanges } from "./ranges.ts";
import type { ScanSession } from "./session.ts";
import { isInWindow } from "./window.ts";

const MAX_READ = 100;

export class BegunMeanwhile {
  readonly #session: ScanSession;
  readonly #ledger: ScanLedger;
  readonly #ranges: ScanRanges;
  readonly #asks: QueueAsks;
  /** Ids without a known execution before anything was listed. */
  #unknownBefore: readonly IdRange[] = [];

  constructor(session: ScanSession, ledger: ScanLedger, ranges: ScanRanges, asks: QueueAsks) {
    this.#session = session;
    this.#ledger = ledger;
    this.#ranges = ranges;
    this.#asks = asks;
  }

  /** Call this before anything is listed. @param low the lowest id that may wait */
  begin(low: string): void {
    const { own, store, looked } = this.#session.options;
    if (own === null) return;
    const { lastLook } = store.queue;
    // What is above the end that the look has just found was stored later.
    const high = looked !== null && lastLook?.isEnd === true ? lastLook.top : HIGHEST_ID;
    if (!isNewer(low, high)) this.#unknownBefore = store.stretches.gapsIn({ high, low }).ranges;
  }

  /** Those that another scan has read since. */
  async readByOthers(): Promise<void> {
    await this.#read(() => this.#ranges.readByOthers(this.#unknownBefore));
  }

  /** @param listed just now, after the lists of the scan's own window */
  async readListed(listed: readonly ExecutionListItem[]): Promise<void> {
    const { window } = this.#session.options;
    const inWindow = listed.filter((item) => isInWindow(window, item));
    await this.#read(() => [...this.#ranges.changedOf(inWindow)]);
  }

  /** @param unread ids of those that this scan has not read */
  async #read(unread: () => readonly string[]): Promise<void> {
    await this.#asks.readMeanwhile(unread().slice(0, MAX_READ));
    await this.#ledger.checkpoint();
    const left = unread().length;
    if (left === 0) return;
    const were = "executions that have begun meanwhile were";
    const which = counted(left, "execution that has begun meanwhile was", were);
    this.#ledger.skip(`${which} not read: each further call reads some`);
  }
}
