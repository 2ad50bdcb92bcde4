/** What a digest reads from the index: failures, grouped by SQL, and the runs of each workflow in pages. No payload. */
import * as z from "zod";
import { EXECUTION_STATUSES } from "../../n8n/schemas.ts";
import { HOUR_MS } from "../../platform/durations.ts";
import { readRows, type SqlBinding, type SqlValue } from "../../platform/sql.ts";
import type { NarrowedSql } from "../store/narrowed-sql.ts";
import { UNFINISHED } from "../store/tables.ts";
import { iso, type Run, type RunFailure, type Span, type WorkflowRuns } from "./run.ts";

const OF_EDITOR = "mode IN ('manual', 'evaluation')";
/** Runs from the editor, and what they called, say nothing about how a workflow does. @param e the table */
export const triedOut = (e: string): string => `(${e}.${OF_EDITOR} OR EXISTS (SELECT 1 FROM executions tried
  WHERE tried.${OF_EDITOR} AND tried.id IN (${e}.parent_id, (SELECT up.parent_id FROM executions up WHERE up.id = ${e}.parent_id))))`;
const NOT_TRIED_OUT = `NOT ${triedOut("executions")}`;
const PAGE = 5_000;
/** There are about as many groups as failing nodes. */
const MAX_GROUPS = 500;
/** About 100 bytes each: a tenth of an isolate's memory. */
export const MAX_RUNS = 150_000;
/** How much later an execution may start than one with a higher id. */
const ID_ORDER_MS = HOUR_MS;
/** Executions that were queued longer are searched among this many lower ids, and again below each one found. */
const IDS_BELOW = 16_384n;

/** The oldest start is among this many of the lowest ids. */
const LOWEST = 250;

const flag = z.number().transform((value) => value === 1);

const groupRow = z.object({
  /** Workflow and node are those of the example: one cause may fail several workflows. */
  workflowId: z.string(),
  nodeName: z.string().nullable(),
  status: z.enum(["error", "crashed", "canceled"]),
  errorClass: z.string().nullable(),
  httpStatus: z.number().nullable(),
  fingerprint: z.string().nullable(),
  /** The number of workflows that it failed in the window. */
  workflows: z.number(),
  /** Failures in the window and in the previous one. */
  count: z.number(),
  before: z.number(),
  /** Failures that only repeat the failure of a called execution. */
  repeats: z.number(),
  /** Failures whose retry succeeded. */
  mended: z.number(),
  /** The first and last start in the window, ISO 8601. */
  first: z.string(),
  last: z.string(),
  /** The total number of groups, of which the first are read. */
  groupCount: z.number(),
  /** The newest that n8n still has, else the newest. */
  exampleId: z.string(),
  isExampleGone: flag,
});
export type FailureGroup = Readonly<z.infer<typeof groupRow>>;

const failedRow = z.object({
  id: z.string(),
  workflowId: z.string(),
  mode: z.string(),
  startedAt: z.string(),
  stoppedAt: z.string().nullable(),
  isMended: flag,
  isGone: flag,
});
export type FailedExecution = Readonly<z.infer<typeof failedRow>>;

const FAILED_COLUMNS = `CAST(id AS TEXT) AS id, workflow_id AS workflowId, mode, started_at AS startedAt,
  stopped_at AS stoppedAt, is_mended AS isMended, is_deleted AS isGone`;

const unhandledRow = z.object({
  workflowId: z.string(),
  failures: z.number(),
  handled: z.number(),
  /** Whether n8n ever saved a successful run of the error workflow. */
  savesSuccesses: flag,
  exampleId: z.string(),
});
/** A workflow that starts by itself and whose error workflow did not run for all failures. */
export type Unhandled = Readonly<z.infer<typeof unhandledRow>>;

