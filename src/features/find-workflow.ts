/** From a workflow's name to the workflow; from workflow ids to their names. */

import type { N8nClient } from "../n8n/client.ts";
import type { WorkflowListItem } from "../n8n/schemas.ts";
import { mapConcurrently } from "../platform/bounded-concurrency.ts";
import type { Clock } from "../platform/clock.ts";
import { counted } from "../platform/counted.ts";
import { visibleName } from "../platform/display-name.ts";
import { ObserverError } from "../platform/errors.ts";
import { nearestNames } from "../platform/nearest-names.ts";
import { REQUESTS_AT_ONCE } from "./requests-at-once.ts";
import { TimeBudget } from "./time-budget.ts";

const PAGE = 250;
/** n8n sends whole workflows, up to 250 of them a page. */
const LIST_BUDGET_MS = 30_000;
/** Each is a request of its own. */
const MAX_NAMES = 20;

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

/** Of workflows of which not all could be read. */
export function notAmongRead(count: number): ObserverError {
  return new ObserverError(
    "WORKFLOW_NOT_FOUND",
    `None of the workflows that were read (${count}) has this name.`,
    {
      field: "workflowName",
      solution:
        "Not all could be read: n8n is slow, or has very many. Call again with workflowId; list_workflows with name finds it.",
    },
  );
}

/**
 * The id of the workflow that an agent must name, by id or by name. Whether one with the id exists is told by
 * what reads it.
 * @throws ObserverError `VALIDATION_ERROR` when it named both, or neither; `WORKFLOW_NOT_FOUND`
 */
export async function requireWorkflowId(
  client: () => N8nClient,
  clock: Clock,
  named: NamedWorkflow,
): Promise<string> {
  requireOneName(named);
  if (named.workflowId !== undefined) return named.workflowId;
  if (named.workflowName !== undefined) {
    const id = await findWorkflowId(client(), clock, named);
    if (id !== undefined) return id;
  }
  throw new ObserverError("VALIDATION_ERROR", "Neither workflowId nor workflowName is given.", {
    field: "workflowId",
    expected: "the id of a workflow, or its name as workflowName",
    solution: "list_workflows has ids and names: call again with one of them.",
  });
}

export interface NamesById {
  /** A workflow that was deleted is not in it. */
  readonly names: ReadonlyMap<string, string>;
  /** How many were not asked for, to spare n8n. */
  readonly notAsked: number;
}

/** Names and ids of workflows for one call. What was learnt is not asked for again. */
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
    if (workflowName !== undefined) return (await this.#find(workflowName)).id;
    // Executions of a workflow that does not exist would be an empty list: say that it does not exist.
    if (workflowId !== undefined)
      this.#names.set(workflowId, await this.#client.readWorkflowName(workflowId));
    return workflowId;
  }

  /** Names of the first so many of these. */
  async namesOf(ids: Iterable<string>): Promise<NamesById> {
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

  async #find(name: string): Promise<WorkflowListItem> {
    const found = (await this.#listNamed(name)) ?? (await this.#chooseAmongAll(name));
    this.#names.set(found.id, found.name);
    return found;
  }

  /** n8n looks for the name as a part of names; undefined when none of its first page has exactly this one. */
  async #listNamed(name: string): Promise<WorkflowListItem | undefined> {
    const { workflows, nextCursor } = await this.#client.listWorkflows({ name, limit: PAGE });
    const isWhole = nextCursor === null;
    return isWhole && workflows.some((each) => each.name === name)
      ? chooseByName(workflows, name)
      : undefined;
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
export async function findWorkflowId(
  client: N8nClient,
  clock: Clock,
  named: NamedWorkflow,
): Promise<string | undefined> {
  return await new WorkflowNames(client, clock).idOf(named);
}
