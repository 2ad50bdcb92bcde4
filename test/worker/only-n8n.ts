/** The n8n of settings that name a single one, and its history index. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { HistoryQueries } from "../../src/history/history-queries.ts";
import type { TraceQuery } from "../../src/history/trace/history-trace.ts";
import { type N8nInstance, readInstances } from "../../src/settings/index.ts";
import { createHistoryQueries } from "../../src/wiring/history-calls.ts";
import { historyIndexName } from "../../src/wiring/history-index-name.ts";

export const ALL_TIME = { workflowId: null, startedAfter: null, startedBefore: null };

export const TRACE_QUERY: TraceQuery = {
  requestId: "req-100",
  traceId: undefined,
  window: ALL_TIME,
  limit: 2_000,
  deep: false,
  timeBudgetMs: 20_000,
  mayReadData: true,
};

export function onlyN8nOf(settings: Env): N8nInstance {
  const [instance] = readInstances(settings).values();
  if (instance === undefined) throw new Error("The settings have no n8n.");
  return instance;
}

export const indexOf = (settings = env) =>
  env.HISTORY_INDEX.getByName(historyIndexName(settings, onlyN8nOf(settings)));

export async function queryIndex(sql: string): Promise<Record<string, unknown>[]> {
  return await runInDurableObject(indexOf(), (_object, { storage }) => storage.sql.exec(sql).toArray());
}

/** What a caller who may see everything can ask the index. @param countBytes gets the bytes that n8n sends for it */
export function queriesOf(
  userId: string,
  countBytes: (bytes: number) => void = () => {},
  settings = env,
): HistoryQueries {
  const caller = { userId, access: { kind: "all" } as const, countBytes };
  return createHistoryQueries(settings, caller, onlyN8nOf(settings));
}
