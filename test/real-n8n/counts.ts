/**
 * `query_executions` compared with n8n's own database: counts, failures and medians of each group are
 * equal. The rows of the database are counted by plain loops. Executions that have not ended are left out of both,
 * as older n8n does not list them.
 */
import * as z from "zod";
import type { AgentClient } from "../support/agent-client.ts";
import { type N8nDatabase, readStoredExecutions, type StoredExecution } from "./n8n-database.ts";
import { same } from "./trace-checks.ts";

/** The kind of check in the table of versions. */
export const COUNTS = "counts equal n8n's database";

const ENDED = ["success", "error", "crashed", "canceled"];
const HOUR_MS = 3_600_000;
const EDITOR = ["manual", "evaluation"];

type Row = StoredExecution & { startedAt: string };

/** The key of each group, by grouping. */
const KEYS: Readonly<Record<string, (row: Row) => string>> = {
  workflow: ({ workflowId }) => workflowId,
  status: ({ status }) => status,
  mode: ({ mode }) => mode,
  hour: ({ startedAt }) => `${startedAt.slice(0, "2026-01-01T00".length)}:00`,
  day: ({ startedAt }) => startedAt.slice(0, "2026-01-01".length),
};

/** Workflows are compared one status at a time, as answers show a limited number of groups. */
const QUESTIONS: readonly { readonly groupBy: string; readonly days: number }[] = [
  { groupBy: "status", days: 12 },
  { groupBy: "mode", days: 12 },
  { groupBy: "day", days: 12 },
  { groupBy: "hour", days: 1 },
  { groupBy: "workflow", days: 12 },
];

const group = z.looseObject({
  count: z.number(),
  failures: z.number(),
  medianMs: z.number().optional(),
  workflowId: z.string().optional(),
});
const answer = z.looseObject({
  groups: z.array(group),
  totals: z.looseObject({ count: z.number(), failures: z.number() }),
  coverage: z.looseObject({ stoppedBy: z.literal("complete") }),
});

const stored = z.looseObject({
  parentExecution: z.looseObject({ executionId: z.string() }).optional(),
  resultData: z.looseObject({ error: z.looseObject({ name: z.string().optional() }).optional() }).optional(),
});
/** n8n 1.x keeps with an execution whether its workflow was active, and not why it was canceled. */
const ofN8n1 = z.looseObject({ active: z.unknown().refine((active) => active !== undefined) });
const limited = z.looseObject({ settings: z.looseObject({ executionTimeout: z.number().positive() }) });

/** An execution that a time limit canceled has failed; one that a person canceled has not. */
function hasFailed({ status, data, workflowData, startedAt, stoppedAt }: Row): boolean {
  if (status !== "canceled") return status === "error" || status === "crashed";
  const name = stored.parse(data).resultData?.error?.name;
  if (name !== undefined) return name !== "ManualExecutionCancelledError";
  const limitS = limited.safeParse(workflowData).data?.settings.executionTimeout ?? Number.POSITIVE_INFINITY;
  const isOver = Date.parse(stoppedAt ?? startedAt) - Date.parse(startedAt) >= limitS * 1_000 - 500;
  return isOver || !ofN8n1.safeParse(workflowData).success;
}

/** The runs from the editor, and what they called. */
function ofEditor(all: readonly Row[]): ReadonlySet<Row> {
  const byId = new Map(all.map((row) => [row.id, row]));
  const above = (row: Row | undefined): Row | undefined =>
    row && byId.get(stored.parse(row.data).parentExecution?.executionId ?? "");
  const isTried = (row: Row | undefined): boolean => row !== undefined && EDITOR.includes(row.mode);
  return new Set(all.filter((row) => [row, above(row), above(above(row))].some(isTried)));
}

function measured(rows: readonly Row[]) {
  const durations = rows
    .flatMap(({ startedAt, stoppedAt }) =>
      stoppedAt === null ? [] : [Math.max(0, Date.parse(stoppedAt) - Date.parse(startedAt))],
    )
    .toSorted((a, b) => a - b);
  return {
    count: rows.length,
    failures: rows.filter(hasFailed).length,
    medianMs: durations[Math.ceil(durations.length / 2) - 1],
  };
}

export async function checkCounts(client: AgentClient, n8n: N8nDatabase): Promise<string> {
  const to = Date.now();
  const all = readStoredExecutions(n8n).flatMap((row): Row[] => {
    const { startedAt, status } = row;
    return startedAt === null || !ENDED.includes(status) ? [] : [{ ...row, startedAt }];
  });
  const tried = ofEditor(all);
  let compared = 0;
  for (const { groupBy, days } of QUESTIONS) {
    const from = to - days * 24 * HOUR_MS;
    const rows = all.filter((row) => {
      const time = Date.parse(row.startedAt);
      return time >= from && time < to && (groupBy === "mode" || !tried.has(row));
    });
    const { envelope } = await client.call("query_executions", {
      ...{ groupBy: [groupBy], where: { status: ENDED }, limit: 50, compare: false, timeBudgetMs: 55_000 },
      startedAfter: new Date(from).toISOString(),
      startedBefore: new Date(to).toISOString(),
    });
    const { groups, totals } = answer.parse(envelope.data);
    const own = Map.groupBy(rows, KEYS[groupBy] ?? String);
    same(`all by ${groupBy}`, [totals.count, totals.failures], [rows.length, rows.filter(hasFailed).length]);
    const nonEmpty = groups.filter(({ count }) => count > 0);
    same(`groups by ${groupBy}`, nonEmpty.length, Math.min(own.size, groupBy === "hour" ? own.size : 50));
    for (const { count, failures, medianMs, ...keys } of nonEmpty) {
      const key = String(keys.workflowId ?? keys[groupBy]);
      same(`${groupBy} ${key}`, { count, failures, medianMs }, measured(own.get(key) ?? []));
      compared += 1;
    }
  }
  return `${all.length} executions, ${compared} groups`;
}
