/**
 * Reads what an explanation needs: the execution, and then at once whatever can explain more: the last successes, the
 * failed sub-workflow executions, the workflow that could not be called.
 */

import { flowFacts } from "../../executions/causes/changed-flow.ts";
import { comparedFacts } from "../../executions/causes/compared.ts";
import {
  type ExecutionView,
  type ExplainedBelow,
  type Relative,
  viewOf,
} from "../../executions/causes/execution-view.ts";
import { type FoundFacts, factsOf } from "../../executions/causes/explain.ts";
import { type CauseId, causeOf, type Fact } from "../../executions/causes/fact.ts";
import { CALLED_TRIGGER } from "../../executions/causes/field-trace.ts";
import { withFirstItems } from "../../executions/causes/first-items.ts";
import { uncalledWorkflow } from "../../executions/causes/rules/sub-workflow.ts";
import { inOrder } from "../../executions/causes/steps.ts";
import { type ChosenSuccess, chooseSuccess } from "../../executions/comparison/choose-success.ts";
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
  ...(["running", "waiting", "canceled_by_hand", "crashed", "node_not_installed"] as const),
  ...(["withheld", "too_large", "no_data", "certificate"] as const),
]);

/** An execution that takes this long to read is large, as are the ones before it: reading three more is not worth it. */
const LONG_MS = 2_000;

/** @throws ObserverError `EXECUTION_NOT_FOUND`, or an `N8N_…` code */
export async function readExplained(
  client: N8nClient,
  id: string,
  clock: Pick<Clock, "now">,
  relatives: Promise<readonly Relative[]> = Promise.resolve([]),
): Promise<Explained> {
  const start = clock.now();
  const execution = await client.readExecution(id, explanation());
  const isLong = clock.now() - start > LONG_MS;
  const view = viewOf(execution);
  const first = factsOf(view);
  const cause = causeOf(first.root);
  const isTold = ALONE.has(cause) || view.isWithheld || execution.mode === "manual";
  const missing: string[] = incompleteOf(view);
  /** What n8n refuses or fails to tell is missing from the answer, and the rest of it still stands. */
  const orMissing = async <Part>(reading: Promise<Part> | undefined): Promise<Part | undefined> => {
    try {
      return await reading;
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
      if (!missing.includes("n8n_did_not_tell_more")) missing.push("n8n_did_not_tell_more");
      return undefined;
    }
  };
  if (!isTold && isLong) missing.push("not_compared");
  const [caller, retried, calledWorkflow, below, successes = [], related] = await Promise.all([
    orMissing(callerOf(client, view, first)),
    orMissing(retriedBy(client, execution)),
    orMissing(stateOfCalled(client, view)),
    orMissing(cause === "sub_workflow_failed" ? failedBelow(client, first.root, view) : undefined),
    orMissing(isTold || isLong ? undefined : readLastSuccesses(client, execution, explanationOfList)),
    relatives,
  ]);
  const chosen = chooseSuccess(execution, successes);
  const alike = chosen === null ? [] : [chosen.success, ...chosen.ordinary];
  const facts = factsOf(
    viewOf(execution, {
      ...(caller === undefined ? {} : { caller }),
      ...(retried === undefined ? {} : { retried }),
      ...(calledWorkflow === undefined ? {} : { calledWorkflow }),
      ...(below === undefined ? {} : { failedBelow: below }),
      successes: alike.map((one) => viewOf(one)),
      relatives: related,
    }),
  );
  const explained = { execution, ...facts, comparedWith: null, incomplete: missing };
  const compared = chosen === null ? explained : withComparison(explained, chosen);
  return { ...compared, others: inOrder(compared.others, execution.status !== "success") };
}

/** The caller is read where what went wrong came in with the call, or may have. */
async function callerOf(
  client: N8nClient,
  { execution, nodes, failed }: ExecutionView,
  { root, others }: FoundFacts,
): Promise<ExecutionView | undefined> {
  const { parent } = linksOf(execution);
  const isFromCall = [root, ...others].some(({ node }) => nodes.get(node ?? "")?.type === CALLED_TRIGGER);
  if (parent === null || execution.mode === "error" || (failed === null && !isFromCall)) return undefined;
  if (!/^\d+$/.test(parent.executionId)) return undefined;
  return viewOf(await client.readExecution(parent.executionId, explanation()));
}

