/**
 * Adds what the last successes show: edits and differences. For a success without a certain finding, it also decides
 * in which order they are reported. Pure.
 */
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import type { ChosenSuccess } from "../comparison/choose-success.ts";
import { compareExecutions, type ExecutionComparison } from "../comparison/compare-executions.ts";
import { lastKeyIn } from "../comparison/field-keys.ts";
import { mentionedIn } from "../known-fields.ts";
import { nodesByName } from "../node-runs.ts";
import { flowFacts } from "./changed-flow.ts";
import { comparedFacts, leadingTo } from "./compared.ts";
import type { FoundFacts } from "./explain.ts";
import { causeOf, type Fact, isSure } from "./fact.ts";
import { textsOf } from "./field-references.ts";
import { withFirstItems } from "./first-items.ts";
import { isWordOf } from "./names-in-error.ts";

/** Below this share of common nodes, it counts as another workflow. */
const RECOGNIZABLE = 0.3;

/** @returns null if the workflow was edited beyond recognition since */
export function comparedWith(
  execution: ExecutionWithData,
  facts: FoundFacts,
  { success, ordinary }: ChosenSuccess,
): FoundFacts | null {
  const now = withFirstItems(execution);
  const before = withFirstItems(success);
  const alike = ordinary.map(withFirstItems);
  const isKnown = mentionedIn([now, before]);
  const comparison = compareExecutions(now, before, alike, isKnown);
  if (!isRecognizable(comparison)) return null;
  const node = facts.root.failedNode ?? facts.root.node;
  const compared = comparedFacts({ isKnown, now: execution, before: success, comparison, node });
  if (execution.status !== "success" || isSure(facts.root)) {
    // A guard ends the execution for what an edit before it did.
    const edited = facts.root.kind === "stopped_on_purpose" ? withEditAsRoot(facts, compared) : null;
    return edited ?? certain(facts, compared, execution);
  }
  // Edits of the observed node with which the last success already ran.
  const older = (node === null ? [] : ordinary).flatMap((earlier) => {
    const changes = { comparison: compareExecutions(now, earlier), before: earlier };
    return comparedFacts({ isKnown, now: execution, node, ...changes }).flatMap((one): Fact[] =>
      one.kind === "edited" && one.node === node ? [{ ...one, isOlder: true }] : [],
    );
  });
  return uncertain(execution, facts, { compared, older, flow: flowFacts(comparison, before.id) });
}

const isRecognizable = ({ workflow: { shared, added, removed } }: ExecutionComparison): boolean =>
  shared >= RECOGNIZABLE * (shared + Math.max(added.length, removed.length));

const isEdit = (fact: Fact): boolean => causeOf(fact) === "edited";
const isNoFinding = (fact: Fact): boolean => causeOf(fact) === "nothing_found";

/** Keeps the root, with the node that no longer sends the missing field, or sends it differently. */
function certain(
  { root, others }: FoundFacts,
  compared: readonly Fact[],
  execution: ExecutionWithData,
): FoundFacts {
  const source = compared.find((fact) => {
    if (fact.kind !== "differs") return false;
    if (root.field !== undefined) return fact.missing.includes(root.field);
    const changed = [...fact.missing, ...fact.changedTypes.map(({ path }) => path)];
    return VAGUE.has(root.kind) && changed.some((path) => isReadBy(execution, root.node, path));
  });
  if (source === undefined || source.node === root.node) return { root, others: [...compared, ...others] };
  return {
    root: { ...root, since: source },
    others: [...compared.filter((fact) => fact !== source), ...others],
  };
}

/** Causes that do not say which value the node failed on. */
const VAGUE = new Set<Fact["kind"]>(["node_failed", "code_threw", "invalid_request", "not_json.text"]);

function isReadBy(execution: ExecutionWithData, node: string | null, path: string): boolean {
  const texts = textsOf(nodesByName(execution).get(node ?? "")?.parameters);
  const key = lastKeyIn(path);
  return key !== "" && texts.some((text) => isWordOf(text, key));
}

function withEditAsRoot({ root, others }: FoundFacts, compared: readonly Fact[]): FoundFacts | null {
  const edit = compared.find((fact) => isEdit(fact) && fact.node !== null);
  if (edit === undefined) return null;
  const rest = compared.filter((fact) => fact !== edit);
  return { root: { ...edit, since: root }, others: [...rest, root, ...others] };
}

/** For a success without a certain finding: an edit and its effect, else the observations, then the differences. */
function uncertain(
  execution: ExecutionWithData,
  { root, others }: FoundFacts,
  { compared, older, flow }: Readonly<Record<"compared" | "older" | "flow", readonly Fact[]>>,
): FoundFacts {
  const observations = [root, ...others].filter((fact) => !isNoFinding(fact));
  const edit = compared.find(isEdit) ?? older[0];
  if (edit !== undefined) {
    const effect = [root, ...flow].find(
      (fact) => !isNoFinding(fact) && isDownstreamOf(fact, edit, execution),
    );
    const editSince = { ...edit, ...(effect === undefined ? {} : { since: effect }) };
    return {
      root: editSince,
      others: [...compared.filter((fact) => fact !== edit), ...observations, ...flow],
    };
  }
  const circumstances = observations.filter(isCircumstance);
  const findings = observations.filter((fact) => !isCircumstance(fact));
  const [first, ...more] = [...findings, ...compared, ...flow];
  if (first === undefined) return { root, others };
  const hasNoProblem = findings.length === 0 || first.kind === "outcome.twice";
  const noOtherProblem: Fact = { kind: "nothing_found.else", node: null, confidence: "observed" };
  return { root: first, others: [...more, ...circumstances, ...(hasNoProblem ? [noOtherProblem] : [])] };
}

/** Circumstances explain nothing by themselves, unless the work was done twice. */
const isCircumstance = (fact: Fact): boolean =>
  fact.kind !== "outcome.twice" &&
  ["outcome", "called_by", "retry_of", "waited", "agent_calls"].includes(causeOf(fact));

/** Whether the edited node is the observed one, or leads to it. */
const isDownstreamOf = ({ node }: Fact, edit: Fact, execution: ExecutionWithData): boolean =>
  node !== null && edit.node !== null && leadingTo(node, execution).has(edit.node);
