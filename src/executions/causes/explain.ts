/**
 * Why an execution ended as it did: the first finding of the rules, which are ordered by trust, with all others as
 * evidence. A success without findings has the cause `nothing_found`. Pure.
 */
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { defined } from "../../platform/defined.ts";
import { firstFound } from "../../platform/first-found.ts";
import { allTargetsOf } from "../connections.ts";
import { isFailedStatus } from "../node-runs.ts";
import { type ExecutionView, viewOf } from "./execution-view.ts";
import { type CauseId, type Confidence, causeOf, type Fact, isSure } from "./fact.ts";
import { namesInError } from "./names-in-error.ts";
import { isThrown, type Rule } from "./rule.ts";
import { agentTroubles, handledAgents, stoppedAgent } from "./rules/agents.ts";
import { behindFailure, calledExecutions } from "./rules/called.ts";
import { caughtErrors, handledErrors } from "./rules/caught-errors.ts";
import { agentCalls, callers, circumstances, oddItems, waits } from "./rules/circumstances.ts";
import { code } from "./rules/code.ts";
import { credential } from "./rules/credential.ts";
import { answered, stoppedOnPurpose } from "./rules/decisions.ts";
import { emptyFields, emptyItems } from "./rules/empty-fields.ts";
import { endedFromOutside, notEnded } from "./rules/ended.ts";
import { files, missingFile, missingFileInCode } from "./rules/files.ts";
import { exactKnownMessage, generalKnownMessage } from "./rules/in-own-words.ts";
import { invalidRequest } from "./rules/invalid-request.ts";
import { missingField } from "./rules/missing-field.ts";
import { nodeFailed } from "./rules/node-failed.ts";
import { notJson } from "./rules/not-json.ts";
import { flowEndedEarly } from "./rules/nothing-came-of-it.ts";
import { itemsDone, unnoticedFailures, whatCameOfIt } from "./rules/outcomes.ts";
import { referencedNode } from "./rules/referenced-node.ts";
import { addressParameters, refusedFor, resolvedParameters } from "./rules/refused.ts";
import { repeatedValue } from "./rules/repeated-value.ts";
import { retryRepeats } from "./rules/retry.ts";
import { service } from "./rules/service.ts";
import { brokenValues } from "./rules/silent/broken-values.ts";
import { SILENT_RULES } from "./rules/silent/index.ts";
import { answeredWithFirst } from "./rules/silent/items-first.ts";
import { moreOftenThanBefore, sentBefore } from "./rules/silent/items-repeated.ts";
import { reportedFailures } from "./rules/silent/reported-failures.ts";
import { disabledNodes, errorAsData, hints, storedData } from "./rules/small-observations.ts";
import { splitParameters } from "./rules/split-parameters.ts";
import { nodeNotInstalled, subWorkflow } from "./rules/sub-workflow.ts";
import { wrongType } from "./rules/wrong-type.ts";
import { saidIn } from "./said.ts";
import { toFinding } from "./wording/finding.ts";

/** For a failure, the first rule that finds anything wins. */
const ROOTS: readonly Rule[] = [
  notEnded,
  endedFromOutside,
  stoppedOnPurpose,
  nodeNotInstalled,
  stoppedAgent,
  subWorkflow,
  credential,
  referencedNode,
  missingField,
  wrongType,
  notJson,
  splitParameters,
  code,
  invalidRequest,
  files,
  missingFile,
  missingFileInCode,
  exactKnownMessage,
  service,
  generalKnownMessage,
  nodeFailed,
];

/** Problems that a success hides, or that occurred alongside a failure. */
const SWALLOWED: readonly Rule[] = [
  retryRepeats,
  unnoticedFailures,
  caughtErrors,
  agentTroubles,
  errorAsData,
  handledErrors,
  handledAgents,
];

/** Findings that may be intended by the author. */
const OBSERVATIONS: readonly Rule[] = [
  calledExecutions,
  ...SILENT_RULES,
  answered,
  flowEndedEarly,
  emptyItems,
  emptyFields,
  moreOftenThanBefore,
  sentBefore,
  answeredWithFirst,
  disabledNodes,
  hints,
];

