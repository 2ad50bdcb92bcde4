/**
 * What a scan has learnt and not kept yet, and what it could not look at.
 *
 * Promises: everything that is read is kept with the next checkpoint, in the order in which it came; what was
 * listed and could not be read is kept as such. Its own memory does not grow with what is read.
 */

import type { ExecutionListItem } from "../../n8n/schemas.ts";
import type { Clock } from "../../platform/clock.ts";
import { counted } from "../../platform/counted.ts";
import type { Reading, ReadingEvents } from "../reading/read-executions.ts";
import { toMemorable } from "../reading/to-memorable.ts";
import type { CorrelationDigest } from "../request-ids/correlation-digest.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import type { Scope } from "../store/known-stretches.ts";
import type { Checkpoint, MemorableExecution } from "../store/memorable-execution.ts";
import type { Stretch } from "../store/stretches.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import { hasEnded, toUnreadExecution } from "../store/traced-execution.ts";
import { isInWindow } from "./listing.ts";

export interface LedgerOptions {
  readonly store: ExecutionStore;
  readonly clock: Clock;
  readonly digest: CorrelationDigest;
  readonly window: TraceWindow;
  /** Told of each execution of the window as it is read. */
  readonly onRead: (reading: Reading) => void;
  /** Told after each page: how many were read in this call, and the start of the last one, ISO 8601. */
  readonly onPage: (read: number, back: string | null) => Promise<void>;
}

/** Something that could not be looked at, and why. */
export interface SkippedExecution {
  readonly executionId: string | null;
  readonly reason: string;
}

export class ScanLedger implements ReadingEvents {
  /** Listed as not ended, and in no page: they went on meanwhile. */
  readonly wentOn: string[] = [];
  /** Of the history: what was passed over was known in it. */
  epoch = 0;
  readonly #options: LedgerOptions;
  readonly #skipped: SkippedExecution[] = [];
  /** Listed, and not read yet. */
  readonly #expected = new Map<string, ExecutionListItem>();
  readonly #watched = new Set<string>();
  readonly #current = new Set<string>();
  #executions: MemorableExecution[] = [];
  #deleted: string[] = [];
  #empty: string[] = [];
  #claims: Checkpoint["claims"][number][] = [];
  #mayClaim = true;
  #read = 0;
  #vanished = 0;
  #back: string | null = null;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** How many executions were read. */
  get readCount(): number {
    return this.#read;
  }

  /** Ids of executions that had not ended, or are watched, and are known to be as they are remembered. */
  get current(): ReadonlySet<string> {
    return this.#current;
  }

  get skipped(): readonly SkippedExecution[] {
    if (this.#vanished === 0) return this.#skipped;
    const count = counted(this.#vanished, "execution was", "executions were");
    const reason = `${count} deleted by n8n before it could be read`;
    return [...this.#skipped, { executionId: null, reason }];
  }

  /** What n8n's list tells of executions that are about to be read. */
  expect(items: Iterable<ExecutionListItem>): void {
    for (const item of items) this.#expected.set(item.id, item);
  }

  /** Of these it is noted when they are read. */
  watch(ids: Iterable<string>): void {
    for (const id of ids) this.#watched.add(id);
  }

  /** The execution is as it is remembered. */
  confirm(id: string): void {
    this.#current.add(id);
  }

  read(reading: Reading): void {
    const { execution } = reading;
    this.#read += 1;
    this.#expected.delete(execution.id);
    if (!hasEnded(execution) || this.#watched.has(execution.id)) this.#current.add(execution.id);
    if (execution.startedAt !== null) this.#back = execution.startedAt;
    this.#executions.push(toMemorable(reading, this.#options.digest));
    if (isInWindow(execution, this.#options.window)) this.#options.onRead(reading);
  }

  unreadable(id: string | null, reason: string): void {
    const item = id === null ? undefined : this.#expected.get(id);
    if (item === undefined) this.skip(id, reason);
    else this.#noteUnread(item, reason);
  }

  /** Only what had ended is gone for good: another one may run now, and be in no list but that of the running. */
  vanished(id: string): void {
    const item = this.#expected.get(id);
    if (item !== undefined && !hasEnded(item)) {
      this.mayGoOn(item, "it went on before it was read");
      return;
    }
    this.#vanished += 1;
    this.noteDeleted(id);
  }

  /** It may be in no page from now on: unless something shows it, it is asked for by its id. */
  mayGoOn(item: ExecutionListItem, problem: string): void {
    this.#noteUnread(item, problem);
    this.wentOn.push(item.id);
    this.#watched.add(item.id);
  }

  #noteUnread(item: ExecutionListItem, problem: string): void {
    const execution = toUnreadExecution(item);
    const nothing = { correlations: [], otherIds: null, facts: null, termFilter: null };
    this.#executions.push({ execution, problem, ...nothing });
  }

  noteDeleted(id: string): void {
    this.#deleted.push(id);
  }

  /** There is no execution under this id, and there will be none. */
  noteEmpty(id: string): void {
    this.#empty.push(id);
  }

  /** Something could not be looked at. */
  skip(executionId: string | null, reason: string): void {
    this.#skipped.push({ executionId, reason });
  }

  /** Every execution of the scope in this stretch is known, once what was read is kept. */
  claim(scope: Scope, stretch: Stretch): void {
    if (this.#mayClaim) this.#claims.push({ scope, stretch });
  }

  /** Nothing is claimed any more: what was believed turned out to be wrong. */
  forbidClaims(): void {
    this.#mayClaim = false;
    this.#claims = [];
  }

  /** Keeps what has come since the last time. */
  async checkpoint(): Promise<void> {
    const checkpoint: Checkpoint = {
      executions: this.#executions,
      deleted: this.#deleted,
      empty: this.#empty,
      claims: this.#claims,
      epoch: this.epoch,
    };
    const { executions, deleted, empty, claims } = checkpoint;
    if (executions.length + deleted.length + empty.length + claims.length === 0) return;
    this.#executions = [];
    this.#deleted = [];
    this.#empty = [];
    this.#claims = [];
    this.#options.store.keep(checkpoint, this.#options.clock.now());
    await this.#options.onPage(this.#read, this.#back);
  }
}
