/**
 * Reads what an explanation needs, with at most two requests to n8n: the execution, and then the one thing that can
 * explain more: the failed sub-workflow execution, the workflow that could not be called, or the last successes.
 */

import { comparedFacts } from "../../executions/causes/compared.ts";
import {
  type ExecutionView,
  type ExplainContext,
  type ExplainedBelow,
  viewOf,
} from "../../executions/causes/execution-view.ts";
import { type FoundFacts, factsOf } from "../../executions/causes/explain.ts";
import { type CauseId, causeOf, type Fact } from "../../executions/causes/fact.ts";
import { withFirstItems } from "../../executions/causes/first-items.ts";
import { uncalledWorkflow } from "../../executions/causes/rules/sub-workflow.ts";
import { chooseSuccess } from "../../executions/comparison/choose-success.ts";
import { compareExecutions } from "../../executions/comparison/compare-executions.ts";
import { mentionedIn } from "../../executions/known-fields.ts";
import { linksOf } from "../../executions/links.ts";
import type { N8nClient } from "../../n8n/client.ts";
import { cursorBelow } from "../../n8n/execution-cursor.ts";
import { explanation, explanationOfList } from "../../n8n/explanation-plans.ts";
import { readLastSuccesses } from "../../n8n/last-successes.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import type { Clock } from "../../platform/clock.ts";
import { ObserverError } from "../../platform/errors.ts";

export interface Explained extends FoundFacts {
  readonly execution: ExecutionWithData;
  readonly comparedWith: ExecutionWithData | null;
  readonly incomplete: readonly string[];
}

/** A comparison with an earlier success does not help with these causes. */
const ALONE: ReadonlySet<CauseId> = new Set<CauseId>([
  ...(["running", "waiting", "canceled_by_hand", "timed_out", "canceled", "crashed"] as const),
  ...(["sub_workflow_failed", "node_not_installed", "stopped_on_purpose", "nothing_wrong"] as const),
  ...(["withheld", "too_large", "no_data", "error_caught", "error_handled", "error_as_data"] as const),
  ...(["tool_failed", "agent_stopped", "not_answered", "node_disabled", "hint", "certificate"] as const),
]);

/** An execution that takes this long to read is large, as are the ones before it: reading three more is not worth it. */
const LONG_MS = 2_000;

/** @throws ObserverError `EXECUTION_NOT_FOUND`, or an `N8N_…` code */
export async function readExplained(
  client: N8nClient,
  id: string,
  clock: Pick<Clock, "now">,
): Promise<Explained> {
  const start = clock.now();
  const execution = await client.readExecution(id, explanation());
  const isLong = clock.now() - start > LONG_MS;
  const view = viewOf(execution);
  const first = factsOf(view);
  const none = { execution, comparedWith: null, incomplete: incompleteOf(view) };
  try {
    return await withMore(client, view, { ...none, ...first }, isLong);
  } catch (error) {
    // The facts of the execution itself are still known.
    if (!(error instanceof ObserverError)) throw error;
    return { ...none, ...first, incomplete: [...none.incomplete, "n8n_did_not_tell_more"] };
  }
}

async function withMore(
  client: N8nClient,
  view: ExecutionView,
  first: Explained,
  isLong: boolean,
): Promise<Explained> {
  const { execution } = first;
  const called = uncalledWorkflow(view);
  if (called !== null) {
    const calledWorkflow = await stateOf(client, called);
    return { ...first, ...factsOf(viewOf(execution, { calledWorkflow })) };
  }
  const cause = causeOf(first.root);
  if (cause === "sub_workflow_failed") {
    const context = await failedBelow(client, first.root.executionId ?? null, execution.id);
    return { ...first, ...factsOf(viewOf(execution, context)) };
  }
  const isTold = ALONE.has(cause) || view.isWithheld || execution.mode === "manual";
  if (isTold) return first;
  return isLong
    ? { ...first, incomplete: [...first.incomplete, "not_compared"] }
    : await withComparison(client, first);
}

async function stateOf(client: N8nClient, workflowId: string): Promise<"missing" | "unpublished"> {
  try {
    await client.readWorkflowName(workflowId);
    return "unpublished";
  } catch (error) {
    if (error instanceof ObserverError && error.code === "WORKFLOW_NOT_FOUND") return "missing";
    throw error;
  }
}

/** A sub-workflow starts while its caller runs, so its id follows soon: one request covers this many levels. */
const MAX_DEPTH = 10;

/**
 * The failed sub-workflow executions, deepest last; empty where n8n has deleted them.
 * @param executionId the one that was called; null where only it names its caller
 */
async function failedBelow(
  client: N8nClient,
  executionId: string | null,
  callerId: string,
): Promise<ExplainContext> {
  const beyond = String(BigInt(executionId ?? callerId) + BigInt(MAX_DEPTH));
  const cursor = cursorBelow(beyond, MAX_DEPTH);
  const query = { status: "error", limit: MAX_DEPTH, cursor } as const;
  const failed = await client.readExecutions(query, explanationOfList(MAX_DEPTH));
  const byId = new Map(failed.map((execution) => [execution.id, execution]));
  const chain: ExplainedBelow[] = [];
  const isCalled = (one: ExecutionWithData): boolean => linksOf(one).parent?.executionId === callerId;
  let next: string | undefined = executionId ?? failed.findLast(isCalled)?.id;
  while (next !== undefined && chain.length < MAX_DEPTH) {
    const execution = byId.get(next);
    if (execution === undefined) break;
    byId.delete(next);
    const { root: fact } = factsOf(viewOf(execution));
    chain.push({ executionId: next, workflowName: execution.workflowData?.name ?? null, fact });
    next = causeOf(fact) === "sub_workflow_failed" ? fact.executionId : undefined;
  }
  return { failedBelow: chain };
}

async function withComparison(client: N8nClient, explained: Explained): Promise<Explained> {
  const { execution, root, others } = explained;
  const now = withFirstItems(execution);
  const chosen = chooseSuccess(now, await readLastSuccesses(client, now));
  if (chosen === null) return explained;
  const isKnown = mentionedIn([now, chosen.success]);
  const comparison = compareExecutions(now, chosen.success, chosen.ordinary, isKnown);
  const { shared, added, removed } = comparison.workflow;
  if (shared < RECOGNIZABLE * (shared + Math.max(added.length, removed.length)))
    return { ...explained, incomplete: [...explained.incomplete, "edited_beyond_recognition"] };
  const node = root.failedNode ?? root.node;
  const compared = comparedFacts({ isKnown, before: chosen.success, comparison, node });
  // The node where it began and the node that failed come first.
  const isFailing = (fact: Fact): boolean => ["failing_node", "field_missing"].includes(causeOf(fact));
  const failing = others.filter(isFailing);
  const rest = others.filter((fact) => !isFailing(fact));
  return { ...explained, others: [...failing, ...compared, ...rest], comparedWith: chosen.success };
}

/** Below this share of common nodes, it counts as another workflow. */
const RECOGNIZABLE = 0.3;

function incompleteOf({ execution, isWithheld, runs, error }: ExecutionView): string[] {
  const hasEnded = execution.stoppedAt !== null;
  return [
    ...(isWithheld ? ["withheld"] : []),
    ...(execution.dataTooLargeToDisplay === true ? ["too_large"] : []),
    ...(hasEnded && runs.size === 0 && error === undefined && execution.dataTooLargeToDisplay !== true
      ? ["not_saved"]
      : []),
  ];
}
