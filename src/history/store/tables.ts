/** The tables of the index. A column has the name of its property in snake case. */
import { CREATE_FILTER_TABLE, FILTER_TABLE } from "../terms/filter-blocks.ts";

/** Incremented when the tables change: data stored in another shape is dropped and read again. */
export const SHAPE = "22";
export const COUNTED_IDS = 1_024;

/** Created first, because it contains the shape of the others. */
export const CREATE_FACTS =
  "CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID";

/** Statuses of executions that still change; the same for SQL. */
export const UNFINISHED_STATUSES: readonly string[] = ["running", "waiting", "new", "unknown"];
export const UNFINISHED = `('${UNFINISHED_STATUSES.join("', '")}')`;
/** Maximum executions of one status that a look lists, if its caller names no other limit. */
export const MAX_LISTED = 1_000;
/** Maximum unfinished executions that a look handles: most of them wait, some for months. */
export const MAX_UNFINISHED = 10_000;
/** @see mayContinue */
export const MAY_CONTINUE = `status IN ${UNFINISHED} AND (status <> 'unknown' OR stopped_at IS NULL)`;

/** SQL for when an execution first began: before n8n 2.13, `started_at` is when it was last resumed. */
export const firstStart = (table: string): string =>
  `iif(${table}.started_at IS NULL, NULL, COALESCE(${table}.accepted_at, ${table}.started_at))`;

export const TABLES = [
  CREATE_FACTS,
  `CREATE TABLE executions (
    id INTEGER PRIMARY KEY, workflow_id TEXT NOT NULL, workflow_name TEXT, mode TEXT NOT NULL,
    status TEXT NOT NULL, started_at TEXT, stopped_at TEXT, wait_till TEXT,
    parent_id INTEGER, unknown_parent_workflow_id TEXT, mcp_trigger TEXT, retry_of INTEGER, retry_success_id INTEGER, accepted_at TEXT, problem TEXT,
    is_read INTEGER NOT NULL, digests TEXT, other_ids TEXT, is_deleted INTEGER NOT NULL,
    failing_node TEXT, failed_at_call INTEGER, error_class TEXT, http_status INTEGER, error_fingerprint TEXT, error_host TEXT, nodes INTEGER, runs INTEGER,
    items INTEGER, handled_errors INTEGER, llm_calls INTEGER, tool_calls INTEGER, prompt_tokens INTEGER,
    completion_tokens INTEGER, estimated_prompt_tokens INTEGER, estimated_completion_tokens INTEGER, version TEXT, incomplete TEXT)`,
  CREATE_FILTER_TABLE,
  "CREATE INDEX by_parent ON executions (parent_id) WHERE parent_id IS NOT NULL",
  "CREATE INDEX by_retry ON executions (retry_of) WHERE retry_of IS NOT NULL",
  "CREATE INDEX unread ON executions (is_read) WHERE is_read = 0",
  `CREATE INDEX unfinished ON executions (status) WHERE status IN ${UNFINISHED}`,
  "CREATE INDEX problems ON executions (id) WHERE problem IS NOT NULL",
  "CREATE INDEX crowded ON executions (id) WHERE other_ids IS NOT NULL",
  `CREATE TABLE calls (
    caller_id INTEGER NOT NULL, child_id INTEGER NOT NULL, node_name TEXT NOT NULL,
    PRIMARY KEY (caller_id, child_id)) WITHOUT ROWID`,
  "CREATE INDEX by_child ON calls (child_id)",
  // One row per id and no other index: `executions.digests` leads back.
  `CREATE TABLE correlations (
    digest TEXT NOT NULL, execution_id INTEGER NOT NULL, needs_data INTEGER NOT NULL, node_name TEXT,
    path TEXT NOT NULL,
    PRIMARY KEY (digest, execution_id)) WITHOUT ROWID`,
  `CREATE TABLE models (
    execution_id INTEGER NOT NULL, model TEXT NOT NULL, llm_calls INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL, estimated_prompt_tokens INTEGER NOT NULL,
    estimated_completion_tokens INTEGER NOT NULL, PRIMARY KEY (execution_id, model)) WITHOUT ROWID`,
  "CREATE TABLE counts (ids INTEGER PRIMARY KEY, executions INTEGER NOT NULL)",
  // Whether an explanation of a success found something certainly or likely wrong.
  "CREATE TABLE judgements (id INTEGER PRIMARY KEY, is_wrong INTEGER NOT NULL)",
  "CREATE TABLE empty_ids (id INTEGER PRIMARY KEY)",
  "CREATE TABLE stretches (scope TEXT NOT NULL, high INTEGER NOT NULL, low INTEGER NOT NULL, is_bottom INTEGER NOT NULL)",
];

export const TABLE_NAMES =
  `executions calls models correlations stretches counts judgements empty_ids ${FILTER_TABLE} facts`.split(
    " ",
  );

/** Integers in the database, strings elsewhere. */
const IDS = new Set(["id", "parentId", "retryOf", "retrySuccessId"]);

export const columnOf = (property: string): string =>
  property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const selected = (properties: readonly string[]): string =>
  properties
    .map((name) => `${IDS.has(name) ? `CAST(${columnOf(name)} AS TEXT)` : columnOf(name)} AS ${name}`)
    .join(", ");
