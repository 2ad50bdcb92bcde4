/** Finds workflows by name, and the names of workflow ids. */
import type { WorkflowListItem } from "../n8n/schemas.ts";
import type { VisibleN8n } from "../n8n/visible-n8n.ts";
import { mapConcurrently } from "../platform/bounded-concurrency.ts";
import type { Clock } from "../platform/clock.ts";
import { counted } from "../platform/counted.ts";
import { visibleName } from "../platform/display-name.ts";
import { isNotFound, ObserverError, orElse } from "../platform/errors.ts";
import { nearestNames } from "../platform/nearest-names.ts";
import { REQUESTS_AT_ONCE, TimeBudget } from "./request-limits.ts";
import type { ToolContext } from "./tool-context.ts";

const PAGE = 250;
/** n8n sends whole workflows, up to 250 per page. */
const LIST_BUDGET_MS = 30_000;
/** Each name costs one request. */
const MAX_NAMES = 20;
const MAX_CANDIDATES = 10;

const looksAlike = (a: string, b: string): boolean =>
  visibleName(a).toLowerCase() === visibleName(b).toLowerCase();

/**
 * Finds the one workflow with exactly this name, otherwise the one whose displayed name is equal, ignoring case.
 * @throws ObserverError `WORKFLOW_NOT_FOUND` with the nearest names, `VALIDATION_ERROR` when several match
 */
export function chooseByName<Workflow extends Pick<WorkflowListItem, "id" | "name" | "active">>(
  all: readonly Workflow[],
  workflowName: string,
): Workflow {
  const exact = all.filter(({ name }) => name === workflowName);
  const found = exact.length > 0 ? exact : all.filter(({ name }) => looksAlike(name, workflowName));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) {
    const names = all.map(({ name }) => name);
    throw new ObserverError("WORKFLOW_NOT_FOUND", "No workflow has this name.", {
      field: "workflowName",
      candidates: nearestNames(workflowName, names),
      solution: "Use one of the candidates, or list_workflows to see all.",
    });
  }
  const shown = found
    .slice(0, MAX_CANDIDATES)
    .map(({ id, name, active }) => `${visibleName(name)} (workflowId ${id}, ${active ? "" : "not "}active)`);
  throw new ObserverError("VALIDATION_ERROR", `${counted(found.length, "workflow")} have this name.`, {
    field: "workflowName",
    expected: "a name that only one workflow has, or a workflowId",
    candidates: shown,
    solution: "Call again with the workflowId of the one you mean.",
  });
}

export interface NamedWorkflow {
  readonly workflowId?: string | undefined;
  readonly workflowName?: string | undefined;
}

type Finder = Pick<ToolContext, "n8n" | "clock">;

/** @throws ObserverError `VALIDATION_ERROR` when both id and name are given */
export function refuseIdAndName({ workflowId, workflowName }: NamedWorkflow): void {
  if (workflowId === undefined || workflowName === undefined) return;
  throw new ObserverError("VALIDATION_ERROR", "Both workflowId and workflowName are given.", {
    field: "workflowName",
    expected: "one of the two",
    solution: "Leave workflowName out: the id is exact.",
  });
}

/** The error when no workflow that was read has the name, but others could not be read. */
export const nameNotFoundYet = (count: number): ObserverError =>
  new ObserverError("WORKFLOW_NOT_FOUND", `None of the workflows that were read (${count}) has this name.`, {
    field: "workflowName",
    solution:
      "Not all could be read: n8n is slow, or has very many. Call again with workflowId; list_workflows with name finds it.",
  });

/**
 * The id of the workflow that a call must name. A given id is not checked here: reading the workflow does that.
 * @throws ObserverError `VALIDATION_ERROR` when both id and name are given, or neither; `WORKFLOW_NOT_FOUND`
 */
export async function requireWorkflowId(named: NamedWorkflow, finder: Finder) {
  refuseIdAndName(named);
  const id = named.workflowId ?? (await findWorkflowId(named, finder));
  if (id !== undefined) return id;
  throw new ObserverError("VALIDATION_ERROR", "Neither workflowId nor workflowName is given.", {
    field: "workflowId",
    expected: "the id of a workflow, or its name as workflowName",
    solution: "list_workflows has ids and names: call again with one of them.",
  });
}

/**
 * The workflow that a call names by id or by name; undefined when it names none.
 * @throws ObserverError `VALIDATION_ERROR` when both are given, `WORKFLOW_NOT_FOUND`
 */
export async function findWorkflow(named: NamedWorkflow, { n8n, clock }: Finder) {
  refuseIdAndName(named);
  const { workflowId: id, workflowName } = named;
  if (workflowName !== undefined)
    return (await listNamed(n8n(), workflowName)) ?? (await chooseAmongAll(n8n(), clock, workflowName));
  // Without this check, a missing workflow would look like one without executions.
  return id === undefined ? undefined : { id, name: await n8n().readWorkflowName(id) };
}

export const findWorkflowId = async (named: NamedWorkflow, finder: Finder) =>
  (await findWorkflow(named, finder))?.id;

/** n8n matches parts of names, so this looks for the exact name; undefined when it is not on the first page. */
async function listNamed(client: VisibleN8n, name: string): Promise<WorkflowListItem | undefined> {
  const { workflows, nextCursor } = await client.listWorkflows({ name, limit: PAGE });
  const isThere = nextCursor === null && workflows.some((each) => each.name === name);
  return isThere ? chooseByName(workflows, name) : undefined;
}

async function chooseAmongAll(client: VisibleN8n, clock: Clock, name: string): Promise<WorkflowListItem> {
  const budget = new TimeBudget(clock, LIST_BUDGET_MS);
  const all: WorkflowListItem[] = [];
  let cursor: string | undefined;
  do {
    if (cursor !== undefined && budget.leftMs <= 0) throw nameNotFoundYet(all.length);
    const page = await client.listWorkflows({ limit: PAGE, cursor }, budget.requestOptions);
    all.push(...page.workflows);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return chooseByName(all, name);
}

/**
 * Names by id, without deleted workflows; `unresolved` counts ids beyond `MAX_NAMES`, and those for which n8n failed.
 * @param known a workflow whose name was read before
 */
export async function workflowNames(
  client: VisibleN8n,
  ids: readonly string[],
  known: Pick<WorkflowListItem, "id" | "name"> | undefined,
) {
  const names = new Map(known && [[known.id, known.name]]);
  const unknown = [...new Set(ids)].filter((id) => !names.has(id));
  const resolved = await mapConcurrently(unknown.slice(0, MAX_NAMES), REQUESTS_AT_ONCE, async (id) => {
    const ask = async () => {
      names.set(id, await client.readWorkflowName(id));
      return true;
    };
    return await orElse(ask, isNotFound);
  });
  return { names, unresolved: unknown.length - resolved.filter(Boolean).length };
}
