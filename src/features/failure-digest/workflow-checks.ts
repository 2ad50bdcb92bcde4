/**
 * What rows cannot tell: whether a workflow that is silent is still published, and whether a workflow that failed has
 * an error workflow that can run. A request for each workflow, few of them; what n8n does not tell stays unknown.
 */
import type { Unhandled } from "../../history/digest/digest-rows.ts";
import type { HistoryFailures } from "../../history/digest/failure-query.ts";
import type { SilentWorkflow } from "../../history/digest/silence.ts";
import type { N8nClient } from "../../n8n/client.ts";
import type { WorkflowWithNodes } from "../../n8n/workflow-schemas.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { ObserverError } from "../../platform/errors.ts";
import { REQUESTS_AT_ONCE } from "../requests-at-once.ts";
import type { TimeBudget } from "../time-budget.ts";

/** Each costs a request. */
const MAX_SILENT = 5;
const MAX_UNHANDLED = 3;

export interface CheckedSilence extends SilentWorkflow {
  /** Null when n8n does not tell. */
  readonly isPublished: boolean | null;
}

/** An error workflow that should have run, and did not. */
export interface UnhandledFailures extends Unhandled {
  readonly errorWorkflowId: string;
  readonly reason: "missing" | "unpublished" | "did_not_run";
}

export interface CheckDependencies {
  readonly client: N8nClient;
  readonly budget: TimeBudget;
  /** n8n runs none but published error workflows (n8n 2). */
  readonly mustBePublished: boolean;
}

type Read =
  | { readonly kind: "read"; readonly workflow: WorkflowWithNodes }
  | { readonly kind: "missing" | "unknown" };

/**
 * Those that are silent though they should not be. One that was unpublished is told once: while its last run is in the
 * window.
 */
export async function checkSilent(
  { silent }: Pick<HistoryFailures, "silent">,
  windowFrom: number,
  dependencies: CheckDependencies,
): Promise<CheckedSilence[]> {
  const newestFirst = silent.toSorted((a, b) => b.lastAt - a.lastAt);
  const checked = await mapConcurrently(newestFirst.slice(0, MAX_SILENT), REQUESTS_AT_ONCE, async (each) => {
    const read = await readWorkflow(each.workflowId, dependencies);
    return {
      ...each,
      isPublished: read.kind === "read" ? read.workflow.active : read.kind === "unknown" ? null : false,
    };
  });
  const others = newestFirst.slice(MAX_SILENT).map((each) => ({ ...each, isPublished: null }));
  return [...checked, ...others].filter(
    ({ isPublished, lastAt }) => isPublished !== false || lastAt >= windowFrom,
  );
}

export async function checkUnhandled(
  { unhandled }: Pick<HistoryFailures, "unhandled">,
  dependencies: CheckDependencies,
): Promise<UnhandledFailures[]> {
  const failed = unhandled.filter(({ failures, handled }) => failures > handled).slice(0, MAX_UNHANDLED);
  const checked = await mapConcurrently(failed, REQUESTS_AT_ONCE, async (each) => {
    const read = await readWorkflow(each.workflowId, dependencies);
    const errorWorkflowId = read.kind === "read" ? read.workflow.settings.errorWorkflow : undefined;
    if (typeof errorWorkflowId !== "string" || errorWorkflowId === "") return null;
    const reason = await reasonOf(errorWorkflowId, each, dependencies);
    return reason === null ? null : { ...each, errorWorkflowId, reason };
  });
  return checked.filter((each) => each !== null);
}

/** Runs of an error workflow may be kept nowhere: where none ever was, only what cannot have run is told. */
async function reasonOf(
  errorWorkflowId: string,
  { handled, handledBefore }: Unhandled,
  dependencies: CheckDependencies,
): Promise<UnhandledFailures["reason"] | null> {
  const read = await readWorkflow(errorWorkflowId, dependencies);
  if (read.kind === "missing") return "missing";
  if (read.kind === "read" && dependencies.mustBePublished && !read.workflow.active) return "unpublished";
  return handled + handledBefore > 0 ? "did_not_run" : null;
}

async function readWorkflow(id: string, { client, budget }: CheckDependencies): Promise<Read> {
  if (budget.leftMs <= 0) return { kind: "unknown" };
  try {
    return { kind: "read", workflow: await client.readWorkflowWithNodes(id, budget.requestOptions) };
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return { kind: error.code === "WORKFLOW_NOT_FOUND" ? "missing" : "unknown" };
  }
}