const nameRow = z.object({ workflowId: z.string(), name: z.string() });
const countsRow = z.object({
  /** Workflows with a failure of their own. */
  failedWorkflows: z.number(),
  /** Failures that only repeat the failure of a called execution. */
  repeats: z.number(),
  /** Other failures without (all) data, so that neither their node nor their cause is known. */
  withoutData: z.number(),
});
export type FailureCounts = Readonly<z.infer<typeof countsRow>>;
const endsRow = z.object({ low: z.string().nullable(), high: z.string().nullable() });
const countRow = z.object({ count: z.number() });
const lowRow = endsRow.pick({ low: true });
const startRow = z.object({ startedAt: z.string() });
const oldestRow = z.object({ startedAt: z.string().nullable() });

/** Canceling by hand is no failure; a time limit is one. @param e the table and a dot */
const failedIn = (e: string): string => `(${e}status IN ('error', 'crashed') OR (${e}status = 'canceled'
  AND COALESCE(${e}error_class, '') NOT IN ('ManualExecutionCancelledError', 'ExecutionCancelledError')))`;
export const FAILED = failedIn("");

/** Before the end of the window: later failures belong to another one. */
const HAS_CHILD_FAILED = `child.mode <> 'error' AND ${failedIn("child.")} AND child.started_at < ?5
  AND (child.status <> 'canceled' OR e.status = 'error')`;

/** A busy n8n may take ten seconds to store both; an earlier failure was caught. */
const HAS_JUST_ENDED =
  "julianday(COALESCE(child.stopped_at, e.stopped_at)) >= julianday(e.stopped_at) - 10.0 / 86400";

/**
 * The execution failed because an execution it called failed: at the calling node or, if n8n does not name it, at a
 * node that can have called it. For a single workflow calls are not reported, so all of its failures count as its own.
 */
const REPEATS = `?2 IS NULL AND (EXISTS (SELECT 1 FROM calls JOIN executions child ON child.id = calls.child_id
    WHERE calls.caller_id = e.id AND calls.node_name = e.failing_node AND ${HAS_CHILD_FAILED})
  OR ((e.failing_node IS NULL OR e.failed_at_call = 1) AND EXISTS (SELECT 1 FROM executions child
    WHERE child.parent_id = e.id AND child.retry_of IS NULL AND ${HAS_CHILD_FAILED}
    AND (e.failing_node IS NULL OR ${HAS_JUST_ENDED})
    AND NOT EXISTS (SELECT 1 FROM calls WHERE calls.caller_id = e.id AND calls.child_id = child.id))))`;

/** A retry may have been retried in turn. Nobody tries this often. */
const MAX_RETRIES = 20;
const MENDED = `e.retry_success_id IS NOT NULL OR EXISTS (
  WITH RECURSIVE retries (id, is_well) AS (SELECT e.id, 0 UNION
    SELECT retry.id, retry.status = 'success' OR retry.retry_success_id IS NOT NULL
    FROM retries JOIN executions retry ON retry.retry_of = retries.id LIMIT ${MAX_RETRIES})
  SELECT 1 FROM retries WHERE is_well)`;

/** Takes ids from ?1 on, workflow ?2, starts from ?3 (previous window) and ?4 (window) to ?5. */
const failures = (isByText: boolean): string => `failures AS (
  SELECT id, workflow_id, failing_node, status, error_class, http_status,
    ${isByText ? "error_fingerprint" : "NULL AS error_fingerprint"}, started_at,
    mode, stopped_at, is_deleted, started_at >= ?4 AS is_now,
    CASE WHEN ${REPEATS} THEN 1 ELSE 0 END AS is_repeat, CASE WHEN ${MENDED} THEN 1 ELSE 0 END AS is_mended
  FROM executions e
  WHERE id >= CAST(?1 AS INTEGER) AND (?2 IS NULL OR workflow_id = ?2) AND ${FAILED} AND NOT ${triedOut("e")}
    AND started_at >= ?3 AND started_at < ?5)`;

/** If an error's text is known, the same error is one cause in any node and workflow; else the place identifies it. */
const PLACE = `CASE WHEN error_fingerprint IS NULL THEN workflow_id END,
  CASE WHEN error_fingerprint IS NULL THEN failing_node END`;

