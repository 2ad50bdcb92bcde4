/** How often workflows called a workflow, and it called others, according to the known executions. */
import * as z from "zod";
import type { IndexReader } from "./index-database.ts";
import type { NarrowedSql } from "./narrowed-sql.ts";

const ranRow = z.object({
  callerId: z.string(),
  callerName: z.string().nullable(),
  calledId: z.string(),
  calledName: z.string().nullable(),
  /** Null for an error workflow, and if n8n links the two without a node. */
  node: z.string().nullable(),
  by: z.enum(["call", "error_workflow"]),
  runs: z.number(),
  /** ISO 8601. */
  lastRunAt: z.string().nullable(),
});
export type RanCall = Readonly<z.infer<typeof ranRow>>;

/** No index leads from a workflow to its executions, so only the newest of all executions are searched. */
const MAX_LOOKED_AT = 50_000;
const MAX_PAIRS = 100;

/** The links of a trace (`KnownRequests`), in both directions. Takes the workflow id. */
const CALLS = `WITH own AS (
    SELECT id FROM (SELECT id, workflow_id FROM executions ORDER BY id DESC LIMIT ${MAX_LOOKED_AT}) WHERE workflow_id = ?1),
  links AS (
    SELECT caller_id, child_id, node_name FROM calls WHERE caller_id IN own
    UNION ALL SELECT caller_id, child_id, node_name FROM calls WHERE child_id IN own
    UNION ALL SELECT parent_id, id, NULL FROM executions WHERE parent_id IN own AND retry_of IS NULL
    UNION ALL SELECT parent_id, id, NULL FROM executions WHERE id IN own AND parent_id IS NOT NULL AND retry_of IS NULL),
  pairs AS (SELECT caller_id, child_id, MAX(node_name) AS node_name FROM links GROUP BY 1, 2)
  SELECT caller.workflow_id AS callerId, caller.workflow_name AS callerName, child.workflow_id AS calledId,
    child.workflow_name AS calledName, CASE WHEN child.mode = 'error' THEN NULL ELSE node_name END AS node,
    CASE WHEN child.mode = 'error' THEN 'error_workflow' ELSE 'call' END AS "by", COUNT(*) AS runs, MAX(child.started_at) AS lastRunAt
  FROM pairs JOIN executions caller ON caller.id = caller_id JOIN executions child ON child.id = child_id
  GROUP BY caller.workflow_id, child.workflow_id, 5, 6 ORDER BY runs DESC LIMIT ${MAX_PAIRS}`;

export const callsOfWorkflow = (sql: IndexReader<NarrowedSql>, workflowId: string): RanCall[] =>
  sql.rows(ranRow, CALLS, workflowId);
