/**
 * Executions that have not ended: running ones, which are in no list but their own; waiting ones, which wake up;
 * and those that an earlier scan could not read. What is known of them may not hold any more.
 */

import { mayPass } from "../../n8n/back-off.ts";
import { filtersByStatus } from "../../n8n/capabilities/capabilities.ts";
import type { KnownCapabilities } from "../../n8n/capabilities/store.ts";
import type { ExecutionQuery, ListedExecutions } from "../../n8n/client.ts";
import { refusalOf } from "../../n8n/refusal.ts";
import type { ExecutionListItem, ExecutionStatus } from "../../n8n/schemas.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { counted } from "../../platform/counted.ts";
import { ObserverError } from "../../platform/errors.ts";
import { type ReadingEvents, type ReadOptions, readOne, readPage } from "../reading/read-executions.ts";
import type { KnownHistory } from "../store/execution-store.ts";
import { MAX_UNFINISHED } from "../store/known-executions.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import { isNewer } from "../store/traced-execution.ts";
import { isInWindow } from "./listing.ts";
import type { ScanLedger } from "./scan-ledger.ts";

const MAX_RUNNING = 100;
/** Of those that only their state is asked for: n8n's own most. */
const PAGE_SIZE = 250;
/** Executions that went on since they were read, and are asked for one by one. */
const MAX_SINGLE_READS = 100;
/** Of executions that n8n failed to give before: then it fails still. */
const MAX_UNREAD_FAILURES = 5;

export interface UnfinishedOptions extends ReadOptions {
  readonly window: TraceWindow;
  readonly ledger: ScanLedger;
  /** Asks n8n for one page without data. */
  readonly list: (query: ExecutionQuery) => Promise<ListedExecutions>;
  /** Of what n8n lists, the ids that are not as they are remembered. */
  readonly changedOf: (items: readonly ExecutionListItem[]) => Promise<ReadonlySet<string>>;
  /** True once the scan has to end. */
  readonly mustStop: () => boolean;
  readonly capabilities: KnownCapabilities;
}

export class UnfinishedReader {
  readonly #options: UnfinishedOptions;
  /** False when executions run that were not seen: they may end inside of what would be claimed. */
  isWhole = true;

  /** Those that waited before anything was listed, and that nothing has shown since. */
  readonly #asleep = new Map<string, ExecutionListItem>();

  constructor(options: UnfinishedOptions) {
    this.#options = options;
  }

  #query(status: ExecutionStatus, limit: number, cursor?: string): ExecutionQuery {
    return { workflowId: this.#options.window.workflowId ?? undefined, status, limit, cursor };
  }

