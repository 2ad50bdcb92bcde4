/** What an index should hold, read naively from n8n, and what it does hold. */
import * as z from "zod";
import type { Sql } from "../../../src/platform/sql.ts";
import { factsOf } from "../../support/facts-of-executions.ts";
import type { FakeExecution } from "../../support/fake-n8n.ts";
import { digest } from "../../support/test-traces.ts";

const row = z.object({
  id: z.string(),
  workflowId: z.string(),
  mode: z.string(),
  status: z.string(),
  startedAt: z.string().nullable(),
  stoppedAt: z.string().nullable(),
  waitTill: z.string().nullable(),
  retryOf: z.string().nullable(),
  parentId: z.string().nullable(),
  problem: z.string().nullable(),
  failingNode: z.string().nullable(),
  errorClass: z.string().nullable(),
  runs: z.number().nullable(),
  incomplete: z.string().nullable(),
  isRead: z.number(),
  isDeleted: z.number(),
  digests: z
    .string()
    .nullable()
    .transform((text) => (text === null ? [] : z.array(z.string()).parse(JSON.parse(text)).sort())),
});
export type Row = z.infer<typeof row>;

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

export function rowsOf(sql: Sql): Map<string, Row> {
  const rows = sql.exec(
    `SELECT CAST(id AS TEXT) AS id, workflow_id AS workflowId, mode, status, started_at AS startedAt,
     stopped_at AS stoppedAt, wait_till AS waitTill, CAST(retry_of AS TEXT) AS retryOf,
     CAST(parent_id AS TEXT) AS parentId, problem, failing_node AS failingNode, error_class AS errorClass,
     runs, incomplete, is_read AS isRead, is_deleted AS isDeleted, digests FROM executions`,
  );
  return new Map([...rows].map((one) => row.parse(one)).map((one) => [one.id, one]));
}

/** The row expected for an execution, without `retrySuccessId`, which n8n sets later and the retry's own row tells. */
export function expectedRow(one: FakeExecution): Row {
  const data = z
    .looseObject({ parentExecution: z.object({ executionId: z.string() }).optional() })
    .parse(one.data);
  const ids = [...JSON.stringify(data).matchAll(/"requestId":"([^"]+)"/g)].map(([, id = ""]) => digest(id));
  const facts = factsOf(one);
  return {
    id: one.id,
    workflowId: String(one.workflowId),
    mode: String(one.mode),
    status: String(one.status),
    startedAt: text(one.startedAt),
    stoppedAt: text(one.stoppedAt),
    waitTill: text(one.waitTill),
    retryOf: text(one.retryOf),
    parentId: data.parentExecution?.executionId ?? null,
    problem: null,
    failingNode: facts.failingNode,
    errorClass: facts.errorClass,
    runs: facts.runs,
    incomplete: facts.incomplete,
    isRead: 1,
    isDeleted: 0,
    digests: ids.sort(),
  };
}

/** The request-id digests stored for each execution. */
export function correlationsOf(sql: Sql): Map<string, string[]> {
  const held = z.object({ id: z.string(), digest: z.string() });
  const found = new Map<string, string[]>();
  for (const each of sql.exec(
    "SELECT CAST(execution_id AS TEXT) AS id, digest FROM correlations ORDER BY digest",
  )) {
    const { id, digest: value } = held.parse(each);
    found.set(id, [...(found.get(id) ?? []), value]);
  }
  return found;
}

const claim = z.object({ high: z.number(), low: z.number(), isBottom: z.number() });

export function claimsOf(sql: Sql): z.infer<typeof claim>[] {
  const all = sql.exec(
    "SELECT high, low, is_bottom AS isBottom FROM stretches WHERE scope = 'listed' ORDER BY high DESC",
  );
  return [...all].map((one) => claim.parse(one));
}

/** Ids of n8n's executions that the index claims to know without having a row. */
export function claimedButUnknown(executions: readonly FakeExecution[], sql: Sql): string[] {
  const claims = claimsOf(sql);
  const known = new Set(
    [...sql.exec("SELECT CAST(id AS TEXT) AS id FROM executions")].map(({ id }) => String(id)),
  );
  const isClaimed = (id: number): boolean =>
    claims.some(({ high, low, isBottom }) => id <= high && (id >= low || isBottom === 1));
  return executions.map(({ id }) => id).filter((id) => isClaimed(Number(id)) && !known.has(id));
}
