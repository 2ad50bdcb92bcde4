/** The tables in which is kept what is known of executions, and the parts that several queries share. */
import type * as z from "zod";
import { CREATE_FILTER_TABLE, FILTER_TABLE } from "../terms/filter-blocks.ts";
import { FACT_COLUMNS } from "./stored-facts.ts";
import type { TraceWindow } from "./trace-window.ts";
import { tracedExecution } from "./traced-execution.ts";

/** Counted up when the shape of the tables changes: what is stored in another shape is forgotten, and read anew. */
export const SHAPE = "11";
/** Ids of one range in which executions are counted. */
export const COUNTED_IDS = 1_024;

/** It says which shape the others have, so that it is there before them. */
export const CREATE_FACTS =
  "CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID";

export const TABLES = [
  "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
  `CREATE TABLE executions (
    id INTEGER PRIMARY KEY, workflow_id TEXT NOT NULL, workflow_name TEXT, mode TEXT NOT NULL,
    status TEXT NOT NULL, started_at TEXT, stopped_at TEXT, wait_till TEXT,
    parent_id INTEGER, unknown_parent_workflow_id TEXT, mcp_trigger TEXT, retry_of INTEGER, retry_success_id INTEGER, problem TEXT,
    is_read INTEGER NOT NULL, digests TEXT, other_ids TEXT, is_deleted INTEGER NOT NULL, ${FACT_COLUMNS})`,
  CREATE_FILTER_TABLE,
  "CREATE INDEX by_parent ON executions (parent_id) WHERE parent_id IS NOT NULL",
  "CREATE INDEX by_retry ON executions (retry_of) WHERE retry_of IS NOT NULL",
  "CREATE INDEX unread ON executions (is_read) WHERE is_read = 0",
  "CREATE INDEX unfinished ON executions (status) WHERE status IN ('running', 'waiting', 'new', 'unknown')",
  "CREATE INDEX problems ON executions (id) WHERE problem IS NOT NULL",
  "CREATE INDEX crowded ON executions (id) WHERE other_ids IS NOT NULL",
  `CREATE TABLE calls (
    caller_id INTEGER NOT NULL, child_id INTEGER NOT NULL, node_name TEXT NOT NULL,
    PRIMARY KEY (caller_id, child_id)) WITHOUT ROWID`,
  "CREATE INDEX by_child ON calls (child_id)",
  // One row for each, no other index: `executions.digests` leads back.
  `CREATE TABLE correlations (
    digest TEXT NOT NULL, execution_id INTEGER NOT NULL, needs_data INTEGER NOT NULL, node_name TEXT,
    path TEXT NOT NULL,
    PRIMARY KEY (digest, execution_id)) WITHOUT ROWID`,
  // How many executions there are in each range of ids.
  "CREATE TABLE counts (ids INTEGER PRIMARY KEY, executions INTEGER NOT NULL)",
  // Ids under which n8n has nothing.
  "CREATE TABLE empty_ids (id INTEGER PRIMARY KEY)",
  "CREATE TABLE stretches (scope TEXT NOT NULL, high INTEGER NOT NULL, low INTEGER NOT NULL, is_bottom INTEGER NOT NULL)",
];

export const TABLE_NAMES = [
  "executions",
  "calls",
  "correlations",
  "stretches",
  "counts",
  "empty_ids",
  FILTER_TABLE,
  "facts",
];

export const EXECUTION_COLUMNS = `CAST(id AS TEXT) AS id, workflow_id AS workflowId, workflow_name AS workflowName, mode,
  status, started_at AS startedAt, stopped_at AS stoppedAt, wait_till AS waitTill,
  CAST(parent_id AS TEXT) AS parentId, unknown_parent_workflow_id AS unknownParentWorkflowId,
  mcp_trigger AS mcpTrigger,
  CAST(retry_of AS TEXT) AS retryOf,
  CAST(retry_success_id AS TEXT) AS retrySuccessId`;

/** What they give. */
export const executionRow = tracedExecution.omit({ subExecutions: true });
export type ExecutionRow = z.infer<typeof executionRow>;

/** An execution that has not started is in every window. */
export const IN_WINDOW = `(?1 IS NULL OR workflow_id = ?1) AND (?2 IS NULL OR started_at IS NULL OR started_at >= ?2)
  AND (?3 IS NULL OR started_at IS NULL OR started_at <= ?3)`;

export const windowBindings = (window: TraceWindow): [string | null, string | null, string | null] => [
  window.workflowId,
  window.startedAfter,
  window.startedBefore,
];
