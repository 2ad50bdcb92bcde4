/** From a workflow's name to the workflow; from workflow ids to their names. */

import type { N8nClient } from "../n8n/client.ts";
import type { WorkflowListItem } from "../n8n/schemas.ts";
import { counted } from "../platform/counted.ts";
import { visibleName } from "../platform/display-name.ts";
import { ObserverError } from "../platform/errors.ts";
import { nearestNames } from "../platform/nearest-names.ts";

const PAGE = 250;
/** Far more workflows than any instance that was seen; a bound against a cursor that never ends. */
const MAX_PAGES = 40;

/** Every workflow, published or not. */
async function listAllWorkflows(client: N8nClient): Promise<WorkflowListItem[]> {
  const all: WorkflowListItem[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { workflows, nextCursor } = await client.listWorkflows({ limit: PAGE, cursor });
    all.push(...workflows);
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return all;
}

/** Without regard to case and to what does not show: names are shown that way. */
function showsAlike(a: string, b: string): boolean {
  return visibleName(a).toLowerCase() === visibleName(b).toLowerCase();
}

/**
 * The one workflow with this name: exactly, else as it shows, without regard to case.
 * @throws ObserverError `WORKFLOW_NOT_FOUND` with the nearest names, `VALIDATION_ERROR` when several fit
 */
export function chooseByName<Workflow extends Pick<WorkflowListItem, "id" | "name" | "active">>(
  all: readonly Workflow[],
  name: string,
): Workflow {
  const exact = all.filter((workflow) => workflow.name === name);
  const found = exact.length > 0 ? exact : all.filter((workflow) => showsAlike(workflow.name, name));
  const [only] = found;
  if (only === undefined) {
    throw new ObserverError("WORKFLOW_NOT_FOUND", "No workflow has this name.", {
      field: "workflowName",
      candidates: nearestNames(
        name,
        all.map((workflow) => workflow.name),
      ),
      solution: "Use one of the candidates, or list_workflows to see all.",
    });
  }
  if (found.length > 1) {
    throw new ObserverError("VALIDATION_ERROR", `${counted(found.length, "workflow")} have this name.`, {
      field: "workflowName",
      expected: "a name that only one workflow has, or a workflowId",
      candidates: found
        .slice(0, 10)
        .map(
          ({ id, name: full, active }) =>
            `${visibleName(full)} (workflowId ${id}, ${active ? "active" : "not active"})`,
        ),
      solution: "Call again with the workflowId of the one you mean.",
    });
  }
  return only;
}

/** A workflow as an agent names it. */
export interface NamedWorkflow {
  readonly workflowId?: string | undefined;
  readonly workflowName?: string | undefined;
}

/** @throws ObserverError `VALIDATION_ERROR` when a workflow is named both by id and by name */
export function requireOneName(named: NamedWorkflow): void {
  if (named.workflowId !== undefined && named.workflowName !== undefined) {
    throw new ObserverError("VALIDATION_ERROR", "Both workflowId and workflowName are given.", {
      field: "workflowName",
      expected: "one of the two",
      solution: "Leave workflowName out: the id is exact.",
    });
  }
}

/**
 * The id of the workflow that an agent named, by id or by name; undefined when it named none.
 * @throws ObserverError `VALIDATION_ERROR` when it named both
 */
export async function findWorkflowId(client: N8nClient, named: NamedWorkflow): Promise<string | undefined> {
  requireOneName(named);
  if (named.workflowName !== undefined)
    return chooseByName(await listAllWorkflows(client), named.workflowName).id;
  // Executions of a workflow that does not exist would be an empty list: say that it does not exist.
  if (named.workflowId !== undefined) return (await client.readWorkflow(named.workflowId)).id;
  return undefined;
}

/**
 * The id of the workflow that an agent must name, by id or by name. Whether one with the id exists is told by
 * what reads it.
 * @throws ObserverError `VALIDATION_ERROR` when it named both, or neither; `WORKFLOW_NOT_FOUND`
 */
export async function requireWorkflowId(client: () => N8nClient, named: NamedWorkflow): Promise<string> {
  requireOneName(named);
  if (named.workflowId !== undefined) return named.workflowId;
  if (named.workflowName !== undefined)
    return chooseByName(await listAllWorkflows(client()), named.workflowName).id;
  throw new ObserverError("VALIDATION_ERROR", "Neither workflowId nor workflowName is given.", {
    field: "workflowId",
    expected: "the id of a workflow, or its name as workflowName",
    solution: "list_workflows has ids and names: call again with one of them.",
  });
}

/** Asking one by one is cheaper up to here: a list sends whole workflows. */
const MAX_SINGLE_READS = 4;

/** Names by id. A workflow that was deleted is not in the map. */
export async function workflowNames(client: N8nClient, ids: Iterable<string>): Promise<Map<string, string>> {
  const distinct = [...new Set(ids)];
  if (distinct.length > MAX_SINGLE_READS) {
    const all = await listAllWorkflows(client);
    return new Map(all.map((workflow) => [workflow.id, workflow.name]));
  }
  const names = new Map<string, string>();
  for (const id of distinct) {
    const name = await nameOf(client, id);
    if (name !== undefined) names.set(id, name);
  }
  return names;
}

async function nameOf(client: N8nClient, id: string): Promise<string | undefined> {
  try {
    return (await client.readWorkflow(id)).name;
  } catch (error) {
    if (error instanceof ObserverError && error.code === "WORKFLOW_NOT_FOUND") return undefined;
    throw error;
  }
}
