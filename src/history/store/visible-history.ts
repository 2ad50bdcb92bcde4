/** What is known of one n8n's history, as one view shows it: all that a question may be answered from. */
import type { View } from "../../n8n/view.ts";
import type { Sql } from "../../platform/sql.ts";
import type { QueueFacts } from "../report/index-report.ts";
import type { ExecutionCounts } from "./execution-counts.ts";
import { IndexReader } from "./index-database.ts";
import type { KnownQueue } from "./known-queue.ts";
import { KnownRequests } from "./known-requests.ts";
import { NarrowedSql } from "./narrowed-sql.ts";
import { VisibleCounts } from "./visible-counts.ts";
import { VisibleExecutions } from "./visible-executions.ts";

interface Named {
  readonly executionId: string | null;
  readonly reason: string;
}

/** Instead of a sentence that counts executions of any workflow. */
const NOT_ALL_READ = "not everything that may be of any workflow could be read";

export class VisibleHistory {
  readonly view: View;
  readonly sql: NarrowedSql;
  readonly executions: VisibleExecutions;
  readonly requests: KnownRequests;
  readonly counts: VisibleCounts;
  readonly #queue: KnownQueue;

  constructor(sql: Sql, queue: KnownQueue, counts: ExecutionCounts, view: View) {
    this.view = view;
    this.sql = new NarrowedSql(sql, view, counts);
    const database = new IndexReader(this.sql);
    this.executions = new VisibleExecutions(database);
    this.requests = new KnownRequests(database, this.executions);
    this.counts = new VisibleCounts(database, counts);
    this.#queue = queue;
  }

  get isWhole(): boolean {
    return this.view.ids === null;
  }

  /** Null for a caller who does not see all: what waits may be of any workflow. */
  get queue(): QueueFacts | null {
    return this.isWhole ? this.#queue.facts() : null;
  }

  /** Whether executions wait in n8n's queue that were not read, and when that was seen. */
  get unreadInQueue(): KnownQueue["lastLook"] {
    return this.#queue.lastLook;
  }

  queuedBefore(id: string): number {
    return this.isWhole ? this.#queue.before(id) : 0;
  }

  /**
   * A sentence if executions whose workflow is not known may be of one that is seen, and a restricted view has none of
   * them: their shape is unknown, as that of a newer n8n's.
   * @param downTo the lowest id that is asked about
   */
  ofUnknownWorkflow(downTo: string): Named[] {
    if (this.isWhole || !this.executions.hasOfUnknownWorkflow(downTo)) return [];
    return [{ executionId: null, reason: NOT_ALL_READ }];
  }

  /** Leaves out what is hidden, the ids of what may be, and how many of them there are. */
  named<One extends Named>(all: readonly One[]): One[] {
    if (this.isWhole) return [...all];
    return all.flatMap((one) => {
      const { executionId: id } = one;
      if (id === null) return [/\b\d/.test(one.reason) ? { ...one, reason: NOT_ALL_READ } : one];
      if (this.executions.withIds([id]).length > 0) return [one];
      return this.executions.isUnknown(id) ? [{ ...one, executionId: null }] : [];
    });
  }
}
