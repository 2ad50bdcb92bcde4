/** Tags and projects of workflows, which the index does not hold: n8n's list of workflows, at most 5,000 of them. */
import type { VisibleN8n } from "../../n8n/visible-n8n.ts";
import type { WorkflowFacts } from "../../n8n/workflow-schemas.ts";
import { ObserverError } from "../../platform/errors.ts";
import { nearestNames } from "../../platform/nearest-names.ts";
import type { TimeBudget } from "../request-limits.ts";

const PAGE = 250;
const MAX_PAGES = 20;

export const LABELS = ["tag", "project"] as const;
type Label = (typeof LABELS)[number];
type Labels = Readonly<Record<string, readonly string[]>>;

export interface ReadLabels {
  readonly labels: Readonly<Record<Label, Labels>>;
  /** By workflow id, the ids of its projects. */
  readonly projectIds: Labels;
  /** False if n8n has more workflows than were read. */
  readonly areAll: boolean;
}

/** @throws ObserverError an `N8N_…` code */
export async function readLabels(client: VisibleN8n, budget: TimeBudget): Promise<ReadLabels> {
  const read: WorkflowFacts[] = [];
  let areAll = true;
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && (page === 0 || budget.leftMs > 0); page += 1) {
    const { workflows, unread, nextCursor } = await client.listWorkflowFacts(
      { limit: PAGE, cursor },
      budget.requestOptions,
    );
    read.push(...workflows);
    areAll &&= unread.length === 0;
    if (nextCursor === null) return { ...labelsOf(read), areAll };
    cursor = nextCursor;
  }
  return { ...labelsOf(read), areAll: false };
}

const labelsOf = (workflows: readonly WorkflowFacts[]): Omit<ReadLabels, "areAll"> => {
  const byId = (labels: (one: WorkflowFacts) => readonly string[]): Labels =>
    Object.fromEntries(workflows.map((one) => [one.id, labels(one)]));
  return {
    labels: {
      tag: byId(({ tags }) => tags),
      project: byId(({ sharedWith }) => sharedWith.map(({ label }) => label)),
    },
    projectIds: byId(({ sharedWith }) => sharedWith.map(({ id }) => id)),
  };
};

/**
 * @param values labels, or ids of projects
 * @throws ObserverError `VALIDATION_ERROR` if no workflow that was read has one of them
 */
export function workflowsWith(
  { labels, projectIds, areAll }: ReadLabels,
  label: Label,
  values: readonly string[],
): string[] {
  const idsOf = (id: string): readonly string[] => (label === "project" ? (projectIds[id] ?? []) : []);
  const ids = Object.entries(labels[label]).flatMap(([id, own]) =>
    [...own, ...idsOf(id)].some((one) => values.includes(one)) ? [id] : [],
  );
  if (ids.length > 0) return ids;
  const [first = ""] = values;
  const which = areAll ? "No workflow has" : "Not all workflows could be read, and none of those read has";
  throw new ObserverError("VALIDATION_ERROR", `${which} this ${label}.`, {
    field: `where.${label}`,
    candidates: nearestNames(first, [...new Set(Object.values(labels[label]).flat())]),
    solution: `Use one of the candidates; query_executions with groupBy ["${label}"] shows all that ran.`,
  });
}
