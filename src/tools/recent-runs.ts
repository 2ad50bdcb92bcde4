/** How workflows fared of late: one small request each, few at the same time. */
import { type RunStatistics, runStatistics } from "../executions/run-statistics.ts";
import type { N8nClient } from "../n8n/client.ts";

export interface RecentRuns {
  /** By workflow. */
  readonly byWorkflow: ReadonlyMap<string, RunStatistics>;
  /** Workflows that were not asked for, to spare n8n. */
  readonly notAsked: number;
}

/** Newest first. */
const RUNS = 100;
const MAX_REQUESTS = 40;
const MAX_AT_ONCE = 4;

/** @throws ObserverError */
export async function readRecentRuns(client: N8nClient, workflowIds: Iterable<string>): Promise<RecentRuns> {
  const distinct = [...new Set(workflowIds)];
  const asked = distinct.slice(0, MAX_REQUESTS);
  const byWorkflow = new Map<string, RunStatistics>();
  const waiting = asked.values();
  const ask = async (): Promise<void> => {
    // All of them take from the same list.
    for (const workflowId of waiting) {
      const { executions } = await client.listExecutions({ workflowId, limit: RUNS });
      byWorkflow.set(workflowId, runStatistics(executions));
    }
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, ask));
  return { byWorkflow, notAsked: distinct.length - asked.length };
}
