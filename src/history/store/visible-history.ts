/** The history of one n8n as one view shows it: the source of all answers. */
import type { View } from "../../n8n/view.ts";
import type { Queryable } from "../../platform/sql.ts";
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

/** Replaces a sentence that counts executions of any workflow. */
const NOT_ALL_READ = "some executions whose workflow is not known could not be read";

export class VisibleHistory {
  readonly view: View;
  readonly sql: IndexReader<NarrowedSql>;
  readonly executions: VisibleExecutions;
  readonly requests: KnownRequests;
  readonly counts: VisibleCounts;
  readonly #queue: KnownQueue;

  constructor(sql: Queryable, queue: KnownQueue, counts: ExecutionCounts, view: View) {
    this.view = view;
    this.sql = new IndexReader(new NarrowedSql(sql, view, counts));
    this.executions = new VisibleExecutions(this.sql);
    this.requests = new KnownRequests(this.sql, this.executions);
    this.counts = new VisibleCounts(this.sql, counts);
    this.#queue = queue;
  }

  get isWhole(): boolean {
    return this.view.ids === null;
  }

  /** Null for a restricted view: queued executions may belong to any workflow. */
  get queue(): QueueFacts | null {
    return this.isWhole ? this.#queue.facts() : null;
  }

  /** Unread executions in n8n's queue, and when they were counted. */
  get unreadInQueue(): KnownQueue["lastLook"] {
    return this.#queue.lastLook;
  }

  queuedBefore(id: string): number {
    return this.isWhole ? this.#queue.before(id) : 0;
  }

  /**
   * One sentence if executions without a known workflow, which a restricted view does not show, may belong to a visible
   * one: their shape is unknown, as from a newer n8n.
   * @param downTo the lowest id in question
   */
  ofUnknownWorkflow(downTo: string): Named[] {
    if (this.isWhole || !this.executions.hasOfUnknownWorkflow(downTo)) return [];
    return [{ executionId: null, reason: NOT_ALL_READ }];
  }

  /** Removes hidden executions, the ids of those that may be hidden, and counts of them. */
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