export interface FoundFacts {
  readonly root: Fact;
  /** Most informative first, without the root. */
  readonly others: readonly Fact[];
}

const UNINFORMATIVE = new Set<CauseId>(["nothing_found", "running", "queued", "node_failed"]);

/** Swallowed errors are reported even if only the node's own output says so, since the sentence names that source. */
const NAMES_ITS_SOURCE = new Set<CauseId>([
  "error_caught",
  "error_handled",
  "error_as_data",
  "tool_failed",
  "agent_stopped",
]);

/**
 * `reason`: the sentence for an execution that failed, or is wrong although it succeeded, if it is certain, likely or
 * names its source. `observed`: the sentence for what may be intended, or is only suggested. Both are null where there is
 * nothing to say but that a node failed.
 */
export function conclusionOf(execution: ExecutionWithData): {
  readonly reason: string | null;
  readonly observed: string | null;
} {
  const { root } = factsOf(viewOf(execution));
  const { cause, sentence } = toFinding(root);
  if (UNINFORMATIVE.has(cause)) return { reason: null, observed: null };
  const isReason = isSure(root) || NAMES_ITS_SOURCE.has(cause);
  return isReason ? { reason: sentence, observed: null } : { reason: null, observed: sentence };
}

export const reasonOf = (execution: ExecutionWithData): string | null => conclusionOf(execution).reason;

export function factsOf(view: ExecutionView): FoundFacts {
  const found = foundIn(view);
  const { root, others } = found;
  const stored = storedData(root, view);
  if (stored === null) return found;
  const isUnexplained = root.since === undefined && (!isSure(root) || MAY_BE_OF_STORED.has(causeOf(root)));
  return isUnexplained ? { root: { ...root, since: stored }, others } : { root, others: [...others, stored] };
}

/** Causes that do not say which data the code failed on. */
const MAY_BE_OF_STORED = new Set<CauseId>(["node_failed", "code_threw"]);

function foundIn(view: ExecutionView): FoundFacts {
  const swallowed = SWALLOWED.flatMap((rule) => rule(view));
  const found = firstFound(ROOTS, (rule) => {
    const facts = rule(view);
    return facts.length === 0 ? null : facts;
  });
  const [first, ...rest] = found ?? [];
  if (first !== undefined) {
    const symptom = withSaid(first, view);
    const isUnexplained = symptom.field === undefined && REFUSED.has(causeOf(symptom));
    const [cause] = [...behindFailure(view, symptom), ...(isUnexplained ? refusedFor(view) : [])];
    const [root, ...more] = withCause(symptom, cause, rest);
    const { status } = view.execution;
    const beside =
      isFailedStatus(status) || status === "canceled"
        ? [...reportedBefore(view), ...besideFailure(root, view), ...circumstances(view), ...itemsDone(view)]
        : [];
    return { root, others: [...more, ...failingNode(root), ...beside, ...swallowed, ...around(view)] };
  }
  const observed = OBSERVATIONS.flatMap((rule) => rule(view));
  const [root = nothingSeen(view), ...others] = [...swallowed, ...observed].toSorted(
    (one, other) => trustIn(one, swallowed) - trustIn(other, swallowed),
  );
  const related = around(view);
  const twice = related.find(({ kind }) => kind === "outcome.twice");
  if (causeOf(root) !== "nothing_found" || twice === undefined)
    return { root, others: [...others, ...related] };
  return { root: twice, others: [...others, ...related.filter((fact) => fact !== twice)] };
}

/** A certain cause precedes the symptom, a guess follows it. */
function withCause(symptom: Fact, cause: Fact | undefined, rest: readonly Fact[]): [Fact, ...Fact[]] {
  if (cause === undefined) return [symptom, ...rest];
  return cause.kind === "parameter_empty.guess"
    ? [{ ...symptom, since: cause }, ...rest]
    : [cause, symptom, ...rest];
}