  /**
   * Those that may begin to run, or to run on, after `readRunning`, which are in no list while they do, and whose ids
   * may be far below those that began before them. To be called before that.
   */
  async listToCome(known: KnownHistory): Promise<void> {
    const lists = [
      async () => await this.#listNew(known),
      // Through a window nothing is claimed for good.
      ...(isWholeHistory(this.#options.window) ? [async () => await this.#listAsleep(known)] : []),
    ];
    await mapConcurrently(lists, lists.length, async (list) => await list());
  }

  async #listNew(known: KnownHistory): Promise<void> {
    const { capabilities, ledger } = this.#options;
    const { statuses } = await capabilities.get();
    if (statuses?.includes("new") !== true) return;
    const { items, isWhole } = await this.#unknownOf("new", known);
    for (const item of items) ledger.mayGoOn(item, "it had not begun to run");
    if (isWhole) return;
    this.isWhole = false;
    ledger.skip(null, `more than ${MAX_UNFINISHED} executions have not begun to run`);
  }

  async #listAsleep(known: KnownHistory): Promise<void> {
    if (!filtersByStatus(await this.#options.capabilities.get(), "waiting")) return;
    const { items } = await this.#unknownOf("waiting", known);
    for (const item of items) this.#asleep.set(item.id, item);
  }

  async #unknownOf(
    status: ExecutionStatus,
    { unfinished }: KnownHistory,
  ): Promise<{ items: ExecutionListItem[]; isWhole: boolean }> {
    const known = new Set(unfinished.map(({ id }) => id));
    try {
      const { items, isWhole } = await this.#allOf(status);
      const changed = await this.#options.changedOf(items);
      return { items: items.filter(({ id }) => changed.has(id) && !known.has(id)), isWhole };
    } catch (error) {
      if (!(await this.#isRefused(error))) throw error;
      return { items: [], isWhole: true };
    }
  }

  /**
   * A part of history was seen, from one id down to another: what slept before and is not in it runs now. Before this
   * part is claimed it is noted, to be asked for by its id.
   * @param high null for the newest
   */
  passed(high: string | null, low: string, shown: readonly { readonly id: string }[]): void {
    for (const { id } of shown) this.#asleep.delete(id);
    for (const [id, item] of this.#asleep) {
      if (isNewer(low, id) || (high !== null && isNewer(id, high))) continue;
      this.#asleep.delete(id);
      this.#options.ledger.mayGoOn(item, "it woke up before it was read");
    }
  }

  /** How many lists it asks for of those that run and wait; more, where one has more than a page. */
  async countLists(known: KnownHistory): Promise<number> {
    const capabilities = await this.#options.capabilities.get();
    const running = filtersByStatus(capabilities, "running") ? 1 : 0;
    return running + (hasWaiting(known) && filtersByStatus(capabilities, "waiting") ? 1 : 0);
  }

  /**
   * Their data changes as they run, so they are read each time. To be called before anything is listed: what
   * ends after it is in the lists.
   */
  async readRunning(): Promise<void> {
    const { ledger, capabilities } = this.#options;
    if (!filtersByStatus(await capabilities.get(), "running")) return;
    let count = 0;
    const events: ReadingEvents = {
      read: (reading) => {
        count += 1;
        ledger.read(reading);
      },
      unreadable: (id, reason) => {
        this.isWhole = false;
        ledger.unreadable(id, reason);
      },
      vanished: (id) => ledger.vanished(id),
    };
    const query = this.#query("running", MAX_RUNNING + 1);
    try {
      await readPage(query, this.#options, events);
    } catch (error) {
      if (await this.#isRefused(error)) return;
      if (!mayPass(error)) throw error;
      await this.#readRunningSingly();
      return;
    }
    if (count <= MAX_RUNNING) return;
    this.isWhole = false;
    ledger.skip(null, `more than ${MAX_RUNNING} executions are running; the newest were read`);
  }

  /** Another n8n than it was: it does not filter by this status. Then such executions are asked for by their ids. */
  async #isRefused(error: unknown): Promise<boolean> {
    const refusal = refusalOf(error);
    if (refusal?.parameter !== "status") return false;
    await this.#options.capabilities.learn({ statuses: [...refusal.allowed] });
    return true;
  }

  /** n8n fails to give all of them at once: perhaps it gives one after another. */
  async #readRunningSingly(): Promise<void> {
    const { list, ledger, window } = this.#options;
    const { executions, nextCursor } = await list(this.#query("running", MAX_RUNNING));
    const isCut = nextCursor !== null;
    this.isWhole &&= !isCut;
    if (isCut) ledger.skip(null, `more than ${MAX_RUNNING} executions are running`);
    const running = executions.filter((item) => isInWindow(item, window));
    ledger.expect(running);
    ledger.watch(running.map(({ id }) => id));
    await this.#readLeft(running);
  }

  /** Those that were listed, and have ended since, or at which n8n failed. What is not read now is read later. */
  async #readLeft(running: readonly ExecutionListItem[]): Promise<void> {
    const { ledger, mustStop } = this.#options;
    for (const { id } of running.filter((item) => !ledger.current.has(item.id))) {
      if (mustStop()) ledger.unreadable(id, "the scan ended before it was read");
      else await this.#readAgain(id);
    }
  }

  /** What the scan is going to ask about at its end. */
  watch({ unfinished, unread }: KnownHistory): void {
    const { ledger } = this.#options;
    if (unfinished.length > MAX_UNFINISHED)
      ledger.skip(
        null,
        `more than ${MAX_UNFINISHED} executions had not ended; the oldest were not read again`,
      );
    ledger.watch([...unfinished.map(({ id }) => id), ...unread]);
  }

  /** Executions that had not ended when they were read, and that nothing of this scan has shown. */
  async readChanged({ unfinished, unread }: KnownHistory): Promise<void> {
    const { ledger, mustStop } = this.#options;
    const left = unfinished.slice(0, MAX_UNFINISHED).map(({ id }) => id);
    const again = [...ledger.wentOn, ...left];
    const changed = [...new Set(again)].filter((id) => !ledger.current.has(id));
    if (changed.length > MAX_SINGLE_READS)
      ledger.skip(
        null,
        `${counted(changed.length - MAX_SINGLE_READS, "execution")} went on after being read`,
      );
    for (const id of changed.slice(0, MAX_SINGLE_READS)) {
      if (mustStop()) return;
      await this.#readAgain(id);
    }
    await this.#readUnread(unread);
    await ledger.checkpoint();
  }

  /** Confirms those of the known sleepers that still sleep the same sleep. */
  async listWaiting(known: KnownHistory): Promise<void> {
    if (!hasWaiting(known)) return;
    if (!filtersByStatus(await this.#options.capabilities.get(), "waiting")) return;
    try {
      await this.#confirmWaiting(new Set(known.unread));
    } catch (error) {
      if (!(await this.#isRefused(error))) throw error;
    }
  }

  /** @param unread of them nothing but their state is known, which confirms nothing */
  async #confirmWaiting(unread: ReadonlySet<string>): Promise<void> {
    const { ledger, changedOf } = this.#options;
    const { items } = await this.#allOf("waiting");
    const changed = await changedOf(items);
    for (const { id } of items) if (!changed.has(id) && !unread.has(id)) ledger.confirm(id);
  }

  /** Without data: the newest, and whether these are all. */
  async #allOf(status: ExecutionStatus): Promise<{ items: ExecutionListItem[]; isWhole: boolean }> {
    const items: ExecutionListItem[] = [];
    let cursor: string | undefined;
    // By pages: one may have nothing that can be read, and a next one all the same.
    for (let listed = 0; listed < MAX_UNFINISHED; listed += PAGE_SIZE) {
      const page = await this.#options.list(this.#query(status, PAGE_SIZE, cursor));
      items.push(...page.executions);
      if (page.nextCursor === null) return { items, isWhole: true };
      cursor = page.nextCursor;
    }
    return { items, isWhole: false };
  }

  /** Those that n8n failed to give before. They stay named in the coverage until it does. */
  async #readUnread(ids: readonly string[]): Promise<void> {
    const { ledger, mustStop } = this.#options;
    let failures = 0;
    for (const id of ids.filter((one) => !ledger.current.has(one))) {
      if (failures >= MAX_UNREAD_FAILURES || mustStop()) return;
      if ((await this.#readAlone(id)) !== null) failures += 1;
    }
  }

  async #readAgain(id: string): Promise<void> {
    const failure = await this.#readAlone(id);
    if (failure !== null)
      this.#options.ledger.unreadable(id, `it went on, and n8n fails to give it, with ${failure.code}`);
  }

  /** Null when it was read, or is gone; else the failure, which may pass. */
  async #readAlone(id: string): Promise<ObserverError | null> {
    try {
      await readOne(id, this.#options, this.#options.ledger);
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
      if (error.code === "EXECUTION_NOT_FOUND") this.#options.ledger.noteDeleted(id);
      else if (mayPass(error)) return error;
      else throw error;
    }
    return null;
  }
}

const isWholeHistory = (window: TraceWindow): boolean =>
  Object.values(window).every((bound) => bound === null);

const hasWaiting = ({ unfinished }: KnownHistory): boolean =>
  unfinished.some(({ status }) => status === "waiting");
