/**
 * Executions that have not ended: running ones, which appear only in their own list; waiting ones, which wake up;
 * and those that an earlier scan could not read. What is known about them may be outdated.
 */

import { mayPass } from "../../n8n/back-off.ts";
import { filtersByStatus } from "../../n8n/capabilities/capabilities.ts";
import type { ExecutionQuery } from "../../n8n/client.ts";
import { refusalOf } from "../../n8n/refusal.ts";
import type { ExecutionListItem, ExecutionStatus } from "../../n8n/schemas.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { counted } from "../../platform/counted.ts";
import type { ObserverError } from "../../platform/errors.ts";
import { MAX_PAGE_SIZE } from "../reading/page-size.ts";
import { type ReadingEvents, readPage } from "../reading/read-executions.ts";
import type { KnownHistory } from "../store/execution-store.ts";
import { MAX_UNFINISHED } from "../store/known-executions.ts";
import { isNewer, type TracedExecution } from "../store/traced-execution.ts";
import type { ScanLedger } from "./ledger.ts";
import type { ScanRanges } from "./ranges.ts";
import type { ScanSession } from "./session.ts";
import { isInWindow, isWholeHistory } from "./window.ts";

const MAX_RUNNING = 100;
/** n8n's own maximum for lists without data. */
const PAGE_SIZE = MAX_PAGE_SIZE;
/** Executions that continued after they were read, and are requested one by one. */
const MAX_SINGLE_READS = 100;
const MAX_QUEUED_READS = 2;
/** After this many failures at executions that n8n failed to return before, it is taken to be still failing. */
const MAX_UNREAD_FAILURES = 5;

interface Listed {
  readonly items: readonly ExecutionListItem[];
  /** False if older executions were left out. */
  readonly isWhole: boolean;
}

export class UnfinishedReader {
  readonly #session: ScanSession;
  readonly #ledger: ScanLedger;
  readonly #ranges: ScanRanges;
  #known: KnownHistory = { stretches: [], unfinished: [], unread: [] };
  #sawAllRunning = true;
  /** Executions that were waiting before anything was listed, and have not been seen since. */
  readonly #asleep = new Map<string, ExecutionListItem>();

  constructor(session: ScanSession, ledger: ScanLedger, ranges: ScanRanges) {
    this.#session = session;
    this.#ledger = ledger;
    this.#ranges = ranges;
  }

  /** False if running executions were not seen: they may end inside the range that would be claimed. */
  get sawAllRunning(): boolean {
    return this.#sawAllRunning;
  }

