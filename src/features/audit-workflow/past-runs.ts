/** When the nodes of a workflow last ran, and how long they took, in its newest stored executions. */
import { runsByNode } from "../../executions/node-runs.ts";
import { RUN_TIMES } from "../../n8n/read-plans.ts";
import type { RequestOptions } from "../../n8n/requests.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import type { VisibleN8n } from "../../n8n/visible-n8n.ts";

/** Few, because n8n sends executions whole. */
const MAX_EXECUTIONS = 10;

export type PastRuns = ReturnType<typeof toPastRuns>;

/** @throws ObserverError when n8n fails */
export const readPastRuns = async (client: VisibleN8n, workflowId: string, options: RequestOptions) =>
  toPastRuns(await client.readExecutions({ workflowId, limit: MAX_EXECUTIONS }, RUN_TIMES, options));

/** @param executions newest first; those that n8n sent without data do not count */
export function toPastRuns(executions: readonly ExecutionWithData[]) {
  const read = executions.filter(({ data }) => data?.resultData?.runData !== undefined);
  const runs = read.flatMap((execution) =>
    [...runsByNode(execution)].map(([node, ofNode]) => ({ node, startedAt: execution.startedAt, ofNode })),
  );
  return { executions: read.length, byNode: Map.groupBy(runs, ({ node }) => node) };
}

/** The longest run of a node, with all its tries; undefined if it did not run. */
export function longestMs({ byNode }: PastRuns, node: string): number | undefined {
  const times = byNode.get(node)?.flatMap(({ ofNode }) => ofNode.map(({ executionTime }) => executionTime));
  return times?.reduce((longest, time) => Math.max(longest, time), 0);
}

export function toSentence({ executions, byNode }: PastRuns, node: string): string {
  const runs = byNode.get(node) ?? [];
  const last = runs[0]?.startedAt ? `, last in the one of ${runs[0].startedAt}` : "";
  return `Ran in ${runs.length} of the newest executions (${executions} read)${last}.`;
}
