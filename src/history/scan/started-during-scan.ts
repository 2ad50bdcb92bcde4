/**
 * Reads executions that left n8n's queue during a scan, too late for its lists.
 *
 * Promises: up to 100 are read; the answer says how many are left.
 */
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { counted } from "../../platform/counted.ts";
import { isNewer } from "../../platform/id-order.ts";
import { HIGHEST_ID, type IdRange } from "../store/gaps.ts";
import type { QueueRequests } from "./queue-requests.ts";
import type { ScanSession } from "./session.ts";
import { isInWindow } from "./window.ts";

const MAX_READ = 100;

export class StartedDuringScan {
  readonly #session: ScanSession;
  readonly #requests: QueueRequests;
  /** The ids without a known execution before anything was listed. */
  #unknownBefore: readonly IdRange[] = [];

  constructor(session: ScanSession, requests: QueueRequests) {
    this.#session = session;
    this.#requests = requests;
  }

  /** Call this before anything is listed. @param low the lowest id that may be queued */
  begin(low: string): void {
    const { ownReads, store, completedLook } = this.#session.options;
    if (ownReads === null) return;
    const { lastLook } = store.queue;
    // Ids above the end of the queue, which the look has just found, were stored later.
    const high = completedLook !== null && lastLook?.isEnd === true ? lastLook.top : HIGHEST_ID;
    if (!isNewer(low, high)) this.#unknownBefore = store.stretches.gapsIn({ high, low }).ranges;
  }

  /** Reads executions that other scans have read since `begin`. */
  async readByOthers(): Promise<void> {
    await this.#read(() => this.#session.ranges.readByOthers(this.#unknownBefore));
  }

  /** @param listed after the lists of the scan's own window */
  async readListed(listed: readonly ExecutionListItem[]): Promise<void> {
    const { window } = this.#session.options;
    const inWindow = listed.filter((item) => isInWindow(window, item));
    await this.#read(() => [...this.#session.ranges.changedOf(inWindow)]);
  }

  /** @param unread returns ids that this scan has not read */
  async #read(unread: () => readonly string[]): Promise<void> {
    await this.#requests.readUnlimited(unread().slice(0, MAX_READ));
    await this.#session.ledger.checkpoint();
    const left = unread().length;
    if (left === 0) return;
    const were = "executions that started meanwhile were";
    const which = counted(left, "execution that started meanwhile was", were);
    this.#session.ledger.skip(`${which} not read: each further call reads some`);
  }
}