type Row = Record<string, SqlValue>;

/** Executions without (all) data; not those with too much payload to read, whose other facts are counted. */
export const LACKS_DATA = "(is_read = 0 OR incomplete <> 'partial')";

/** Takes workflow ?1. Executions canceled by a time limit count as failed, as in groups. */
const selectRuns = (
  isByText: boolean,
  which = NOT_TRIED_OUT,
): string => `SELECT CAST(id AS TEXT) AS id, workflow_id AS workflowId, mode,
    CASE WHEN ${FAILED} AND status = 'canceled' THEN 'error' ELSE status END AS status, started_at AS startedAt,
    stopped_at AS stoppedAt, wait_till AS waitTill, ${LACKS_DATA} AS lacksData, nodes, items,
    handled_errors + (id IN (SELECT id FROM judgements WHERE is_wrong = 1)) AS caught, version, ${FAILED} AS hasFailed,
    failing_node AS node, error_class AS errorClass, http_status AS httpStatus,
    ${isByText ? "error_host AS host, error_fingerprint AS cause" : "NULL AS host, NULL AS cause"}
  FROM executions WHERE (?1 IS NULL OR workflow_id = ?1) AND ${which} AND started_at IS NOT NULL`;

export interface RowSpan {
  readonly workflowId: string | null;
  readonly window: Span;
}

export interface ReadRuns {
  readonly workflows: readonly WorkflowRuns[];
  /** Runs before this were left out, epoch ms; null when none were. */
  readonly cutAt: number | null;
}

export class DigestRows {
  readonly #sql: NarrowedSql;
  readonly #hasFormer: boolean;

  /** @param hasFormer whether rows may belong to a former history, in which case ids do not ascend like starts */
  constructor(sql: NarrowedSql, hasFormer: boolean) {
    this.#sql = sql;
    this.#hasFormer = hasFormer;
  }