/** What led to the execution and what it caused: evidence for any root. */
const around: Rule = (view) => [callers, agentCalls, waits, whatCameOfIt].flatMap((rule) => rule(view));

/**
 * Certain facts come before likely ones, otherwise in the order of the rules. Facts about swallowed errors stay
 * together in that order, since the reason precedes the consequence.
 */
const TRUST: Readonly<Record<Confidence, number>> = { exact: 0, likely: 1, compared: 2, observed: 2 };
const trustIn = (fact: Fact, swallowed: readonly Fact[]): number =>
  TRUST[(swallowed.includes(fact) ? swallowed[0]?.confidence : fact.confidence) ?? "exact"];

function nothingSeen({ execution, isWithheld, runs, successes }: ExecutionView): Fact {
  const unknown = { node: null, confidence: "observed" } as const;
  if (execution.dataTooLargeToDisplay === true) return { kind: "too_large", ...unknown };
  if (runs.size === 0) return { kind: "no_data", ...unknown };
  if (isWithheld) return { kind: "withheld", ...unknown };
  const counts = { nodes: runs.size, runs: [...runs.values()].flat().length };
  return { kind: "nothing_found", ...unknown, ...counts, before: successes[0]?.execution.id ?? null };
}

/** Adds what the service, driver or node itself said. */
function withSaid(root: Fact, { execution, error, failed, nodes }: ExecutionView): Fact {
  if (execution.status !== "error") return root;
  const said = root.said ?? saidIn(error);
  // A text that code throws is payload, so no names are taken from it. All of Stop and Error's text is the workflow's.
  const isOwnText = isThrown(error) || root.kind === "stopped_on_purpose";
  const serves = (name: string): boolean =>
    allTargetsOf(execution, name).some(({ node, type }) => node === failed?.name && type !== "main");
  const subNodes = [...nodes.values()].filter(({ name }) => serves(name));
  const names = root.field === undefined && !isOwnText ? namesInError(error, failed?.node, ...subNodes) : [];
  return { ...root, ...defined({ said }), ...(names.length === 0 ? {} : { names }) };
}

/** Refusals that an empty field may explain. */
const REFUSED = new Set<CauseId>(["http_status", "model", "database", "invalid_request", "node_failed"]);

const OF_ADDRESS = new Set<CauseId>(["connection", "certificate"]);

/** The values that may be the reason. A missing method may be the node's own fault. */
function parametersOf(root: Fact, view: ExecutionView): readonly Fact[] {
  if (OF_ADDRESS.has(causeOf(root))) return addressParameters(view);
  return REFUSED.has(causeOf(root)) || root.kind === "wrong_type.kept" ? resolvedParameters(view) : [];
}

/** A failure that an earlier answer reported, and no node checked, may be why a later node failed. */
const reportedBefore = (view: ExecutionView): readonly Fact[] =>
  reportedFailures(view).filter(({ confidence }) => confidence === "likely");

/** Causes that explain a refused request. */
const REFUSAL_CAUSES = new Set<CauseId>(["parameter_empty", "value_broken", "number_rounded", "day_by_zone"]);

/** If the root names a field, odd items add nothing; a disabled node, though, may have changed that field. */
function besideFailure(root: Fact, view: ExecutionView): readonly Fact[] {
  if (root.field !== undefined)
    return [...(REFUSAL_CAUSES.has(causeOf(root)) ? resolvedParameters(view) : []), ...disabledNodes(view)];
  const odd = REFUSED.has(causeOf(root)) ? [...brokenValues(view), ...emptyFields(view)] : [];
  return [...repeatedValue(view), ...parametersOf(root, view), ...odd, ...oddItems(view)];
}

/** The problem began at one node and failed at another: both are reported. */
const failingNode = ({ node, failedNode }: Fact): Fact[] =>
  failedNode === undefined || failedNode === node ? [] : [{ kind: "failing_node", node: failedNode }];
