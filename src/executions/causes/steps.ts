/** The order in which an answer explains an execution: from where it began to what it caused. Pure. */
import { type CauseId, causeOf, type Fact, isSure } from "./fact.ts";

/** `beside`: also true, but not known to be related. */
export type Step = "root" | "reached" | "said" | "changed" | "outcome" | "beside";

const ORDER: readonly (readonly [Step, readonly CauseId[]])[] = [
  ["root", []],
  ["reached", ["error_repeats", "retries"]],
  [
    "reached",
    ["retry_repeats", "retry_of", "called_by", "waited", "failing_node", "item", "loop", "parameters"],
  ],
  ["said", ["http_status", "model", "database", "invalid_request", "node_failed"]],
  ["changed", ["edited", "differs"]],
  ["outcome", ["outcome", "mended", "error_workflow"]],
  ["beside", []],
];
const PLACES = new Map(ORDER.flatMap(([step, causes]) => causes.map((cause) => [cause, step] as const)));
const CAUSES = [...PLACES.keys()];
const STEPS = ORDER.map(([step]) => step);

/** @param isFailure of a success, whatever is certain or likely is a root too */
export function stepOf(fact: Fact, isFailure: boolean): Step {
  return PLACES.get(causeOf(fact)) ?? (!isFailure && isSure(fact) ? "root" : "beside");
}

export function inOrder(facts: readonly Fact[], isFailure: boolean): Fact[] {
  const once = [...new Map(facts.map((fact) => [JSON.stringify(fact), fact])).values()];
  return once.toSorted(
    (one, other) =>
      STEPS.indexOf(stepOf(one, isFailure)) - STEPS.indexOf(stepOf(other, isFailure)) ||
      CAUSES.indexOf(causeOf(one)) - CAUSES.indexOf(causeOf(other)),
  );
}
