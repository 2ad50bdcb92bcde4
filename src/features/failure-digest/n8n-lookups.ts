/**
 * Asks n8n for what the index does not know, one request each: why the newest execution of a group failed, whether a
 * silent workflow is still published, and whether a failed one has an error workflow that can run.
 */
import { failureOf, type OwnText, ownTextOf } from "../../executions/failure.ts";
import type { Unhandled } from "../../history/digest/digest-rows.ts";
import type { HistoryFailures, NamedGroup } from "../../history/digest/failure-query.ts";
import type { SilentWorkflow } from "../../history/digest/silence.ts";
import { OUTLINE } from "../../n8n/read-plans.ts";
import type { VisibleN8n } from "../../n8n/visible-n8n.ts";
import type { WorkflowWithNodes } from "../../n8n/workflow-schemas.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { ObserverError } from "../../platform/errors.ts";
import { REQUESTS_AT_ONCE, type TimeBudget } from "../request-limits.ts";
import { showFailure } from "../shown.ts";
import { contextOf, type ToolContext } from "../tool-context.ts";

export interface N8nLookup {
  readonly client: VisibleN8n;
  readonly budget: TimeBudget;
}

const MAX_EXPLAINED = 5;
/** Enough to recognize an error. */
const TEXT_LENGTH = 120;

/** Our sentence about a failure, and the error's own text where the caller may see it. */
export interface Explained {
  readonly why?: string;
  readonly ownText?: OwnText | undefined;
}

/** Explains the newest execution of each of the first groups. @returns by group */
export async function explainExamples(
  groups: readonly NamedGroup[],
  ask: N8nLookup,
  context: ToolContext,
): Promise<ReadonlyMap<string, Explained>> {
  const readable = groups.slice(0, MAX_EXPLAINED).filter(({ isExampleGone }) => !isExampleGone);
  const pairs = await mapConcurrently(
    readable,
    REQUESTS_AT_ONCE,
    async ({ group, exampleId }) => [group, await explain(exampleId, ask, context)] as const,
  );
  return new Map(pairs);
}

async function explain(id: string, { client, budget }: N8nLookup, context: ToolContext): Promise<Explained> {
  if (budget.leftMs <= 0) return {};
  try {
    const execution = await client.readExecution(id, OUTLINE, budget.requestOptions);
    const failure = failureOf(execution);
    if (failure === null) return {};
    const options = { context: await contextOf(context, execution.workflowId), length: TEXT_LENGTH };
    const { message, ownText } = showFailure(failure, ownTextOf(execution), options);
    return { why: message, ownText };
  } catch (error) {
    // The execution was deleted, or n8n is busy: the group then shows what the index knows.
    if (error instanceof ObserverError) return {};
    throw error;
  }
}

const MAX_SILENT = 5;
const MAX_UNHANDLED = 3;

export interface CheckedSilence extends SilentWorkflow {
  /** Null when unknown. */
  readonly isPublished: boolean | null;
}

/** An error workflow that should have run but did not. */
export interface UnhandledFailures extends Unhandled {
  readonly errorWorkflowId: string;
  readonly reason: "missing" | "unpublished" | "did_not_run";
}

type ReadWorkflow =
  | { readonly kind: "read"; readonly workflow: WorkflowWithNodes }
  | { readonly kind: "missing" | "unknown" };

/** Keeps workflows that should not be silent. An unpublished one is reported while its last run is in the window. */
export async function checkSilent(
  { silent }: Pick<HistoryFailures, "silent">,
  windowFrom: number,
  ask: N8nLookup,
): Promise<CheckedSilence[]> {
  const newestFirst = silent.toSorted((a, b) => b.lastAt - a.lastAt);
  const checked = await mapConcurrently(newestFirst.slice(0, MAX_SILENT), REQUESTS_AT_ONCE, async (each) => {
    const read = await readWorkflow(each.workflowId, ask);
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

/** @param mustBePublished whether this n8n runs only published error workflows (n8n 2) */
export async function checkUnhandled(
  { unhandled }: Pick<HistoryFailures, "unhandled">,
  ask: N8nLookup,
  mustBePublished: boolean,
): Promise<UnhandledFailures[]> {
  // Another workflow than the caller may see is not missing.
  const seesAll = await ask.client.seesAll();
  const failed = unhandled.filter(({ failures, handled }) => failures > handled).slice(0, MAX_UNHANDLED);
  const checked = await mapConcurrently(failed, REQUESTS_AT_ONCE, async (each) => {
    const read = await readWorkflow(each.workflowId, ask);
    const errorWorkflowId = read.kind === "read" ? read.workflow.settings.errorWorkflow : undefined;
    if (typeof errorWorkflowId !== "string" || errorWorkflowId === "") return null;
    const reason = reasonOf(await readWorkflow(errorWorkflowId, ask), each, mustBePublished, seesAll);
    return reason === null ? null : { ...each, errorWorkflowId, reason };
  });
  return checked.filter((each) => each !== null);
}

/** n8n may not save runs of an error workflow: if it never saved one, only a workflow that cannot run is reported. */
function reasonOf(
  read: ReadWorkflow,
  { handled, handledBefore }: Unhandled,
  mustBePublished: boolean,
  seesAll: boolean,
): UnhandledFailures["reason"] | null {
  if (read.kind === "missing") return seesAll ? "missing" : null;
  if (read.kind === "read" && mustBePublished && !read.workflow.active) return "unpublished";
  return handled + handledBefore > 0 ? "did_not_run" : null;
}

async function readWorkflow(id: string, { client, budget }: N8nLookup): Promise<ReadWorkflow> {
  if (budget.leftMs <= 0) return { kind: "unknown" };
  try {
    return { kind: "read", workflow: await client.readWorkflowWithNodes(id, budget.requestOptions) };
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return { kind: error.code === "WORKFLOW_NOT_FOUND" ? "missing" : "unknown" };
  }
}
