/**
 * The executions that n8n has accepted but not begun: those that were read, and the ids that are known to be taken but
 * were not read yet. n8n lists none of them in queue mode.
 */
import * as z from "zod";
import { isNewer } from "../../platform/id-order.ts";
import type { QueueFacts } from "../report/index-report.ts";
import { countOf, type IdRange } from "./gaps.ts";
import type { IndexDatabase } from "./index-database.ts";
import { UNFINISHED } from "./tables.ts";
import { tracedExecution } from "./traced-execution.ts";

/** SQLite uses the index of unfinished executions only if its condition appears literally. */
const unfinishedWith = (status: string): string => `status IN ${UNFINISHED} AND status = '${status}'`;

const look = z.object({
  /** The highest id that exists. */
  top: z.string(),
  /** The lowest id that may be queued: it was not requested, or can still get an execution. */
  from: z.string(),
  /** An id above `top` that does not exist yet; null while none is known. */
  above: z.string().nullable(),
  /** True if `top` is the highest: no requested id above it exists. */
  isEnd: z.boolean().default(false),
  /** The number of unknown ids up to `top`, and of executions that may have begun since they were read. */
  unread: z.number(),
  /** When the scan began, epoch ms: what it read is newer, what it listed may not be. */
  at: z.number(),
});
export type QueueLook = z.infer<typeof look>;

const queuedRow = tracedExecution.pick({ id: true, workflowId: true, acceptedAt: true });
export type QueuedExecution = z.infer<typeof queuedRow>;
const begunRow = tracedExecution.pick({ id: true, startedAt: true });
const countRow = z.object({ count: z.number() });

export class KnownQueue {
  readonly #database: IndexDatabase;
  #looksBegun = 0;
  #lastNoted = 0;

  constructor(database: IndexDatabase) {
    this.#database = database;
  }

  /** Executions that had not begun when they were read, oldest first. */
  get queued(): readonly QueuedExecution[] {
    return this.#database.executions(
      queuedRow,
      `WHERE ${unfinishedWith("new")} AND is_deleted = 0 ORDER BY executions.id`,
    );
  }

  /** The newest execution that has begun. */
  get newestBegun(): z.infer<typeof begunRow> | null {
    const where = "WHERE status <> 'new' AND is_deleted = 0 ORDER BY executions.id DESC LIMIT 1";
    return this.#database.executions(begunRow, where)[0] ?? null;
  }

  get lastLook(): QueueLook | null {
    return this.#database.factOf("queue", look) ?? null;
  }

  /** @returns the sequence number of this look */
  beginLook(): number {
    this.#looksBegun += 1;
    return this.#looksBegun;
  }

  /** An empty queue is written once. @param look see `beginLook`: an older look than the last noted one is ignored */
  note(seen: QueueLook, look: number): void {
    if (look < this.#lastNoted) return;
    this.#lastNoted = look;
    const before = this.lastLook;
    if (
      before?.top === seen.top &&
      before.from === seen.from &&
      before.isEnd === seen.isEnd &&
      before.unread + seen.unread + this.queued.length === 0
    )
      return;
    this.#database.setFact("queue", JSON.stringify(seen));
  }

  /** How often probes found no queue. */
  get emptyProbes(): number {
    return Number(this.#database.fact("empty queue probes") ?? 0);
  }

  set emptyProbes(count: number) {
    this.#database.setFact("empty queue probes", String(count));
  }

  /** How many executions are running, counted up to `most`. */
  countRunning(most: number): number {
    const where = `WHERE ${unfinishedWith("running")} AND is_deleted = 0 LIMIT ?`;
    return this.#database.executionIds(where, most).length;
  }

  /** True if ids of the range have no execution. */
  hasHoles(range: IdRange): boolean {
    return this.#knownIn(range) < countOf([range]);
  }

  /** How many executions are known or assumed to wait before this one. */
  before(id: string): number {
    const where = `WHERE ${unfinishedWith("new")} AND is_deleted = 0 AND id < CAST(? AS INTEGER)`;
    const rows = this.#count(where, id);
    const { top = "0", unread = 0 } = this.lastLook ?? {};
    if (unread === 0 || isNewer(id, top)) return rows;
    const above = { high: top, low: id };
    return rows + Math.max(0, unread - countOf([above]) + this.#knownIn(above));
  }

  #knownIn({ high, low }: IdRange): number {
    return this.#count("WHERE id BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)", low, high);
  }

  #count(where: string, ...ids: string[]): number {
    return this.#database.row(countRow, `SELECT COUNT(*) AS count FROM executions ${where}`, ...ids).count;
  }

  /** Null when nothing waits. */
  facts(): QueueFacts | null {
    const { queued, lastLook } = this;
    const unread = lastLook?.unread ?? 0;
    if (queued.length + unread === 0) return null;
    return {
      length: queued.length + unread,
      isAtLeast: lastLook?.isEnd === false,
      unread,
      oldestSince: queued[0]?.acceptedAt ?? null,
      lastBegunAt: this.newestBegun?.startedAt ?? null,
      seenAt: lastLook === null ? null : new Date(lastLook.at).toISOString(),
    };
  }

  /** Call this if n8n has a different history. */
  forget(): void {
    this.#database.forgetFacts("queue");
  }
}
