/**
 * Reads what an explanation needs: the execution, and then at once whatever can explain more: the last successes, the
 * failed sub-workflow executions, the workflow that could not be called.
 */

import { flowFacts } from "../../executions/causes/changed-flow.ts";
import { comparedFacts, leadingTo } from "../../executions/causes/compared.ts";
import { type ExecutionView, type Relative, viewOf } from "../../executions/causes/execution-view.ts";
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
import { explanation, explanationOfList } from "../../n8n/explanation-plans.ts";
import { readLastSuccesses } from "../../n8n/last-successes.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import type { Clock } from "../../platform/clock.ts";
import { ObserverError } from "../../platform/errors.ts";
import { alikeOf, calledBy, chainBelow, readCalled, readFailedBelow } from "./read-called.ts";

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
  const [caller, retried, calledWorkflow, failed, ofCalled = [], successes = [], related] = await Promise.all(
    [
      orMissing(callerOf(client, view, first)),
      orMissing(retriedBy(client, execution)),
      orMissing(stateOfCalled(client, view)),
      orMissing(
        cause === "sub_workflow_failed" ? readFailedBelow(client, first.root.executionId ?? id) : undefined,
      ),
      orMissing(isTold || isLong ? undefined : readCalled(client, execution)),
      orMissing(isTold || isLong ? undefined : readLastSuccesses(client, execution, explanationOfList)),
      relatives,
    ],
  );
  const chosen = chooseSuccess(execution, successes);
  const context = {
    ...(caller === undefined ? {} : { caller }),
    ...(retried === undefined ? {} : { retried }),
    ...(calledWorkflow === undefined ? {} : { calledWorkflow }),
    successes: alikeOf(chosen),
    relatives: related,
  };
  const known = viewOf(execution, context);
  const facts = factsOf(
    viewOf(execution, {
      ...context,
      called: calledBy(known, ofCalled),
      ...(failed === undefined
        ? {}
        : { failedBelow: chainBelow(first.root, known, [...failed, ...ofCalled]) }),
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
  const isOpen = execution.status === "success" && !isTrusted(root);
  /** The edit of the observed node itself, where the last success already ran with it. */
  const olderEdits = (isOpen && node !== null ? ordinary : []).flatMap((older): Fact[] => {
    const against = { comparison: compareExecutions(now, older), before: older };
    const facts = comparedFacts({ isKnown, now: execution, node, ...against });
    return facts.flatMap((one) =>
      one.kind === "edited" && one.node === node ? { ...one, isOlder: true } : [],
    );
  });
  const flow = isOpen ? flowFacts(comparison, before.id) : [];
  const isGuard = ANSWERED_BY_EDITS.has(causeOf(root));
  const edit = compared.find((fact) => isEdit(fact) && (isOpen || fact.node !== null)) ?? olderEdits[0];
  if (edit !== undefined && (isOpen || isGuard)) {
    const seen = [root, ...flow].find(
      (fact) => isGuard || (!isNothing(fact) && comesOf(fact, edit, execution)),
    );
    const told = { ...edit, ...(seen === undefined ? {} : { since: seen }) };
    const seenToo = [root, ...others].filter((fact) => !isNothing(fact));
    const rest = [...compared.filter((fact) => fact !== edit), ...seenToo, ...flow];
    return { ...explained, root: told, others: rest, comparedWith: success };
  }
  if (isOpen) {
    const [first = root, ...more] = inOrderOfTrust([root, ...others], [...compared, ...flow]);
    return { ...explained, root: first, others: more, comparedWith: success };
  }
  const lost = compared.find(
    (fact) => fact.kind === "differs" && root.field !== undefined && fact.missing.includes(root.field),
  );
  const told = lost === undefined || lost.node === root.node ? root : { ...root, since: lost };
  return { ...explained, root: told, others: [...compared, ...others], comparedWith: success };
}

/** A guard ends the execution for what an edit before it did. */
const ANSWERED_BY_EDITS: ReadonlySet<CauseId> = new Set<CauseId>(["stopped_on_purpose"]);

const isEdit = (fact: Fact): boolean => causeOf(fact) === "edited";
const isNothing = (fact: Fact): boolean => causeOf(fact) === "nothing_found";

/** Whether the edited node is, or leads to, the one of which something is observed. */
const comesOf = ({ node }: Fact, edit: Fact, execution: ExecutionWithData): boolean =>
  node !== null && edit.node !== null && leadingTo(node, execution).has(edit.node);

const isTrusted = ({ confidence = "exact" }: Fact): boolean =>
  confidence === "exact" || confidence === "likely";

/** For a success of which nothing certain is known: what was seen, then what differs. */
function inOrderOfTrust(seen: readonly Fact[], differs: readonly Fact[]): Fact[] {
  const other = [...seen.filter((fact) => !isNothing(fact)), ...differs];
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
