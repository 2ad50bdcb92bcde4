/** The runs of each workflow that a digest reads from the index, in pages. No payload. */
import * as z from "zod";
import { EXECUTION_STATUSES } from "../../n8n/schemas.ts";
import type { SqlBinding, SqlRow, SqlValue } from "../../platform/sql.ts";
import type { IndexReader } from "../store/index-database.ts";
import type { NarrowedSql } from "../store/narrowed-sql.ts";
import { firstStart, UNFINISHED } from "../store/tables.ts";
import type { IdBounds } from "./id-bounds.ts";
import { FAILED, LACKS_DATA, triedOut } from "./row-conditions.ts";
import { isIn, iso, type RowSpan, type Run, type RunFailure, type Span, type WorkflowRuns } from "./run.ts";

const NOT_TRIED_OUT = `NOT ${triedOut("executions")}`;
const PAGE = 5_000;
/** Of the workflows run by hand, this many are read. */
const MAX_BY_HAND = 500;
/** About 100 bytes each: a tenth of an isolate's memory. */
const MAX_RUNS = 150_000;

const nameRow = z.object({ workflowId: z.string(), name: z.string() });
const countRow = z.object({ count: z.number() });

/** Takes workflow ?1. Executions canceled by a time limit count as failed, as in groups. */
const selectRuns = (
  isByText: boolean,
  which = NOT_TRIED_OUT,
): string => `SELECT CAST(id AS TEXT) AS id, workflow_id AS workflowId, mode,
    CASE WHEN ${FAILED} AND status = 'canceled' THEN 'error' ELSE status END AS status,
    ${firstStart("executions")} AS startedAt, stopped_at AS stoppedAt, wait_till AS waitTill, ${LACKS_DATA} AS lacksData, nodes, items,
    handled_errors + (id IN (SELECT id FROM judgements WHERE is_wrong = 1)) AS caught, version, ${FAILED} AS hasFailed,
    failing_node AS node, error_class AS errorClass, http_status AS httpStatus,
    ${isByText ? "error_host AS host, error_fingerprint AS cause" : "NULL AS host, NULL AS cause"}
  FROM executions WHERE (?1 IS NULL OR workflow_id = ?1) AND ${which} AND started_at IS NOT NULL`;

export interface ReadRuns {
  readonly workflows: readonly WorkflowRuns[];
  /** Runs before this were left out, epoch ms; null when none were. */
  readonly cutAt: number | null;
}

export class RunRows {
  readonly #sql: IndexReader<NarrowedSql>;
  readonly #ids: IdBounds;

  constructor(sql: IndexReader<NarrowedSql>, ids: IdBounds) {
    this.#sql = sql;
    this.#ids = ids;
  }

  /** Runs from the editor, and what they called. */
  triedOutCount({ workflowId, window }: RowSpan): number {
    const query = `SELECT COUNT(*) AS count FROM executions WHERE id >= CAST(?1 AS INTEGER)
      AND (?2 IS NULL OR workflow_id = ?2) AND started_at >= ?3 AND started_at < ?4 AND ${triedOut("executions")}`;
    const bindings = [this.#ids.lowestId(window.from), workflowId, iso(window.from), iso(window.to)];
    return this.#sql.row(countRow, query, ...bindings).count;
  }

  /** The newest run by hand in the window, per workflow. */
  byHand({ workflowId, window }: RowSpan): WorkflowRuns[] {
    const newest = this.#runs(
      `${selectRuns(false, "mode = 'manual'")} AND id IN (
         SELECT MAX(id) FROM executions WHERE id >= CAST(?2 AS INTEGER) AND mode = 'manual' GROUP BY workflow_id)
       ORDER BY executions.id DESC LIMIT ${MAX_BY_HAND}`,
      workflowId,
      this.#ids.lowestId(window.from),
    );
    return newest.filter(({ runs }) => runs.some(({ startedAt }) => isIn(window, startedAt)));
  }

