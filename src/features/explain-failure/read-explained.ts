/**
 * Reads what an explanation needs: first the execution, then in parallel whatever can explain more: the last successes,
 * the executions that it called, its caller, the one that it retries, its error workflow's run if that failed, and the
 * workflow that could not be called.
 */
import { comparedWith } from "../../executions/causes/compared-with.ts";
import { type ExecutionView, type Relative, viewOf } from "../../executions/causes/execution-view.ts";
import { type FoundFacts, factsOf } from "../../executions/causes/explain.ts";
import { type CauseId, causeOf } from "../../executions/causes/fact.ts";
import { CALLED_TRIGGER } from "../../executions/causes/node-kinds.ts";
import { uncalledWorkflow } from "../../executions/causes/rules/sub-workflow.ts";
import { inOrder } from "../../executions/causes/steps.ts";
import { type ChosenSuccess, chooseSuccess } from "../../executions/comparison/choose-success.ts";
import { linksOf } from "../../executions/links.ts";
import { explanation, explanationOfList } from "../../n8n/explanation-plans.ts";
import { readLastSuccesses } from "../../n8n/last-successes.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import type { VisibleN8n } from "../../n8n/visible-n8n.ts";
import { ANOTHER_WORKFLOW } from "../../platform/another-workflow.ts";
import type { Clock } from "../../platform/clock.ts";
import { defined } from "../../platform/defined.ts";
import { orElse, orIfNotFound } from "../../platform/errors.ts";
import { calledBy, chainBelow, readCalled, readFailedBelow, successViews } from "./read-called.ts";

export interface Explained extends FoundFacts {
  readonly execution: ExecutionWithData;
  readonly comparedWith: ExecutionWithData | null;
  readonly incomplete: readonly string[];
}

/** A comparison with an earlier success does not help with these causes. */
const NOT_COMPARED_CAUSES: ReadonlySet<CauseId> = new Set<CauseId>([
  "running",
  "waiting",
  "unknown_status",
  "canceled_by_hand",
  "crashed",
  "node_not_installed",
  "withheld",
  "too_large",
  "no_data",
  "certificate",
]);

/** An execution that takes this long to read is large, as are the ones before it: reading three more is not worth it. */
const LONG_MS = 2_000;

/** @throws ObserverError `EXECUTION_NOT_FOUND`, or an `N8N_…` code */
export async function readExplained(
  client: VisibleN8n,
  id: string,
  clock: Pick<Clock, "now">,
  relatives: Promise<readonly Relative[]> = Promise.resolve([]),
): Promise<Explained> {
  let start = clock.now();
  const beforeTry = (): void => {
    start = clock.now();
  };
  const execution = await client.readExecution(id, explanation(), { beforeTry });
  const isLong = clock.now() - start > LONG_MS;
  const view = viewOf(execution);
  const first = factsOf(view);
  const cause = causeOf(first.root);
  const isSelfExplanatory = NOT_COMPARED_CAUSES.has(cause) || view.isWithheld || execution.mode === "manual";
  const missing: string[] = incompleteOf(view);
  /** If n8n refuses or fails to return a part, the answer is given without it. */
  const orMissing = async <Part>(reading: Promise<Part> | undefined): Promise<Part | undefined> =>
    await orElse(
      async () => await reading,
      () => {
        if (!missing.includes("n8n_did_not_tell_more")) missing.push("n8n_did_not_tell_more");
        return undefined;
      },
    );
  if (!isSelfExplanatory && isLong) missing.push("not_compared");
  const isCompared = !isSelfExplanatory && !isLong;
  const [caller, retried, calledWorkflow, failed, ofCalled = [], successes = [], related] = await Promise.all(
    [
      orMissing(callerOf(client, view, first)),
      orMissing(retriedBy(client, execution)),
      orMissing(stateOfCalled(client, view)),
      orMissing(
        cause === "sub_workflow_failed"
          ? readFailedBelow(client, idOr(first.root.executionId, id))
          : undefined,
      ),
      orMissing(isCompared ? readCalled(client, execution) : undefined),
      orMissing(isCompared ? readLastSuccesses(client, execution, explanationOfList) : undefined),
      orMissing(withHandlerFailure(client, relatives)),
    ],
  );
  const chosen = chooseSuccess(execution, successes);
  const context = {
    ...defined({ caller, retried, calledWorkflow }),
    successes: successViews(chosen),
    relatives: related ?? [],
  };
  const known = viewOf(execution, context);
  const facts = factsOf(
    viewOf(execution, {
      ...context,
      called: calledBy(known, ofCalled),
      ...defined({ failedBelow: failed && chainBelow(first.root, known, [...failed, ...ofCalled]) }),
    }),
  );
  const explained = { execution, ...facts, comparedWith: null, incomplete: missing };
  const compared = chosen === null ? explained : withComparison(explained, chosen);
  return { ...compared, others: inOrder(compared.others, execution.status !== "success") };
}

/** Executions of workflows that the caller may not see have no id. */
const idOr = (id: string | undefined, other: string): string =>
  id === undefined || id === ANOTHER_WORKFLOW ? other : id;

/** Reads the caller if the fault may have come in with the call. */
async function callerOf(
  client: VisibleN8n,
  { execution, nodes, failed }: ExecutionView,
  { root, others }: FoundFacts,
): Promise<ExecutionView | undefined> {
  const { parent } = linksOf(execution);
  const isFromCall = [root, ...others].some(({ node }) => nodes.get(node ?? "")?.type === CALLED_TRIGGER);
  if (parent === null || execution.mode === "error" || (failed === null && !isFromCall)) return undefined;
  if (!/^\d+$/.test(parent.executionId)) return undefined;
  return viewOf(await client.readExecution(parent.executionId, explanation()));
}

/** An error workflow that failed itself is read, too: then perhaps nobody was notified of the failure. */
async function withHandlerFailure(client: VisibleN8n, relatives: Promise<readonly Relative[]>) {
  const known = await relatives;
  const failed = known.find(({ role, status }) => role === "error_handler" && status === "error");
  if (failed === undefined) return known;
  const { root: fact } = factsOf(viewOf(await client.readExecution(failed.id, explanation())));
  return known.map((relative) => (relative === failed ? { ...relative, fact } : relative));
}

async function retriedBy(client: VisibleN8n, { retryOf }: ExecutionWithData) {
  return retryOf === null ? undefined : viewOf(await client.readExecution(retryOf, explanation()));
}

async function stateOfCalled(client: VisibleN8n, view: ExecutionView) {
  const called = uncalledWorkflow(view);
  if (called === null) return undefined;
  const name = await orIfNotFound(async () => await client.readWorkflowName(called), null);
  if (name !== null) return "unpublished";
  return (await client.seesAll()) ? "missing" : undefined;
}

/** Adds facts from the comparison with the last success, which is reported missing if the workflow changed too much. */
function withComparison(explained: Explained, chosen: ChosenSuccess): Explained {
  const facts = comparedWith(explained.execution, explained, chosen);
  return facts === null
    ? { ...explained, incomplete: [...explained.incomplete, "edited_beyond_recognition"] }
    : { ...explained, ...facts, comparedWith: chosen.success };
}

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
