/**
 * Executions that have not ended: running ones, which are in no list but their own; waiting ones, which wake up;
 * and those that an earlier scan could not read. What is known of them may not hold any more.
 */
import { ObserverError } from "../errors.ts";
import type { ExecutionQuery, ListedExecutions } from "../n8n/client.ts";
import type { ExecutionListItem, ExecutionStatus } from "../n8n/schemas.ts";
import { mayPass, withRetries } from "./back-off.ts";
import { type KnownHistory, MAX_UNENDED } from "./execution-memory.ts";
import { isInWindow } from "./listing.ts";
import { type ReadOptions, readOne, readPage } from "./read-executions.ts";
import type { ScanLedger } from "./scan-ledger.ts";
import type { TraceWindow } from "./trace-window.ts";
import type { TracedExecution } from "./traced-execution.ts";

const MAX_RUNNING = 100;
const MAX_WAITING = 250;
/** Executions that went on since they were read, and are asked for one by one. */
const MAX_SINGLE_READS = 100;
/** Of executions that n8n failed to give before: then it fails still. */
const MAX_UNREAD_FAILURES = 5;

export interface UnendedOptions extends ReadOptions {
  readonly window: TraceWindow;
  readonly ledger: ScanLedger;
  /** Asks n8n for one page without data. */
  readonly list: (query: ExecutionQuery) => Promise<ListedExecutions>;
  /** Of what n8n lists, the ids that are not as they are remembered. */
  readonly changedOf: (items: readonly ExecutionListItem[]) => Promise<ReadonlySet<string>>;
  /** True once the scan has to end. */
  readonly mustStop: () => boolean;
}

export class UnendedReader {
  readonly #options: UnendedOptions;
  #running: readonly ExecutionListItem[] = [];
  /** False when executions run that were not seen: they may end inside of what would be claimed. */
  isWhole = true;

  constructor(options: UnendedOptions) {
    this.#options = options;
  }

  #query(status: ExecutionStatus, limit: number, cursor?: string): ExecutionQuery {
    return { workflowId: this.#options.window.workflowId ?? undefined, status, limit, cursor };
  }

  /** To be called before anything else is listed: what ends after it is in the other lists. */
  async listRunning(): Promise<void> {
    const { list, ledger, window } = this.#options;
    const { executions, nextCursor } = await list(this.#query("running", MAX_RUNNING));
    this.isWhole = nextCursor === null;
    if (!this.isWhole)
      ledger.skip(null, `more than ${MAX_RUNNING} executions are running; the newest were read`);
    this.#running = executions.filter((item) => isInWindow(item, window));
    ledger.expect(this.#running);
    ledger.watch(this.#running.map(({ id }) => id));
  }

  /** Their data changes as they run, so they are read each time. */
  async readRunning(): Promise<void> {
    if (this.#running.length === 0) return;
    const { clock, deadline, ledger } = this.#options;
    const query = this.#query("running", MAX_RUNNING);
    try {
      await withRetries(async () => await readPage(query, this.#options, ledger), clock, deadline);
    } catch (error) {
      if (!mayPass(error)) throw error;
    }
    await this.#readLeft();
    await ledger.checkpoint();
  }

  /** Those that were listed, and have ended since, or at which n8n failed. What is not read now is read later. */
  async #readLeft(): Promise<void> {
    const { ledger, mustStop } = this.#options;
    for (const { id } of this.#running.filter((item) => !ledger.current.has(item.id))) {
      if (mustStop()) ledger.unreadable(id, "the scan ended before it was read");
      else await this.#readAgain(id);
    }
  }

  /** What the scan is going to ask about at its end. */
  watch({ unended, unread }: KnownHistory): void {
    const { ledger } = this.#options;
    if (unended.length > MAX_UNENDED)
      ledger.skip(null, `more than ${MAX_UNENDED} executions had not ended; the oldest were not read again`);
    ledger.watch([...unended.map(({ id }) => id), ...unread]);
  }

  /** Executions that had not ended when they were read, and that no list of this scan has shown. */
  async readChanged({ unended, unread }: KnownHistory): Promise<void> {
    const { ledger, mustStop } = this.#options;
    const isRunning = new Set(this.#running.map(({ id }) => id));
    const left = unended
      .slice(0, MAX_UNENDED)
      .filter(({ id }) => !ledger.current.has(id) && !isRunning.has(id));
    const waiting = left.filter(({ status }) => status === "waiting");
    const others = left.filter(({ status }) => status !== "waiting").map(({ id }) => id);
    const again = [...ledger.wentOn, ...others, ...(await this.#awake(waiting))];
    const changed = [...new Set(again)].filter((id) => !ledger.current.has(id));
    if (changed.length > MAX_SINGLE_READS)
      ledger.skip(null, `${changed.length - MAX_SINGLE_READS} executions went on since they were read`);
    for (const id of changed.slice(0, MAX_SINGLE_READS)) {
      if (mustStop()) return;
      await this.#readAgain(id);
    }
    await this.#readUnread(unread);
    await ledger.checkpoint();
  }

  /** Those of the known sleepers that do not sleep the same sleep any more. */
  async #awake(waiting: readonly TracedExecution[]): Promise<string[]> {
    if (waiting.length === 0) return [];
    const { list, ledger, changedOf } = this.#options;
    let cursor: string | undefined;
    for (let listed = 0; listed < MAX_UNENDED; listed += MAX_WAITING) {
      const { executions, nextCursor } = await list(this.#query("waiting", MAX_WAITING, cursor));
      const changed = await changedOf(executions);
      for (const { id } of executions) if (!changed.has(id)) ledger.confirm(id);
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    return waiting.filter(({ id }) => !ledger.current.has(id)).map(({ id }) => id);
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
      if (error.code === "EXECUTION_NOT_FOUND") this.#options.ledger.forget(id);
      else if (mayPass(error)) return error;
      else throw error;
    }
    return null;
  }
}