  /** The newest runs of each workflow, not by hand: among them the newest by a trigger and the newest success. */
  lastOf(workflowIds: readonly string[], { from, to }: Span): WorkflowRuns[] {
    if (workflowIds.length === 0) return [];
    return this.#runs(
      `${selectRuns(false)} AND id IN (SELECT id FROM (
         SELECT id, MAX(started_at) FROM executions WHERE id >= CAST(?2 AS INTEGER) AND ${NOT_TRIED_OUT}
         AND started_at < ?4 AND workflow_id IN (SELECT value FROM json_each(?3))
         GROUP BY workflow_id, mode = 'trigger', status = 'success'))`,
      null,
      this.#ids.lowestId(from),
      JSON.stringify(workflowIds),
      iso(to),
    );
  }

  /** The newest `MAX_RUNS`, newest first. Pauses between pages, so that other tasks get a turn. */
  async newest(
    { workflowId, window }: RowSpan,
    usualFrom: number,
    isByText: boolean,
    pause: () => Promise<void>,
  ): Promise<ReadRuns> {
    const lowest = this.#ids.lowestId(usualFrom);
    const byWorkflow = new Map<string, Run[]>();
    let below: string | null = null;
    let read = 0;
    for (;;) {
      const rows: SqlRow[] = this.#sql.exec(
        `${selectRuns(isByText)} AND id >= CAST(?2 AS INTEGER) AND (?3 IS NULL OR id < CAST(?3 AS INTEGER))
         AND started_at >= ?4 AND started_at < ?5 ORDER BY executions.id DESC LIMIT ${PAGE}`,
        workflowId,
        lowest,
        below,
        iso(usualFrom),
        iso(window.to),
      );
      for (const row of rows) addRun(row, byWorkflow);
      read += rows.length;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return { workflows: listOf(byWorkflow), cutAt: null };
      if (read >= MAX_RUNS) return { workflows: listOf(byWorkflow), cutAt: timeOf(last.startedAt) };
      below = String(last.id);
      await pause();
    }
  }

  unfinished(workflowId: string | null): WorkflowRuns[] {
    return this.#runs(
      `${selectRuns(false)} AND status IN ${UNFINISHED} AND is_deleted = 0
       ORDER BY executions.id DESC LIMIT ${PAGE}`,
      workflowId,
    );
  }

  /** The last name of each workflow that has run since then or has an unfinished execution. */
  workflowNames(since: number): ReadonlyMap<string, string> {
    const rows = this.#sql.rows(
      nameRow,
      `SELECT workflowId, name, MAX(id) FROM (
         SELECT workflow_id AS workflowId, workflow_name AS name, id FROM executions
         WHERE (id >= CAST(? AS INTEGER) OR status IN ${UNFINISHED}) AND workflow_name IS NOT NULL)
       GROUP BY workflowId`,
      this.#ids.lowestId(since),
    );
    return new Map(rows.map(({ workflowId, name }) => [workflowId, name]));
  }

  #runs(query: string, ...bindings: SqlBinding[]): WorkflowRuns[] {
    const byWorkflow = new Map<string, Run[]>();
    for (const row of this.#sql.exec(query, ...bindings)) addRun(row, byWorkflow);
    return listOf(byWorkflow);
  }
}

const STATUSES: ReadonlyMap<SqlValue | undefined, Run["status"]> = new Map(
  EXECUTION_STATUSES.map((status) => [status, status]),
);

/** The latest start first: not always the highest id, if n8n was restored or queues. */
const listOf = (byWorkflow: ReadonlyMap<string, Run[]>): WorkflowRuns[] =>
  [...byWorkflow].map(([workflowId, runs]) => ({
    workflowId,
    runs: runs.sort((a, b) => b.startedAt - a.startedAt),
  }));

const timeOf = (value: SqlValue | undefined): number | null => {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
};
const countOf = (value: SqlValue | undefined): number | null => (typeof value === "number" ? value : null);

const textOf = (value: SqlValue | undefined): string | null => (typeof value === "string" ? value : null);

const failureOf = ({ node, errorClass, httpStatus, host, cause }: SqlRow): RunFailure => ({
  node: textOf(node),
  errorClass: textOf(errorClass),
  httpStatus: countOf(httpStatus),
  host: textOf(host),
  cause: textOf(cause),
});

/** Parsed by hand: for a hundred thousand rows a schema would take longer than SQLite. */
function addRun(row: SqlRow, byWorkflow: Map<string, Run[]>): void {
  const startedAt = timeOf(row.startedAt);
  const status = STATUSES.get(row.status);
  const { id, workflowId, mode } = row;
  if (startedAt === null || status === undefined) return;
  if (typeof id !== "string" || typeof workflowId !== "string" || typeof mode !== "string") return;
  const isWhole = row.lacksData !== 1;
  const run: Run = {
    id,
    mode,
    status,
    startedAt,
    stoppedAt: timeOf(row.stoppedAt),
    waitTill: timeOf(row.waitTill),
    nodes: isWhole ? countOf(row.nodes) : null,
    items: isWhole ? countOf(row.items) : null,
    caught: isWhole ? countOf(row.caught) : null,
    version: textOf(row.version),
    failure: row.hasFailed === 1 ? failureOf(row) : null,
  };
  const runs = byWorkflow.get(workflowId);
  if (runs === undefined) byWorkflow.set(workflowId, [run]);
  else runs.push(run);
}
