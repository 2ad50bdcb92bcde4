/**
 * Executions that have not ended: running ones, which appear only in their own list; waiting ones, which resume; and
 * those that an earlier scan could not read. What is stored about them may be outdated.
 */
import type { ExecutionListItem, ExecutionStatus } from "../../n8n/schemas.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { counted } from "../../platform/counted.ts";
import { isNewer } from "../../platform/id-order.ts";
import type { KnownHistory } from "../store/execution-store.ts";
import { singleIds } from "../store/gaps.ts";
import { isInside } from "../store/stretches.ts";
import { MAX_LISTED, MAX_UNFINISHED } from "../store/tables.ts";
import type { TracedExecution } from "../store/traced-execution.ts";
import type { ListedPage } from "./jobs.ts";
import type { ScanLedger } from "./ledger.ts";
import type { ScanRanges } from "./ranges.ts";
import { RunningReader } from "./running.ts";
import type { ScanSession } from "./session.ts";
import { type LongListLimits, type StatusList, StatusLists } from "./status-lists.ts";
import { isInWindow } from "./window.ts";

/** Maximum executions that continued after they were read and are requested one by one. */
const MAX_SINGLE_READS = 100;
const MAX_QUEUED_READS = 2;
/** Of a scan's time, for a list of more than `MAX_LISTED` that wait. */
const SHARE_OF_TIME = 1 / 8;
/** While n8n lists an execution with one of these statuses, it does not change. */
const UNCHANGING = ["waiting", "new"] as const satisfies readonly ExecutionStatus[];
const TOO_MANY_UNFINISHED =
  "more executions are unfinished than could be checked: the oldest were not checked";
/** After this many failures at executions that were unreadable before, n8n is assumed to be still failing. */
const MAX_UNREAD_FAILURES = 5;

export class UnfinishedReader {
  readonly #session: ScanSession;
  readonly #ledger: ScanLedger;
  readonly #ranges: ScanRanges;
  readonly #lists: StatusLists;
  readonly running: RunningReader;
  #known: KnownHistory = { stretches: [], unfinished: [], unread: [] };
  /** Executions that n8n failed to return to earlier calls of this search. */
  #unreadOfOwn: readonly string[] = [];
  /** Executions that were waiting before anything was listed, and have not been seen since. */
  readonly #waiting = new Map<string, ExecutionListItem>();
  readonly #restored: string[] = [];
  #newestNotBegun = "0";
  /** By status: the id below which executions were not listed; "0" if all were. */
  readonly #listedDownTo = new Map<string, string>();

