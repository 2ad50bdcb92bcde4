/** Every workflow of the instance with its nodes, one after another, without holding more than one. */
import type { N8nClient, RequestOptions, WorkflowQuery } from "./client.ts";
import type { ListedWorkflow } from "./workflow-reading.ts";

/** n8n holds a page in its memory, once with the draft and once with the published version. */
const PAGE = 100;
/** Far more than any instance that was seen; a bound against a cursor that never ends. */
const MAX_PAGES = 100;

/**
 * Hands on each workflow as it arrives; `take` keeps what it needs of it.
 * @returns whether that was all of them
 */
export async function eachWorkflow(
  client: N8nClient,
  take: (listed: ListedWorkflow) => void,
  query: Pick<WorkflowQuery, "active" | "tags"> = {},
  options: RequestOptions = {},
): Promise<boolean> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const next = await client.streamWorkflows({ ...query, limit: PAGE, cursor }, take, options);
    if (next === null) return true;
    cursor = next;
  }
  return false;
}
