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
    if (nextCursor === null) return { labels: labelsOf(read), areAll };
    cursor = nextCursor;
  }
  return { labels: labelsOf(read), areAll: false };
}

const labelsOf = (workflows: readonly WorkflowFacts[]): ReadLabels["labels"] => ({
  tag: Object.fromEntries(workflows.map(({ id, tags }) => [id, tags])),
  project: Object.fromEntries(workflows.map(({ id, projectLabels }) => [id, projectLabels])),
});

/**
 * @throws ObserverError when no workflow that was read has one of the labels: `VALIDATION_ERROR`, or `N8N_TIMEOUT` if n8n has
 * more workflows
 */
export function workflowsWith(
  { labels, areAll }: ReadLabels,
  label: Label,
  wanted: readonly string[],
): string[] {
  const ids = Object.entries(labels[label]).flatMap(([id, own]) =>
    own.some((one) => wanted.includes(one)) ? [id] : [],
  );
  if (ids.length > 0) return ids;
  const [first = ""] = wanted;
  if (!areAll)
    throw new ObserverError("N8N_TIMEOUT", `No workflow that could be read has this ${label}.`, {
      field: `where.${label}`,
      solution: "Call again, or name one workflow.",
    });
  throw new ObserverError("VALIDATION_ERROR", `No workflow has this ${label}.`, {
    field: `where.${label}`,
    candidates: nearestNames(first, [...new Set(Object.values(labels[label]).flat())]),
    solution: `Use one of the candidates; query_executions with groupBy ["${label}"] shows all that ran.`,
  });
}
