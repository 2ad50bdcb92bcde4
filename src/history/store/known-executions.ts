/** Looks up known executions by id or by window: their facts, the unfinished ones, the unread ones. */
import { type ExecutionFacts, executionFacts } from "../../executions/execution-facts.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import type { Milestone } from "../report/index-report.ts";
import type { IdRange } from "./gaps.ts";
import type { IndexDatabase } from "./index-database.ts";
import { MAX_UNFINISHED, MAY_CONTINUE, UNFINISHED } from "./tables.ts";
import { IN_WINDOW, type TraceWindow, windowBindings } from "./trace-window.ts";
import { executionRow, type TracedExecution, tracedExecution } from "./traced-execution.ts";

/** More than one look requests again, so that those that n8n never returns do not hide others. */
const MAX_UNREAD = 5_000;

const itemRow = executionRow.omit({
  failingNode: true,
  failedAtCall: true,
  errorFingerprint: true,
  workflowName: true,
  parentId: true,
  unknownParentWorkflowId: true,
  mcpTrigger: true,
});
const startRow = tracedExecution.pick({ id: true, startedAt: true });

export class KnownExecutions {
  readonly #database: IndexDatabase;

  constructor(database: IndexDatabase) {
    this.#database = database;
  }

  /** Null if the execution is not known or was not read. */
  factsOf(id: string): ExecutionFacts | null {
    return this.#database.executions(executionFacts, "WHERE id = ? AND is_read = 1", id)[0] ?? null;
  }

  /** ISO 8601; null if the execution is not known or has not begun. */
  startOf(id: string): string | null {
    return this.#database.executions(startRow, "WHERE id = ?", id)[0]?.startedAt ?? null;
  }

  /** How many ended executions are known below the id, counted up to `most`. */
  endedBelow(id: string, most: number): number {
    const where = `WHERE id < CAST(? AS INTEGER) AND status NOT IN ${UNFINISHED} LIMIT ?`;
    return this.#database.executionIds(where, id, most).length;
  }

  /** The lowest id above this one whose execution has begun. */
  begunAbove(id: string): string | undefined {
    const where =
      "WHERE executions.id > CAST(? AS INTEGER) AND status <> 'new' ORDER BY executions.id LIMIT 1";
    return this.#database.executionIds(where, id)[0];
  }

  get newest(): Milestone | null {
    return this.#database.executions(startRow, "ORDER BY executions.id DESC LIMIT 1")[0] ?? null;
  }

  /** Executions of the window that may continue: started ones first, newest first; up to one more than the limit. */
  unfinishedIn(window: TraceWindow): TracedExecution[] {
    return this.#database
      .executions(
        executionRow,
        `WHERE ${IN_WINDOW} AND ${MAY_CONTINUE} AND is_deleted = 0
         ORDER BY status = 'new', executions.id DESC LIMIT ${MAX_UNFINISHED + 1}`,
        ...windowBindings(window),
      )
      .map((execution) => ({ ...execution, subExecutions: [] }));
  }

  /** The newest ids of the window that n8n listed but failed to return. */
  unreadIn(window: TraceWindow): string[] {
    return this.#database.executionIds(
      `WHERE ${IN_WINDOW} AND is_read = 0 ORDER BY executions.id DESC LIMIT ${MAX_UNREAD}`,
      ...windowBindings(window),
    );
  }

  /** Ids of executions of the window that are known as running and were never read. */
  unreadRunningIn(window: TraceWindow): string[] {
    return this.#database.executionIds(
      `WHERE ${IN_WINDOW} AND is_read = 0 AND status = 'running'`,
      ...windowBindings(window),
    );
  }

  /** Executions of the window that n8n still has, newest first. Without running ones, which are read each time. */
  listedIn(window: TraceWindow, ranges: readonly IdRange[]): ExecutionListItem[] {
    return this.#database.executions(
      itemRow,
      `WHERE ${IN_WINDOW} AND is_deleted = 0 AND (status = 'waiting' OR NOT (${MAY_CONTINUE}))
       AND id IN (SELECT known.id FROM json_each(?4) AS asked CROSS JOIN executions AS known
         ON known.id BETWEEN CAST(asked.value ->> 'low' AS INTEGER) AND CAST(asked.value ->> 'high' AS INTEGER))
       ORDER BY executions.id DESC`,
      ...windowBindings(window),
      JSON.stringify(ranges),
    );
  }
}
