/** Reads a workflow's last successes, to compare an execution with them, in one request, whatever their size. */
import type { ReadBounds } from "../json/bounded-reader.ts";
import { cursorBelow } from "./execution-cursor.ts";
import { shapesOfList } from "./explanation-plans.ts";
import type { ExecutionWithData } from "./schemas.ts";
import type { VisibleN8n } from "./visible-n8n.ts";

/** One to compare with, and two to show what is normal. */
const LAST_SUCCESSES = 3;

/** Returns only executions older than `id`, newest first. @throws ObserverError when n8n fails */
export async function readLastSuccesses(
  client: VisibleN8n,
  { workflowId, id }: { readonly workflowId: string; readonly id: string },
  boundsOf: (executions: number) => ReadBounds = shapesOfList,
): Promise<readonly ExecutionWithData[]> {
  const cursor = cursorBelow(id, LAST_SUCCESSES);
  const query = { workflowId, status: "success", limit: LAST_SUCCESSES, cursor } as const;
  return await client.readExecutions(query, boundsOf(LAST_SUCCESSES));
}
