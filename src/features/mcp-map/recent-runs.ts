/** Reads statistics of workflows' recent runs: one small request each, few at the same time. */

import { type RunStatistics, runStatistics } from "../../executions/run-statistics.ts";
import type { N8nClient } from "../../n8n/client.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import type { TimeBudget } from "../request-limits.ts";
import { REQUESTS_AT_ONCE } from "../request-limits.ts";

export interface RecentRuns {
  readonly byWorkflow: ReadonlyMap<string, RunStatistics>;
  /** Workflows whose runs were not read, to spare n8n or because time ran out. */
  readonly notAsked: readonly string[];
}

const RUNS = 100;
const MAX_REQUESTS = 40;

/** @throws ObserverError */
export async function readRecentRuns(
  client: N8nClient,
  workflowIds: Iterable<string>,
  budget: TimeBudget,
): Promise<RecentRuns> {
  const distinct = [...new Set(workflowIds)];
  const byWorkflow = new Map<string, RunStatistics>();
  await mapConcurrently(
    budget.within(distinct.slice(0, MAX_REQUESTS)),
    REQUESTS_AT_ONCE,
    async (workflowId) => {
      const listed = await budget.tryOne(
        async (options) => await client.listExecutions({ workflowId, limit: RUNS }, options),
      );
      if (listed !== undefined) byWorkflow.set(workflowId, runStatistics(listed.executions));
    },
  );
  return { byWorkflow, notAsked: distinct.filter((id) => !byWorkflow.has(id)) };
}