  constructor(session: ScanSession) {
    this.#session = session;
    this.#ledger = session.ledger;
    this.#ranges = session.ranges;
    this.#lists = new StatusLists(session);
    this.running = new RunningReader(session, this.#lists);
  }

  /** The newest execution that had not begun when the running ones were listed; "0" if none is known. */
  get newestNotBegun(): string {
    return this.#newestNotBegun;
  }

  /** Call this first. @param known its unfinished and unread executions are requested again */
  begin(known: KnownHistory): void {
    this.#known = known;
    this.#unreadOfOwn = [...(this.#session.options.ownReads?.unread ?? [])];
    const { unfinished, unread } = known;
    // Queued executions have a reader of their own, which counts those it leaves out.
    const handled = this.#ranges.mayQueue ? unfinished.filter(({ status }) => status !== "new") : unfinished;
    if (handled.length > MAX_UNFINISHED) this.#ledger.skip(TOO_MANY_UNFINISHED);
    this.#session.options.ownReads?.noteUnfinished(unfinished.map(({ id }) => id));
    this.#ledger.watch([...unfinished.map(({ id }) => id), ...unread]);
  }

  /**
   * Lists executions that may start or resume after `readRunning`: they are in no list while they run, and their ids
   * may be far below those of executions that began earlier. Call this before `readRunning`.
   */
  async listUpcoming(): Promise<void> {
    const lists = [() => this.#listNew(), () => this.#listWaiting()];
    await mapConcurrently(lists, lists.length, async (list) => await list());
  }

  async #listNew(): Promise<void> {
    const { statuses } = await this.#session.options.capabilities.get();
    if (statuses?.includes("new") !== true) return;
    const { items, isWhole } = await this.#unknownOf("new");
    for (const item of items) this.#ledger.requestById(item, "it had not started");
    if (!isWhole) this.running.noteUnseen(`more than ${MAX_LISTED} executions have not started`);
  }

  /** One that resumes during a scan of unknown history is in no list. */
  async #listWaiting(): Promise<void> {
    if (!(await this.#lists.canList("waiting"))) return;
    const { window } = this.#session.options;
    const { items } = await this.#unknownOf("waiting", this.#longListLimits());
    for (const item of items) if (isInWindow(window, item)) this.#waiting.set(item.id, item);
  }

  #longListLimits(): LongListLimits {
    const { clock, deadline } = this.#session.options;
    return { most: MAX_UNFINISHED, until: clock.now() + SHARE_OF_TIME * (deadline - clock.now()) };
  }

  async #unknownOf(status: ExecutionStatus, more?: LongListLimits): Promise<StatusList> {
    const known = new Set(this.#known.unfinished.map(({ id }) => id));
    const listed = await this.#lists.allOf(status, more);
    if (status === "new") this.#newestNotBegun = listed.items[0]?.id ?? "0";
    const changed = this.#ranges.changedOf(listed.items);
    return { ...listed, items: listed.items.filter(({ id }) => changed.has(id) && !known.has(id)) };
  }

  /**
   * Call this when a range of history was listed: an execution of the range that was waiting before and is missing now
   * is running. It is noted before the range is claimed, so that it is requested by its id.
   * @param high null for the newest id
   */
  noteListedRange(high: string | null, low: string, shown: readonly { readonly id: string }[]): void {
    for (const { id } of shown) this.#waiting.delete(id);
    for (const [id, item] of this.#waiting) {
      if (isNewer(low, id) || (high !== null && isNewer(id, high))) continue;
      this.#waiting.delete(id);
      this.#ledger.requestById(item, "it resumed before it was read");
    }
  }

  /** How many requests running and waiting executions will take, if each list fits on a page. */
  async countRequests(): Promise<number> {
    const { running } = this.#session.options.store;
    const readsRunningData =
      this.running.countToReadAtOnce === null &&
      this.#known.unfinished.some((one) => one.status === "running" && !running.isSettled(one));
    const requests = [
      await this.#lists.canList("running"),
      readsRunningData,
      ...(await Promise.all(UNCHANGING.map(async (status) => await this.#mayConfirm(status)))),
    ];
    return requests.filter(Boolean).length;
  }

  /** @param onListed @see RunningReader.read */
  async readRunning(onListed: () => void): Promise<void> {
    const { store, window } = this.#session.options;
    const unread = new Set(store.executions.unreadRunningIn(window));
    const known = new Set(this.#known.unfinished.map(({ id }) => id).filter((id) => !unread.has(id)));
    await this.running.read(known, onListed);
  }

  /** Reads the data of executions that a look has just seen running. */
  async readKnownRunning(): Promise<void> {
    await this.running.readListed(this.#known.unfinished.filter(({ status }) => status === "running"));
  }

  /** @param seen ids of executions that a look has just found unchanged */
  confirmSeen(seen: ReadonlySet<string>): void {
    for (const { id, status } of this.#known.unfinished)
      if (seen.has(id) && this.#needsNoReading(id, status)) this.#ledger.confirm(id);
  }

  /** An n8n that does not filter by the status `new` shows executions that have not begun among all others. */
  confirmListed({ items, unread }: Pick<ListedPage, "items" | "unread">): void {
    const notBegun = items.filter(({ id, status }) => status === "new" && !unread.has(id));
    this.confirmSeen(new Set(notBegun.map(({ id }) => id)));
  }

  /** A scan with `ownReads` must read queued executions itself. */
  #needsNoReading(id: string, status: string): boolean {
    const { ownReads } = this.#session.options;
    return status === "waiting" || (status === "new" && (ownReads === null || ownReads.hasReadQueued(id)));
  }

  /** Reads executions that had not ended when they were last read and that this scan has not seen. */
  async readChanged(): Promise<void> {
    const ledger = this.#ledger;
    const left = (await this.#unseen()).map(({ id }) => id);
    const again = new Set([...ledger.toReadById, ...this.#restored, ...left, ...this.#forgottenOfOwn]);
    const changed = [...again].filter((id) => !ledger.current.has(id));
    await this.#readEach(changed);
    if (this.#session.stop !== null) return;
    const { clock, slowReads } = this.#session.options;
    await this.#retry(slowReads.due(this.#unseenUnread, clock.now()).slice(0, MAX_SINGLE_READS));
    await this.#retryOwn();
    await ledger.checkpoint();
  }

  /** Executions that were unfinished when this search last saw them, and whose rows were deleted since to make room. */
  get #forgottenOfOwn(): readonly string[] {
    const { ownReads, store, window } = this.#session.options;
    const ids = [...(ownReads?.unfinished ?? [])].filter((id) => ownReads?.unread.has(id) !== true);
    if (ids.length === 0) return [];
    const rows = [...this.#known.unfinished, ...store.executions.listedIn(window, singleIds(ids))];
    const known = new Set(rows.map(({ id }) => id));
    return ids.filter((id) => !known.has(id));
  }

  /** Reads executions that continued during this scan, as another scan saw: they may have been on none of its pages. */
  async readContinued(): Promise<void> {
    const { store, window, ownReads } = this.#session.options;
    const now = new Map(store.executions.unfinishedIn(window).map((one) => [one.id, one]));
    const isAsItWas = ({ id, status, stoppedAt }: TracedExecution): boolean =>
      now.get(id)?.status === status && now.get(id)?.stoppedAt === stoppedAt;
    const continued = this.#known.unfinished.filter((one) => !isAsItWas(one)).map(({ id }) => id);
    const ended = store.executions.listedIn(window, singleIds(continued));
    const read = new Set(ended.filter((one) => ownReads?.hasRead(one, []) === true).map(({ id }) => id));
    await this.#readEach(continued.filter((id) => !read.has(id)));
    await this.#ledger.checkpoint();
  }

  /** Executions that continued after they were listed, one by one. */
  async #readEach(ids: readonly string[]): Promise<void> {
    const { clock, slowReads, store } = this.#session.options;
    const due = new Set(slowReads.due(ids, clock.now()));
    const tooSlow = "n8n took too long to return it: it is requested again later";
    for (const id of ids) if (!due.has(id)) this.#ledger.unreadable(id, tooSlow);
    const left = Math.max(0, due.size - MAX_SINGLE_READS);
    const were = counted(left, "unfinished execution was", "unfinished executions were");
    if (left > 0) this.#ledger.skip(`${were} not checked again: each further call checks some`);
    for (const id of store.singleReadTimes.longestAgoFirst([...due]).slice(0, MAX_SINGLE_READS)) {
      if (this.#session.mustStop()) return;
      await this.#lists.readAgain(id, "it continued, and ");
    }
  }

  /**
   * Unfinished executions that were not seen yet. Queued ones have a reader of their own; until it is known whether n8n
   * queues, two are requested here. Those of an unknown shape, without even a workflow, are requested with the unread.
   */
  async #unseen(): Promise<readonly TracedExecution[]> {
    const { capabilities } = this.#session.options;
    const known = this.#known.unfinished
      .slice(0, MAX_UNFINISHED)
      .filter((one) => !this.running.mayRun(one) && !this.#isBelowListed(one) && one.workflowId !== "");
    const { queues } = await capabilities.get();
    if (queues === false || this.#session.hidesExecutions) return known;
    const { current } = this.#ledger;
    const isQueued = ({ id, status }: TracedExecution): boolean => status === "new" && !current.has(id);
    const asked = queues === true ? [] : known.filter(isQueued).slice(0, MAX_QUEUED_READS);
    return [...known.filter((one) => !isQueued(one)), ...asked];
  }

  /** True if it was not listed because the list was too long: it may be unchanged. */
  #isBelowListed({ id, status }: TracedExecution): boolean {
    return isNewer(this.#listedDownTo.get(status) ?? "0", id);
  }

  /** Confirms the known executions that are unchanged: those that wait and those that have not begun. */
  async confirmUnchanged(): Promise<void> {
    await mapConcurrently(UNCHANGING, UNCHANGING.length, async (status) => await this.#confirm(status));
  }

  async #confirm(status: (typeof UNCHANGING)[number]): Promise<void> {
    if (!(await this.#mayConfirm(status))) return;
    const { items, isWhole } = await this.#lists.allOf(status, this.#longListLimits());
    this.#listedDownTo.set(status, isWhole ? "0" : (items.at(-1)?.id ?? "0"));
    if (this.#known.unfinished.some((one) => one.status === status && this.#isBelowListed(one)))
      this.#ledger.skip(TOO_MANY_UNFINISHED);
    const changed = this.#ranges.changedOf(items);
    this.#noteRestored(items.filter(({ id }) => changed.has(id)));
    // Of unread executions only the state is known, which confirms nothing.
    const unread = new Set(this.#known.unread);
    for (const { id } of items)
      if (!changed.has(id) && !unread.has(id) && this.#needsNoReading(id, status)) this.#ledger.confirm(id);
  }

  /** Ended executions that wait again, because n8n was restored from a backup. No page shows skipped ranges. */
  #noteRestored(changed: readonly ExecutionListItem[]): void {
    const { window } = this.#session.options;
    const unfinished = new Set(this.#known.unfinished.map(({ id }) => id));
    const isInKnownRange = (id: string): boolean =>
      this.#known.stretches.some((stretch) => isInside(id, stretch));
    const ids = changed
      .filter((item) => isInWindow(window, item) && !unfinished.has(item.id) && isInKnownRange(item.id))
      .map(({ id }) => id);
    this.#ledger.watch(ids);
    this.#restored.push(...ids);
  }

  /** False for `new` if n8n queues: queued executions are in no list. */
  async #mayConfirm(status: (typeof UNCHANGING)[number]): Promise<boolean> {
    const isKnown = this.#known.unfinished.some((one) => one.status === status);
    if (!isKnown || !(await this.#lists.canList(status))) return false;
    return status === "waiting" || (await this.#session.options.capabilities.get()).queues !== true;
  }

  get #unseenUnread(): readonly string[] {
    const statuses = new Map(this.#known.unfinished.map(({ id, status }) => [id, status]));
    return this.#known.unread.filter(
      (id) => !this.#ledger.current.has(id) && !this.running.mayRun({ id, status: statuses.get(id) ?? "" }),
    );
  }

  /** Requests again the executions that n8n failed to return, until it has failed several times. */
  async #retry(ids: readonly string[]): Promise<void> {
    let failures = 0;
    for (const id of ids) {
      if (failures >= MAX_UNREAD_FAILURES || this.#session.mustStop()) return;
      const outcome = await this.#session.readOne(id);
      if (outcome === "gone") this.#ledger.noteDeleted(id);
      else if (outcome !== "read") {
        failures += 1;
        this.#session.options.ownReads?.noteUnread(id);
      }
    }
  }

  /** Retries of this search do not count towards its limit, so that it still advances. */
  async #retryOwn(): Promise<void> {
    if (this.#unreadOfOwn.length === 0) return;
    const { ownReads } = this.#session.options;
    const hidden = this.#ranges.hiddenOf(this.#unreadOfOwn);
    const ids = this.#unreadOfOwn.filter((id) => !hidden.has(id) && !this.running.mayRun({ id, status: "" }));
    const unread = (): string[] => ids.filter((id) => ownReads?.unread.has(id) === true);
    await this.#retry(unread().slice(0, MAX_SINGLE_READS));
    const left = unread().length;
    if (left > 0)
      this.#ledger.skip(
        `n8n failed to return ${counted(left, "execution")}: each further call requests some again`,
      );
  }
}
