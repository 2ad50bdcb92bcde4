/** Reads every workflow of the instance with its nodes, one after another, holding only one at a time. */
import { LEAST_REQUEST_MS, REQUEST_MS } from "../platform/time-limits.ts";
import { isOutOfTime } from "./n8n-errors.ts";
import type { VisibleN8n } from "./visible-n8n.ts";
import type { ListedWorkflow } from "./workflow-reading.ts";

/** n8n holds a page in memory, both the drafts and the published versions. */
const PAGE = 100;
/** Far more than any instance seen so far; a limit in case the cursor never ends. */
const MAX_PAGES = 100;

/** Why a walk ended: no workflows were left, time was up, or the limit was reached. */
export type WalkEnd = "all" | "time" | "size";

/**
 * Calls `take` with each workflow as it arrives, including workflows of a page in which time runs out.
 * @param timeLeftMs how long the walk may still continue, in milliseconds
 * @throws ObserverError when n8n fails, or nothing arrived in time
 */
export async function eachWorkflow(
  client: VisibleN8n,
  take: (listed: ListedWorkflow) => void,
  timeLeftMs: () => number = () => Number.POSITIVE_INFINITY,
): Promise<WalkEnd> {
  let taken = 0;
  let cursor: string | undefined;
  const count = (listed: ListedWorkflow): void => {
    taken += 1;
    take(listed);
  };
  for (let page = 0; page < MAX_PAGES; page += 1) {
    if (page > 0 && timeLeftMs() <= 0) return "time";
    const timeoutMs = Math.min(REQUEST_MS.pageOfWorkflows, Math.max(LEAST_REQUEST_MS, timeLeftMs()));
    try {
      const next = await client.streamWorkflows({ limit: PAGE, cursor }, count, { timeoutMs });
      if (next === null) return "all";
      cursor = next;
    } catch (error) {
      const hasBegun = page > 0 || taken > 0;
      if (hasBegun && timeLeftMs() <= 0 && isOutOfTime(error)) return "time";
      throw error;
    }
  }
  return "size";
}
