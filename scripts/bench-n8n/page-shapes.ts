/** The bare drain with several page sizes and another order, to justify the engine's choices. */
import * as z from "zod";
import { MAX_PAGE_SIZE } from "../../src/history/reading/page-size.ts";
import { pagesWithData } from "../bench/drain.ts";
import { inTurns, measureDrain } from "../bench/measure.ts";
import { getFromN8n, type ListedExecution, type N8nAccess } from "../bench/n8n-access.ts";
import { asMilliseconds, type Report } from "../bench/report.ts";
import { median } from "../bench/statistics.ts";
import { idsOf, type RealHistory } from "./real-traces.ts";

const REPETITIONS = 3;
const PAGE_SIZES = [50, 100, 250];

const shape = (what: string, paths: readonly string[]) => ({
  what: `${what} (${paths.length} pages)`,
  paths,
  times: [] as number[],
});

const workflowPage = z.object({
  data: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ type: z.string() })) })),
});

const ENTRY_NODE = /webhook$|mcpTrigger$|formTrigger$|scheduleTrigger$|chatTrigger$/i;

async function entryWorkflowIds(n8n: N8nAccess): Promise<Set<string>> {
  const { data } = workflowPage.parse(await (await getFromN8n(n8n, "/workflows?limit=250")).json());
  const entries = data.filter(({ nodes }) => nodes.some(({ type }) => ENTRY_NODE.test(type)));
  return new Set(entries.map(({ id }) => id));
}

/** Pages by workflow. @param executions newest first */
async function pagesByWorkflow(n8n: N8nAccess, executions: readonly ListedExecution[], size: number) {
  const entries = await entryWorkflowIds(n8n);
  const pagesOf = (isEntry: boolean): string[] => {
    const selected = executions.filter(({ workflowId }) => entries.has(workflowId) === isEntry);
    return [...Map.groupBy(selected, ({ workflowId }) => workflowId)].flatMap(([workflowId, own]) =>
      pagesWithData(
        own.map(({ id }) => id),
        size,
        workflowId,
      ),
    );
  };
  return { entry: pagesOf(true), others: pagesOf(false) };
}

export async function benchPageShapes(report: Report, { n8n, executions }: RealHistory): Promise<void> {
  const ids = idsOf(executions);
  const { entry, others } = await pagesByWorkflow(n8n, executions, MAX_PAGE_SIZE);
  const shapes = [
    ...PAGE_SIZES.map((size) =>
      shape(`bare drain, pages of ${size}, newest first`, pagesWithData(ids, size)),
    ),
    shape(`bare drain, pages of ${MAX_PAGE_SIZE} by workflow, entry workflows first`, [...entry, ...others]),
    shape("of these, the entry workflows alone", entry),
  ];
  const drains = shapes.map(({ paths, times }) => async () => {
    times.push((await measureDrain(n8n, paths)).milliseconds);
  });
  await inTurns(REPETITIONS, ...drains);
  for (const { what, times } of shapes) report.tell(what, asMilliseconds(median(times)));
}
