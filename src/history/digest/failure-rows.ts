/** The failures of a digest, grouped by SQL. No payload. */
import * as z from "zod";
import type { SqlBinding } from "../../platform/sql.ts";
import type { IndexReader } from "../store/index-database.ts";
import type { NarrowedSql } from "../store/narrowed-sql.ts";
import type { IdBounds } from "./id-bounds.ts";
import { FAILED, failedIn, LACKS_DATA, triedOut } from "./row-conditions.ts";
import { iso, type RowSpan, type Span } from "./run.ts";

/** There are about as many groups as failing nodes. */
const MAX_GROUPS = 500;

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

const countsRow = z.object({
  /** Workflows with a failure of their own. */
  failedWorkflows: z.number(),
  /** Failures that only repeat the failure of a called execution. */
  repeats: z.number(),
  /** Other failures without (all) data, so that neither their node nor their cause is known. */
  withoutData: z.number(),
});
export type FailureCounts = Readonly<z.infer<typeof countsRow>>;
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

export class FailureRows {
  readonly #sql: IndexReader<NarrowedSql>;
  readonly #ids: IdBounds;

  constructor(sql: IndexReader<NarrowedSql>, ids: IdBounds) {
    this.#sql = sql;
    this.#ids = ids;
  }

  /** Most frequent first. @param before the previous window of the same length */
  groups(span: RowSpan, before: Span, isByText: boolean): FailureGroup[] {
    return this.#sql.rows(
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
    return [this.#ids.lowestId(from), workflowId, iso(from), iso(window.from), iso(window.to)];
  }

  counts(span: RowSpan): FailureCounts {
    return this.#sql.row(
      countsRow,
      `WITH ${failures(false)} SELECT
         COUNT(DISTINCT failures.workflow_id) FILTER (WHERE is_repeat = 0) AS failedWorkflows,
         COUNT(*) FILTER (WHERE is_repeat = 1) AS repeats,
         COUNT(*) FILTER (WHERE is_repeat = 0 AND COALESCE(e.failing_node, e.error_class) IS NULL AND ${LACKS_DATA})
           AS withoutData
       FROM failures JOIN executions e USING (id)`,
      ...this.#bindingsOf(span),
    );
  }

  /** The newest executions of a group. @param isByText as for `groups` */
  executionsOf(group: FailureGroup, span: RowSpan, isByText: boolean, limit: number): FailedExecution[] {
    const { nodeName, status, errorClass, httpStatus, fingerprint, workflowId } = group;
    return this.#sql.rows(
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
    return this.#sql.rows(
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
    return this.#sql.rows(
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
}
