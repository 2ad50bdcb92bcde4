/** The same executions in another order: by workflow, those that requests come in through first. */
import * as z from "zod";
import { pagesWithData } from "../bench/drain.ts";
import { getFromN8n, type ListedExecution, type N8nAccess } from "../bench/n8n-access.ts";

const workflowPage = z.object({
  data: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ type: z.string() })) })),
});

const ENTRY_NODE = /webhook$|mcpTrigger$|formTrigger$|scheduleTrigger$|chatTrigger$/i;

async function entryWorkflowIds(n8n: N8nAccess): Promise<Set<string>> {
  const { data } = workflowPage.parse(await (await getFromN8n(n8n, "/workflows?limit=250")).json());
  const entries = data.filter(({ nodes }) => nodes.some(({ type }) => ENTRY_NODE.test(type)));
  return new Set(entries.map(({ id }) => id));
}

export interface WorkflowPages {
  readonly entry: readonly string[];
  readonly others: readonly string[];
}

/** Pages by workflow. @param executions newest first */
export async function pagesByWorkflow(
  n8n: N8nAccess,
  executions: readonly ListedExecution[],
  size: number,
): Promise<WorkflowPages> {
  const entries = await entryWorkflowIds(n8n);
  const pagesOf = (isEntry: boolean): string[] => {
    const wanted = executions.filter(({ workflowId }) => entries.has(workflowId) === isEntry);
    return [...Map.groupBy(wanted, ({ workflowId }) => workflowId)].flatMap(([workflowId, own]) =>
      pagesWithData(
        own.map(({ id }) => id),
        size,
        workflowId,
      ),
    );
  };
  return { entry: pagesOf(true), others: pagesOf(false) };
}