  /** Most frequent first. @param before the previous window of the same length */
  groups(span: RowSpan, before: Span, isByText: boolean): FailureGroup[] {
    return this.#rows(
      groupRow,
      `WITH ${failures(isByText)}, grouped AS (
       SELECT status, error_class AS errorClass, http_status AS httpStatus, error_fingerprint AS fingerprint,
         COUNT(DISTINCT CASE WHEN is_now AND NOT is_repeat THEN workflow_id END) AS workflows,
         SUM(is_now AND NOT is_repeat) AS count, SUM(NOT is_now AND NOT is_repeat) AS before,
         SUM(is_now AND is_repeat) AS repeats, SUM(is_now AND NOT is_repeat AND is_mended) AS mended,
         MIN(CASE WHEN is_now AND NOT is_repeat THEN started_at END) AS first,
         MAX(CASE WHEN is_now AND NOT is_repeat THEN started_at END) AS last,
         CAST(COALESCE(MAX(CASE WHEN is_now AND NOT is_repeat AND is_deleted = 0 THEN id END),
           MAX(CASE WHEN is_now AND NOT is_repeat THEN id END)) AS TEXT) AS exampleId,
         MAX(CASE WHEN is_now AND NOT is_repeat AND is_deleted = 0 THEN id END) IS NULL AS isExampleGone
       FROM failures GROUP BY 1, 2, 3, 4, ${PLACE} HAVING SUM(is_now AND NOT is_repeat) > 0)
       SELECT grouped.*, COUNT(*) OVER () AS groupCount, e.workflow_id AS workflowId, e.failing_node AS nodeName
       FROM grouped JOIN executions e ON e.id = CAST(grouped.exampleId AS INTEGER)
       ORDER BY count DESC, last DESC LIMIT ${MAX_GROUPS}`,
      ...this.#bindingsOf(span, before.from),
    );
  }

  /** ?1 to ?5: the lowest id, the workflow, the start of the previous window, and the window. */
  #bindingsOf({ workflowId, window }: RowSpan, from = window.from): SqlBinding[] {
    return [this.lowestId(from), workflowId, iso(from), iso(window.from), iso(window.to)];
  }

  counts(span: RowSpan): FailureCounts {
    const [row] = this.#all(
      `WITH ${failures(false)} SELECT
         COUNT(DISTINCT failures.workflow_id) FILTER (WHERE is_repeat = 0) AS failedWorkflows,
         COUNT(*) FILTER (WHERE is_repeat = 1) AS repeats,
         COUNT(*) FILTER (WHERE is_repeat = 0 AND COALESCE(e.failing_node, e.error_class) IS NULL AND ${LACKS_DATA})
           AS withoutData
       FROM failures JOIN executions e USING (id)`,
      ...this.#bindingsOf(span),
    );
    return countsRow.parse(row);
  }

  /** The newest executions of a group. @param isByText as for `groups` */
  executionsOf(group: FailureGroup, span: RowSpan, isByText: boolean, limit: number): FailedExecution[] {
    const { nodeName, status, errorClass, httpStatus, fingerprint, workflowId } = group;
    return this.#rows(
      failedRow,
      `WITH ${failures(isByText)}
       SELECT ${FAILED_COLUMNS} FROM failures WHERE is_repeat = 0 AND is_now AND status = ?7
         AND (error_fingerprint IS NOT NULL OR (failing_node IS ?6 AND workflow_id IS ?12)) AND error_class IS ?8
         AND http_status IS ?9 AND error_fingerprint IS ?10
       ORDER BY failures.id DESC LIMIT ?11`,
      ...this.#bindingsOf(span),
      nodeName,
      status,
      errorClass,
      httpStatus,
      fingerprint,
      limit,
      workflowId,
    );
  }

  /** Failures that ended in the window but began before it, without a successful retry: the last to end first. */
  failedLater(span: RowSpan, from: number, limit: number): FailedExecution[] {
    return this.#rows(
      failedRow,
      `WITH ${failures(false)}
       SELECT ${FAILED_COLUMNS} FROM failures WHERE is_repeat = 0 AND NOT is_now AND is_mended = 0 AND stopped_at >= ?4 AND stopped_at < ?5
       ORDER BY stopped_at DESC LIMIT ?6`,
      ...this.#bindingsOf(span, from),
      limit,
    );
  }

  /** Workflows with failures that started no error workflow. @param usualFrom since when such a run is searched */
  unhandled(span: RowSpan, usualFrom: number): Unhandled[] {
    return this.#rows(
      unhandledRow,
      `SELECT workflow_id AS workflowId, SUM(is_now) AS failures, SUM(is_now AND handled > 0) AS handled,
         MAX(handled) = 2 AS savesSuccesses,
         CAST(MAX(CASE WHEN is_now AND handled = 0 THEN id END) AS TEXT) AS exampleId
       FROM (SELECT id, workflow_id, started_at >= ?4 AS is_now,
           COALESCE((SELECT MAX(1 + (handler.status = 'success')) FROM (
             SELECT child.id FROM executions child WHERE child.parent_id = e.id
             UNION ALL SELECT child_id FROM calls WHERE caller_id = e.id) AS called
             JOIN executions handler ON handler.id = called.id WHERE handler.mode = 'error'), 0) AS handled
         FROM executions e
         WHERE id >= CAST(?1 AS INTEGER) AND (?2 IS NULL OR workflow_id = ?2) AND status = 'error'
           AND mode IN ('trigger', 'webhook') AND started_at >= ?3 AND started_at < ?5)
       GROUP BY workflow_id HAVING SUM(is_now AND handled = 0) > 0 ORDER BY failures DESC LIMIT ${MAX_GROUPS}`,
      ...this.#bindingsOf(span, usualFrom),
    );
  }

  /** Runs from the editor, and what they called. */
  triedOutCount(span: RowSpan): number {
    const query = `SELECT COUNT(*) AS count FROM executions WHERE id >= CAST(?1 AS INTEGER)
      AND (?2 IS NULL OR workflow_id = ?2) AND started_at >= ?3 AND started_at < ?4 AND ${triedOut("executions")}`;
    const bindings = this.#bindingsOf(span).toSpliced(2, 1);
    return this.#rows(countRow, query, ...bindings)[0]?.count ?? 0;
  }

  /** The newest run by hand in the window, per workflow. */
  byHand({ workflowId, window }: RowSpan): WorkflowRuns[] {
    return this.#runs(
      window,
      `${selectRuns(false, "mode = 'manual'")} AND id IN (
         SELECT MAX(id) FROM executions WHERE id >= CAST(?2 AS INTEGER) AND mode = 'manual' GROUP BY workflow_id)
       ORDER BY executions.id DESC LIMIT ${MAX_GROUPS}`,
      workflowId,
      this.lowestId(window.from),
    );
  }

  /** The newest runs of each workflow, not by hand: among them the newest by a trigger and the newest success. */
  lastRuns(workflowIds: readonly string[], { from, to }: Span): WorkflowRuns[] {
    if (workflowIds.length === 0) return [];
    return this.#runs(
      EVER,
      `${selectRuns(false)} AND id IN (SELECT id FROM (
         SELECT id, MAX(started_at) FROM executions WHERE id >= CAST(?2 AS INTEGER) AND ${NOT_TRIED_OUT}
         AND started_at < ?4 AND workflow_id IN (SELECT value FROM json_each(?3))
         GROUP BY workflow_id, mode = 'trigger', status = 'success'))`,
      null,
      this.lowestId(from),
      JSON.stringify(workflowIds),
      iso(to),
    );
  }

  /** The newest `MAX_RUNS`, newest first. Pauses between pages, so that other tasks get a turn. */
  async runs(
    { workflowId, window }: RowSpan,
    usualFrom: number,
    isByText: boolean,
    pause: () => Promise<void>,
  ): Promise<ReadRuns> {
    const lowest = this.lowestId(usualFrom);
    const byWorkflow = new Map<string, Run[]>();
    let below: string | null = null;
    let read = 0;
    for (;;) {
      const rows: Row[] = this.#all(
        `${selectRuns(isByText)} AND id >= CAST(?2 AS INTEGER) AND (?3 IS NULL OR id < CAST(?3 AS INTEGER))
         AND started_at >= ?4 AND started_at < ?5 ORDER BY executions.id DESC LIMIT ${PAGE}`,
        workflowId,
        lowest,
        below,
        iso(usualFrom),
        iso(window.to),
      );
      for (const row of rows) addRun(row, EVER, byWorkflow);
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
      EVER,
      `${selectRuns(false)} AND status IN ${UNFINISHED} AND is_deleted = 0
       ORDER BY executions.id DESC LIMIT ${PAGE}`,
      workflowId,
    );
  }

  /** The last name of each workflow that has run since then or has an unfinished execution. */
  names(since: number): ReadonlyMap<string, string> {
    const rows = this.#rows(
      nameRow,
      `SELECT workflowId, name, MAX(id) FROM (
         SELECT workflow_id AS workflowId, workflow_name AS name, id FROM executions
         WHERE (id >= CAST(? AS INTEGER) OR status IN ${UNFINISHED}) AND workflow_name IS NOT NULL)
       GROUP BY workflowId`,
      this.lowestId(since),
    );
    return new Map(rows.map(({ workflowId, name }) => [workflowId, name]));
  }

  /** Start of the lowest known id from this one up, epoch ms; null if there is none. */
  startFrom(id: string): number | null {
    const start = this.#startAtOrAbove(id);
    return start === null ? null : Date.parse(start);
  }

  /**
   * The oldest start of an ended execution that took less than half a day, epoch ms; null if there is none. n8n keeps
   * waiting executions and prunes the others by their end, so one that waited does not show how far back n8n has all.
   * The lowest id may have been queued.
   */
  oldestStart(): number | null {
    const [oldest] = this.#rows(
      oldestRow,
      `SELECT MIN(started_at) AS startedAt FROM (SELECT started_at FROM executions
       WHERE started_at IS NOT NULL AND status NOT IN ${UNFINISHED}
         AND (stopped_at IS NULL OR julianday(stopped_at) - julianday(started_at) < 0.5) ORDER BY executions.id LIMIT ${LOWEST})`,
    );
    return oldest?.startedAt == null ? null : Date.parse(oldest.startedAt);
  }

  /** The lowest id that may have begun at this time or later: ids ascend nearly like starts. */
  lowestId(time: number): string {
    const before = iso(time - ID_ORDER_MS);
    const [ends] = this.#rows(
      endsRow,
      // A single SELECT of MIN and MAX would read all rows.
      `SELECT CAST((SELECT MIN(id) FROM executions) AS TEXT) AS low,
       CAST((SELECT MAX(id) FROM executions) AS TEXT) AS high`,
    );
    const { low: lowest = null, high: highest = null } = ends ?? {};
    if (lowest === null || highest === null || this.#hasFormer) return lowest ?? "0";
    let [low, high] = [BigInt(lowest), BigInt(highest) + 1n];
    while (low < high) {
      const middle = (low + high) / 2n;
      const start = this.#startAtOrAbove(String(middle));
      if (start === null || start >= before) high = middle;
      else low = middle + 1n;
    }
    // Queued executions began later than others with higher ids.
    for (;;) {
      const [late] = this.#rows(
        lowRow,
        `SELECT CAST(MIN(id) AS TEXT) AS low FROM executions
         WHERE id >= CAST(? AS INTEGER) AND id < CAST(? AS INTEGER) AND started_at >= ?`,
        String(low - IDS_BELOW),
        String(low),
        before,
      );
      if (late?.low == null) return String(low);
      low = BigInt(late.low);
    }
  }

  /** The lowest existing id from this one on, of any workflow; null if there is none: gaps may span a billion ids. */
  nextId(id: string): string | null {
    const query = "SELECT CAST(MIN(id) AS TEXT) AS low FROM main.executions WHERE id >= CAST(? AS INTEGER)";
    return this.#rows(lowRow, query, id)[0]?.low ?? null;
  }

  #startAtOrAbove(id: string): string | null {
    const [row] = this.#rows(
      startRow,
      `SELECT started_at AS startedAt FROM executions WHERE id >= CAST(? AS INTEGER) AND started_at IS NOT NULL
       ORDER BY executions.id LIMIT 1`,
      id,
    );
    return row?.startedAt ?? null;
  }

  #runs(span: Span, query: string, ...bindings: SqlBinding[]): WorkflowRuns[] {
    const byWorkflow = new Map<string, Run[]>();
    for (const row of this.#all(query, ...bindings)) addRun(row, span, byWorkflow);
    return listOf(byWorkflow);
  }

  #all(query: string, ...bindings: SqlBinding[]): Row[] {
    return [...this.#sql.exec(query, ...bindings)];
  }

  #rows<Schema extends z.ZodType>(schema: Schema, query: string, ...bindings: SqlBinding[]) {
    return readRows(this.#sql, schema, query, ...bindings);
  }
}

const EVER: Span = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
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

const failureOf = ({ node, errorClass, httpStatus, host, cause }: Row): RunFailure => ({
  node: textOf(node),
  errorClass: textOf(errorClass),
  httpStatus: countOf(httpStatus),
  host: textOf(host),
  cause: textOf(cause),
});

/** Parsed by hand: for a hundred thousand rows a schema would take longer than SQLite. */
function addRun(row: Row, span: Span, byWorkflow: Map<string, Run[]>): void {
  const startedAt = timeOf(row.startedAt);
  const status = STATUSES.get(row.status);
  const { id, workflowId, mode } = row;
  if (startedAt === null || status === undefined || startedAt < span.from || startedAt >= span.to) return;
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
