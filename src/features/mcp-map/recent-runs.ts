/** How workflows fared of late: one small request each, few at the same time. */

import { type RunStatistics, runStatistics } from "../../executions/run-statistics.ts";
import type { N8nClient } from "../../n8n/client.ts";
import { fewAtOnce } from "../../platform/few-at-once.ts";

export interface RecentRuns {
  /** By workflow. */
  readonly byWorkflow: ReadonlyMap<string, RunStatistics>;
  /** Workflows that were not asked for, to spare n8n. */
  readonly notAsked: number;
}

/** Newest first. */
const RUNS = 100;
const MAX_REQUESTS = 40;

/** @throws ObserverError */
export async function readRecentRuns(client: N8nClient, workflowIds: Iterable<string>): Promise<RecentRuns> {
  const distinct = [...new Set(workflowIds)];
  const asked = distinct.slice(0, MAX_REQUESTS);
  const byWorkflow = new Map<string, RunStatistics>();
  await fewAtOnce(asked, async (workflowId) => {
    const { executions } = await client.listExecutions({ workflowId, limit: RUNS });
    byWorkflow.set(workflowId, runStatistics(executions));
  });
  return { byWorkflow, notAsked: distinct.length - asked.length };
}