async function retriedBy(
  client: N8nClient,
  { retryOf }: ExecutionWithData,
): Promise<ExecutionView | undefined> {
  return retryOf === null ? undefined : viewOf(await client.readExecution(retryOf, explanation()));
}

async function stateOfCalled(
  client: N8nClient,
  view: ExecutionView,
): Promise<"missing" | "unpublished" | undefined> {
  const called = uncalledWorkflow(view);
  return called === null ? undefined : await stateOf(client, called);
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
 * @param executionId the one that was called; undefined where only it names its caller
 * @param view the caller
 */
async function failedBelow(
  client: N8nClient,
  { executionId }: Fact,
  view: ExecutionView,
): Promise<readonly ExplainedBelow[]> {
  const callerId = view.execution.id;
  const beyond = String(BigInt(executionId ?? callerId) + BigInt(MAX_DEPTH));
  const cursor = cursorBelow(beyond, MAX_DEPTH);
  const query = { status: "error", limit: MAX_DEPTH, cursor } as const;
  const failed = await client.readExecutions(query, explanationOfList(MAX_DEPTH));
  const byId = new Map(failed.map((execution) => [execution.id, execution]));
  const chain: ExplainedBelow[] = [];
  let caller = view;
  const isCalled = (one: ExecutionWithData): boolean => linksOf(one).parent?.executionId === callerId;
  let next: string | undefined = executionId ?? failed.findLast(isCalled)?.id;
  while (next !== undefined && chain.length < MAX_DEPTH) {
    const execution = byId.get(next);
    if (execution === undefined) break;
    byId.delete(next);
    // The fields of its input are followed into its caller.
    caller = viewOf(execution, { caller });
    const { root: fact } = factsOf(caller);
    chain.push({ executionId: next, workflowName: execution.workflowData?.name ?? null, fact });
    next = causeOf(fact) === "sub_workflow_failed" ? fact.executionId : undefined;
  }
  return chain;
}

function withComparison(explained: Explained, { success, ordinary }: ChosenSuccess): Explained {
  const { execution, root, others } = explained;
  const [now, before, ...alike] = [execution, success, ...ordinary].map(withFirstItems);
  if (now === undefined || before === undefined) return explained;
  const isKnown = mentionedIn([now, before]);
  const comparison = compareExecutions(now, before, alike, isKnown);
  const { shared, added, removed } = comparison.workflow;
  if (shared < RECOGNIZABLE * (shared + Math.max(added.length, removed.length)))
    return { ...explained, incomplete: [...explained.incomplete, "edited_beyond_recognition"] };
  const node = root.failedNode ?? root.node;
  const compared = comparedFacts({ isKnown, now: execution, before: success, comparison, node });
  if (execution.status === "success" && !isTrusted(root)) {
    const flow = flowFacts(comparison, before.id);
    const [first = root, ...more] = inOrderOfTrust([root, ...others], compared, flow);
    return { ...explained, root: first, others: more, comparedWith: success };
  }
  return { ...explained, others: [...compared, ...others], comparedWith: success };
}

const isTrusted = ({ confidence = "exact" }: Fact): boolean =>
  confidence === "exact" || confidence === "likely";

/** For a success of which nothing certain is known: edits first, then what was seen, then what else differs. */
function inOrderOfTrust(seen: readonly Fact[], compared: readonly Fact[], flow: readonly Fact[]): Fact[] {
  const isEdit = (fact: Fact): boolean => causeOf(fact) === "edited";
  const isNothing = (fact: Fact): boolean => causeOf(fact) === "nothing_found";
  const found = seen.filter((fact) => !isNothing(fact));
  const other = [...compared.filter(isEdit), ...found, ...compared.filter((fact) => !isEdit(fact)), ...flow];
  if (other.length === 0) return [...seen];
  const isOnlyOther = other.every((fact) => ["differs", "outcome"].includes(causeOf(fact)));
  return isOnlyOther ? [...other, { kind: "nothing_found.else", node: null, confidence: "observed" }] : other;
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
