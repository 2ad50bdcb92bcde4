/** Leads from a workflow's name to the workflow, and from workflow ids to their names. */
import type { N8nClient } from "../n8n/client.ts";
import type { WorkflowListItem } from "../n8n/schemas.ts";
import { mapConcurrently } from "../platform/bounded-concurrency.ts";
import type { Clock } from "../platform/clock.ts";
import { counted } from "../platform/counted.ts";
import { visibleName } from "../platform/display-name.ts";
import { ObserverError } from "../platform/errors.ts";
import { nearestNames } from "../platform/nearest-names.ts";
import { REQUESTS_AT_ONCE, TimeBudget } from "./request-limits.ts";

const PAGE = 250;
/** n8n sends whole workflows, up to 250 of them a page. */
const LIST_BUDGET_MS = 30_000;
/** Each is a request of its own. */
const MAX_NAMES = 20;
const MAX_CANDIDATES = 10;

/** Compares names as they are shown, without regard to case. */
const showsAlike = (a: string, b: string): boolean =>
  visibleName(a).toLowerCase() === visibleName(b).toLowerCase();

/**
 * The one workflow with this name: exactly, else as it shows, without regard to case.
 * @throws ObserverError `WORKFLOW_NOT_FOUND` with the nearest names, `VALIDATION_ERROR` when several fit
 */
export function chooseByName<Workflow extends Pick<WorkflowListItem, "id" | "name" | "active">>(
  all: readonly Workflow[],
  wanted: string,
): Workflow {
  const exact = all.filter(({ name }) => name === wanted);
  const found = exact.length > 0 ? exact : all.filter(({ name }) => showsAlike(name, wanted));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) {
    const names = all.map(({ name }) => name);
    throw new ObserverError("WORKFLOW_NOT_FOUND", "No workflow has this name.", {
      field: "workflowName",
      candidates: nearestNames(wanted, names),
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

/** @throws ObserverError `VALIDATION_ERROR` when a workflow is named both by id and by name */
export function requireOneName({ workflowId, workflowName }: NamedWorkflow): void {
  if (workflowId === undefined || workflowName === undefined) return;
  throw new ObserverError("VALIDATION_ERROR", "Both workflowId and workflowName are given.", {
    field: "workflowName",
    expected: "one of the two",
    solution: "Leave workflowName out: the id is exact.",
  });
}

/** The error when not all workflows could be read, and none of those that were has the name. */
export const notAmongRead = (count: number): ObserverError =>
  new ObserverError("WORKFLOW_NOT_FOUND", `None of the workflows that were read (${count}) has this name.`, {
    field: "workflowName",
    solution:
      "Not all could be read: n8n is slow, or has very many. Call again with workflowId; list_workflows with name finds it.",
  });

/**
 * The id of the workflow that an agent must name. Whether one with a given id exists shows when it is read.
 * @throws ObserverError `VALIDATION_ERROR` when it named both id and name, or neither; `WORKFLOW_NOT_FOUND`
 */
export async function requireWorkflowId(
  client: () => N8nClient,
  clock: Clock,
  named: NamedWorkflow,
): Promise<string> {
  requireOneName(named);
  const id = named.workflowId ?? (named.workflowName && (await findWorkflowId(client(), clock, named)));
  if (id !== undefined) return id;
  throw new ObserverError("VALIDATION_ERROR", "Neither workflowId nor workflowName is given.", {
    field: "workflowId",
    expected: "the id of a workflow, or its name as workflowName",
    solution: "list_workflows has ids and names: call again with one of them.",
  });
}

/** Names and ids of workflows for one call, each asked for once. */
export class WorkflowNames {
  readonly #client: N8nClient;
  readonly #clock: Clock;
  readonly #names = new Map<string, string>();

  constructor(client: N8nClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * The id of the workflow that an agent named, by id or by name; undefined when it named none.
   * @throws ObserverError `VALIDATION_ERROR` when it named both, `WORKFLOW_NOT_FOUND`
   */
  async idOf(named: NamedWorkflow): Promise<string | undefined> {
    requireOneName(named);
    const { workflowId, workflowName } = named;
    if (workflowName !== undefined) return await this.#find(workflowName);
    // Executions of a workflow that does not exist would be an empty list: say that it does not exist.
    if (workflowId !== undefined)
      this.#names.set(workflowId, await this.#client.readWorkflowName(workflowId));
    return workflowId;
  }

  /** Names by id, without those of deleted workflows; `notAsked` counts those left out to spare n8n. */
  async namesOf(
    ids: Iterable<string>,
  ): Promise<{ readonly names: ReadonlyMap<string, string>; readonly notAsked: number }> {
    const unknown = [...new Set(ids)].filter((id) => !this.#names.has(id));
    const asked = unknown.slice(0, MAX_NAMES);
    await mapConcurrently(asked, REQUESTS_AT_ONCE, async (id) => {
      const name = await this.#nameOf(id);
      if (name !== undefined) this.#names.set(id, name);
    });
    return { names: this.#names, notAsked: unknown.length - asked.length };
  }

  async #nameOf(id: string): Promise<string | undefined> {
    try {
      return await this.#client.readWorkflowName(id);
    } catch (error) {
      if (error instanceof ObserverError && error.code === "WORKFLOW_NOT_FOUND") return undefined;
      throw error;
    }
  }

  async #find(wanted: string): Promise<string> {
    const { id, name } = (await this.#listNamed(wanted)) ?? (await this.#chooseAmongAll(wanted));
    this.#names.set(id, name);
    return id;
  }

  /** n8n looks for the name as a part of names; undefined when none of its first page has exactly this one. */
  async #listNamed(name: string): Promise<WorkflowListItem | undefined> {
    const { workflows, nextCursor } = await this.#client.listWorkflows({ name, limit: PAGE });
    const isThere = nextCursor === null && workflows.some((each) => each.name === name);
    return isThere ? chooseByName(workflows, name) : undefined;
  }

  async #chooseAmongAll(name: string): Promise<WorkflowListItem> {
    const budget = new TimeBudget(this.#clock, LIST_BUDGET_MS);
    const all: WorkflowListItem[] = [];
    let cursor: string | undefined;
    do {
      if (cursor !== undefined && budget.leftMs <= 0) throw notAmongRead(all.length);
      const page = await this.#client.listWorkflows({ limit: PAGE, cursor }, budget.requestOptions);
      all.push(...page.workflows);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return chooseByName(all, name);
  }
}

/** @see WorkflowNames.idOf */
export const findWorkflowId = async (client: N8nClient, clock: Clock, named: NamedWorkflow) =>
  await new WorkflowNames(client, clock).idOf(named);
