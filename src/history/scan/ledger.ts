/**
 * What a scan has read but not stored yet, and what it could not read.
 *
 * Promises: everything read is stored at the next checkpoint, in order of arrival; listed executions that could not be
 * read are stored as unread. Memory use does not grow with the number of executions.
 */
import { type ExecutionListItem, UNKNOWN_SHAPE } from "../../n8n/schemas.ts";
import { counted } from "../../platform/counted.ts";
import type { Reading, ReadingEvents } from "../reading/reading.ts";
import { toMemorable } from "../reading/to-memorable.ts";
import type { MemorableExecution } from "../store/memorable-execution.ts";
import { hasEnded, toUnreadExecution } from "../store/traced-execution.ts";
import type { ScanRanges } from "./ranges.ts";
import type { ScanOptions, SkippedExecution } from "./scan-options.ts";
import { isInWindow } from "./window.ts";

export class ScanLedger implements ReadingEvents {
  /** Ids of executions that were listed before they ended; they are requested by id unless a page shows them. */
  readonly toReadById: string[] = [];
  readonly #options: ScanOptions;
  readonly #ranges: ScanRanges;
  readonly #skipped: SkippedExecution[] = [];
  readonly #expected = new Map<string, ExecutionListItem>();
  readonly #watched = new Set<string>();
  readonly #current = new Set<string>();
  #executions: MemorableExecution[] = [];
  #deleted: { readonly id: string; readonly askedAt: number }[] = [];
  #empty: string[] = [];
  #read = 0;
  #vanished = 0;
  #back: string | null = null;

  constructor(options: ScanOptions, ranges: ScanRanges) {
    this.#options = options;
    this.#ranges = ranges;
  }

  get readCount(): number {
    return this.#read;
  }

  /** Ids of unfinished or watched executions that are known to be unchanged since they were stored. */
  get current(): ReadonlySet<string> {
    return this.#current;
  }

  get skipped(): readonly SkippedExecution[] {
    if (this.#vanished === 0) return this.#skipped;
    const count = counted(this.#vanished, "execution was", "executions were");
    const reason = `${count} deleted by n8n before it could be read`;
    return [...this.#skipped, { executionId: null, reason }];
  }

  expect(items: Iterable<ExecutionListItem>): void {
    for (const item of items) this.#expected.set(item.id, item);
  }

  /** Once read, these executions are `current`, even if they have ended. */
  watch(ids: Iterable<string>): void {
    for (const id of ids) this.#watched.add(id);
  }

  confirm(id: string): void {
    this.#current.add(id);
  }

  read(reading: Reading): void {
    const { execution } = reading;
    this.#read += 1;
    this.#expected.delete(execution.id);
    this.#options.ownReads?.noteRead(execution);
    if (!hasEnded(execution) || this.#watched.has(execution.id)) this.#current.add(execution.id);
    if (execution.startedAt !== null) this.#back = execution.startedAt;
    this.#executions.push(toMemorable(reading, this.#options.digest));
    if (isInWindow(this.#options.window, execution)) this.#options.onRead(reading);
  }

  unreadable(id: string | null, reason: string): void {
    const item = id === null ? undefined : this.#expected.get(id);
    if (id !== null) this.#options.ownReads?.noteUnread(id);
    if (item === undefined) this.skip(reason, id);
    else this.#noteUnread(item, reason);
  }

  /** Only an ended execution is gone for good; an unfinished one may be running now, and is then only in that list. */
  vanished(id: string): void {
    const item = this.#expected.get(id);
    if (item !== undefined && !hasEnded(item)) {
      this.requestById(item, "it continued before it was read");
      return;
    }
    this.#vanished += 1;
    this.noteDeleted(id);
  }

  /** The execution may be on no further page: it is requested by its id unless the scan sees it. */
  requestById(item: ExecutionListItem, problem: string): void {
    this.#noteUnread(item, problem);
    this.toReadById.push(item.id);
    this.#watched.add(item.id);
  }

  #noteUnread(item: ExecutionListItem, problem: string): void {
    const execution = toUnreadExecution(item);
    const nothing = { correlations: [], otherIds: null, facts: null, termFilter: null };
    this.#executions.push({ execution, problem, ...nothing });
  }

  /** Listed with an unknown shape, so nothing else is known of it. Each look reports it until it can be read. */
  unrecognized(id: string | null): void {
    const nothing = { startedAt: null, stoppedAt: null, waitTill: null, retryOf: null, retrySuccessId: null };
    if (id === null) this.skip(UNKNOWN_SHAPE);
    else this.#noteUnread({ id, workflowId: "", status: "unknown", mode: "", ...nothing }, UNKNOWN_SHAPE);
  }

  /** @param askedAt epoch ms of the request: another scan may have read the execution since */
  noteDeleted(id: string, askedAt = this.#options.clock.now()): void {
    this.#deleted.push({ id, askedAt });
    this.#options.ownReads?.forgetExecution(id);
  }

  /** The id has no execution, and will never have one. */
  noteEmpty(id: string): void {
    this.#empty.push(id);
  }

  skip(reason: string, executionId: string | null = null): void {
    this.#skipped.push({ executionId, reason });
  }

  /** Stores what was read since the last checkpoint, with its claims, and reports progress. */
  async checkpoint(): Promise<void> {
    if (this.storePending()) await this.#options.onPage(this.#read, this.#back);
  }

  /** A `checkpoint` without a progress report. @returns false if there was nothing to store */
  storePending(): boolean {
    const [executions, deleted, empty] = [this.#executions, this.#deleted, this.#empty];
    const { claims, epoch } = this.#ranges.takeClaims();
    if (executions.length + deleted.length + empty.length + claims.length === 0) return false;
    [this.#executions, this.#deleted, this.#empty] = [[], [], []];
    const { store, clock } = this.#options;
    store.keep({ executions, deleted, empty, claims, epoch }, clock.now());
    return true;
  }
}