  /** Call this first. @param known its unfinished and unread executions are requested again */
  begin(known: KnownHistory): void {
    this.#known = known;
    const { unfinished, unread } = known;
    if (unfinished.length > MAX_UNFINISHED)
      this.#ledger.skip(
        `more than ${MAX_UNFINISHED} executions had not ended; the oldest were not read again`,
      );
    this.#ledger.watch([...unfinished.map(({ id }) => id), ...unread]);
  }

  /**
   * Lists executions that may start or resume after `readRunning`: they are in no list while they run, and their ids
   * may be far below those of executions that began earlier. Call this before `readRunning`.
   */
  async listToCome(): Promise<void> {
    const lists = [() => this.#listNew()];
    // A scan limited to a window claims nothing permanently.
    if (isWholeHistory(this.#session.options.window)) lists.push(() => this.#listAsleep());
    await mapConcurrently(lists, lists.length, async (list) => await list());
  }

  async #listNew(): Promise<void> {
    const { statuses } = await this.#session.options.capabilities.get();
    if (statuses?.includes("new") !== true) return;
    const { items, isWhole } = await this.#unknownOf("new");
    for (const item of items) this.#ledger.mayGoOn(item, "it had not begun to run");
    if (!isWhole) this.#missRunning(`more than ${MAX_UNFINISHED} executions have not begun to run`);
  }

  async #listAsleep(): Promise<void> {
    if (!(await this.#canList("waiting"))) return;
    const { items } = await this.#unknownOf("waiting");
    for (const item of items) this.#asleep.set(item.id, item);
  }

  async #unknownOf(status: ExecutionStatus): Promise<Listed> {
    const known = new Set(this.#known.unfinished.map(({ id }) => id));
    const { items, isWhole } = await this.#allOf(status);
    const changed = this.#ranges.changedOf(items);
    return { items: items.filter(({ id }) => changed.has(id) && !known.has(id)), isWhole };
  }

  /**
   * A range of history was seen: an execution that was waiting before and is not in it is running now. It is noted
   * before the range is claimed, so that it gets requested by its id.
   * @param high null for the newest id
   */
  passed(high: string | null, low: string, shown: readonly { readonly id: string }[]): void {
    for (const { id } of shown) this.#asleep.delete(id);
    for (const [id, item] of this.#asleep) {
      if (isNewer(low, id) || (high !== null && isNewer(id, high))) continue;
      this.#asleep.delete(id);
      this.#ledger.mayGoOn(item, "it woke up before it was read");
    }
  }

  /** How many lists of running and waiting executions will be requested, unless one has several pages. */
  async countLists(): Promise<number> {
    const lists = [await this.#canList("running"), this.#knowsWaiting && (await this.#canList("waiting"))];
    return lists.filter(Boolean).length;
  }

  /**
   * Reads the running executions each time, since their data changes as they run. Call this before anything is listed:
   * executions that end afterwards are in the lists.
   */
  async readRunning(): Promise<void> {
    const ledger = this.#ledger;
    if (!(await this.#canList("running"))) return;
    let count = 0;
    const events: ReadingEvents = {
      read: (reading) => {
        count += 1;
        ledger.read(reading);
      },
      unreadable: (id, reason) => {
        this.#sawAllRunning = false;
        ledger.unreadable(id, reason);
      },
      vanished: (id) => ledger.vanished(id),
    };
    try {
      await readPage(this.#query("running", MAX_RUNNING + 1), this.#session.readingInTurn, events);
    } catch (error) {
      if (await this.#isRefused(error)) return;
      if (!mayPass(error)) throw error;
      return await this.#readRunningSingly();
    }
    if (count > MAX_RUNNING)
      this.#missRunning(`more than ${MAX_RUNNING} executions are running; the newest were read`);
  }

  /** n8n fails to return all of them at once, but may return them one by one. */
  async #readRunningSingly(): Promise<void> {
    const ledger = this.#ledger;
    const { executions, nextCursor } = await this.#session.list(this.#query("running", MAX_RUNNING));
    if (nextCursor !== null) this.#missRunning(`more than ${MAX_RUNNING} executions are running`);
    const running = executions.filter((item) => isInWindow(this.#session.options.window, item));
    ledger.expect(running);
    ledger.watch(running.map(({ id }) => id));
    await this.#readLeft(running);
  }

  #missRunning(reason: string): void {
    this.#sawAllRunning = false;
    this.#ledger.skip(reason);
  }

  async #readLeft(running: readonly ExecutionListItem[]): Promise<void> {
    for (const { id } of running.filter((item) => !this.#ledger.current.has(item.id))) {
      if (this.#session.mustStop()) this.#ledger.unreadable(id, "the scan ended before it was read");
      else await this.#readAgain(id);
    }
  }

  /** Reads executions that had not ended when they were last read, and that this scan has not seen. */
  async readChanged(): Promise<void> {
    const ledger = this.#ledger;
    const left = (await this.#left()).map(({ id }) => id);
    const again = new Set([...ledger.wentOn, ...left]);
    const changed = [...again].filter((id) => !ledger.current.has(id));
    const unasked = changed.length - MAX_SINGLE_READS;
    if (unasked > 0) ledger.skip(`${counted(unasked, "execution")} went on after being read`);
    for (const id of changed.slice(0, MAX_SINGLE_READS)) {
      if (this.#session.mustStop()) return;
      await this.#readAgain(id);
    }
    await this.#readUnread();
    await ledger.checkpoint();
  }

  /** Those that wait in a queue have a reader of their own; until n8n is known to have none, two are asked for. */
  async #left(): Promise<readonly TracedExecution[]> {
    const { capabilities } = this.#session.options;
    const known = this.#known.unfinished.slice(0, MAX_UNFINISHED);
    const { queues } = await capabilities.get();
    if (queues === false || this.#session.leavesOut) return known;
    const { current } = this.#ledger;
    const queued = known.filter(({ id, status }) => status === "new" && !current.has(id));
    const asked = queues === true ? [] : queued.slice(0, MAX_QUEUED_READS);
    return known.filter((one) => !queued.includes(one) || asked.includes(one));
  }

  /** Confirms the known waiting executions that have not woken up since. */
  async listWaiting(): Promise<void> {
    if (!this.#knowsWaiting || !(await this.#canList("waiting"))) return;
    const { items } = await this.#allOf("waiting");
    const changed = this.#ranges.changedOf(items);
    // Only the state of unread executions is known, which confirms nothing.
    const unread = new Set(this.#known.unread);
    for (const { id } of items) if (!changed.has(id) && !unread.has(id)) this.#ledger.confirm(id);
  }

  get #knowsWaiting(): boolean {
    return this.#known.unfinished.some(({ status }) => status === "waiting");
  }

  async #canList(status: ExecutionStatus): Promise<boolean> {
    return filtersByStatus(await this.#session.options.capabilities.get(), status);
  }

  #query(status: ExecutionStatus, limit: number, cursor?: string): ExecutionQuery {
    return { workflowId: this.#session.options.window.workflowId ?? undefined, status, limit, cursor };
  }

  /** The newest executions with this status, without data; empty if n8n refuses to filter by it. */
  async #allOf(status: ExecutionStatus): Promise<Listed> {
    const items: ExecutionListItem[] = [];
    let cursor: string | undefined;
    try {
      // Counts pages, not items: a page may have no readable items and still have a next page.
      for (let listed = 0; listed < MAX_UNFINISHED; listed += PAGE_SIZE) {
        const page = await this.#session.list(this.#query(status, PAGE_SIZE, cursor));
        items.push(...page.executions);
        if (page.nextCursor === null) return { items, isWhole: true };
        cursor = page.nextCursor;
      }
    } catch (error) {
      if (!(await this.#isRefused(error))) throw error;
      return { items: [], isWhole: true };
    }
    return { items, isWhole: false };
  }

  /** n8n has changed and no longer filters by this status. Such executions are then requested by their ids. */
  async #isRefused(error: unknown): Promise<boolean> {
    const refusal = refusalOf(error);
    if (refusal?.parameter !== "status") return false;
    await this.#session.options.capabilities.learn({ statuses: [...refusal.allowed] });
    return true;
  }

  /** Retries executions that n8n failed to return before; the coverage names them until it does. */
  async #readUnread(): Promise<void> {
    let failures = 0;
    for (const id of this.#known.unread.filter((one) => !this.#ledger.current.has(one))) {
      if (failures >= MAX_UNREAD_FAILURES || this.#session.mustStop()) return;
      if ((await this.#read(id)) !== null) failures += 1;
    }
  }

  async #readAgain(id: string): Promise<void> {
    const failure = await this.#read(id);
    if (failure !== null)
      this.#ledger.unreadable(id, `it went on, and n8n fails to give it, with ${failure.code}`);
  }

  /** Returns the failure, which may be temporary; null if the execution was read or is gone. */
  async #read(id: string): Promise<ObserverError | null> {
    const outcome = await this.#session.readOne(id);
    if (outcome === "gone") this.#ledger.noteDeleted(id);
    return outcome === "read" || outcome === "gone" ? null : outcome;
  }
}
