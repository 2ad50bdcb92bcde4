/**
 * A value that was the same in all of the last successes and differs now: a state, a code, a flag. It is reported
 * for the node that made it, not for those that passed it on. Only the reader can tell whether the change matters,
 * so its confidence is `compared`; the values themselves are payload.
 */
import { keysOf } from "../../../../json/path-text.ts";
import type { WorkflowNode } from "../../../../n8n/schemas.ts";
import { triggerOf } from "../../../comparison/choose-success.ts";
import { lastKeyIn } from "../../../comparison/field-keys.ts";
import {
  differingValues,
  type Scalar,
  sampleOf,
  type ValueDifference,
} from "../../../comparison/sampled-values.ts";
import { mentionedIn } from "../../../known-fields.ts";
import type { ExecutionView } from "../../execution-view.ts";
import type { Fact } from "../../fact.ts";
import { referencesOf } from "../../field-references.ts";
import { acts } from "../../node-effects.ts";
import { DECIDES } from "../../node-kinds.ts";
import type { Rule } from "../../rule.ts";

/** One success alone shows no constant. */
const LEAST_SUCCESSES = 2;
const MAX_SHOWN = 2;
const SHORT = 40;

export const changedValues: Rule = (view) => {
  const [before, ...ordinary] = view.successes.map(({ execution }) => sampleOf(execution));
  if (before === undefined || ordinary.length + 1 < LEAST_SUCCESSES || view.isWithheld) return [];
  const isKnown = mentionedIn([view.execution]);
  const weightOf = consumptionIn(view);
  return differingValues(sampleOf(view.execution), before, ordinary)
    .filter((one) => isState(one) && !isOfTrigger(view, one) && !view.isSubNode(one.nodeName))
    .filter((one) => isOfOnlyItem(view, one))
    .toSorted(
      (one, other) => weightOf(other) - weightOf(one) || informativeness(other) - informativeness(one),
    )
    .slice(0, MAX_SHOWN)
    .map((difference): Fact => {
      const { nodeName: node, path, before: was, now: value } = difference;
      const isNamed = path !== "" && keysOf(path).every(isKnown);
      return {
        kind: "differs.value",
        node,
        successes: ordinary.length + 1,
        isEmpty: isEmpty(value),
        ...(isNamed
          ? { field: path, value, was }
          : { value: { [lastKeyIn(path)]: value }, was: { [lastKeyIn(path)]: was } }),
        confidence: "compared",
      };
    });
};

/** A value that a decision read matters more than one that was written, and that more than an unused one. */
function consumptionIn({ nodes, runs }: ExecutionView): (difference: ValueDifference) => number {
  const ran = [...nodes.values()].filter(({ name }) => runs.has(name));
  const keysReadBy = (readers: readonly WorkflowNode[]): Set<string> =>
    new Set(readers.flatMap(referencesOf).flatMap(({ path }) => path));
  const tested = keysReadBy(ran.filter(({ type }) => DECIDES.test(type)));
  const written = keysReadBy(ran.filter(acts));
  return ({ path }) => 2 * Number(tested.has(lastKeyIn(path))) + Number(written.has(lastKeyIn(path)));
}

/** The first of several items may be another one than before. */
const isOfOnlyItem = (view: ExecutionView, { nodeName, output, path }: ValueDifference): boolean =>
  !path.includes("[]") &&
  [view, ...view.successes].every((one) => one.sentBy(nodeName, 0, output).length === 1);

const isEmpty = (value: Scalar): boolean => value === null || value === "";

/** A word, a flag or an emptied value; names, ids and amounts differ all the time. */
const isState = ({ before, now }: ValueDifference): boolean =>
  [before, now].every(
    (value) => typeof value !== "string" || (value.length <= SHORT && !/\s\S+\s/.test(value)),
  );

/** What a caller sends differs from call to call. */
const isOfTrigger = ({ execution }: ExecutionView, { nodeName }: ValueDifference): boolean =>
  triggerOf(execution)?.nodeName === nodeName;

/** An emptied value and a flag tell more than a word, and a word more than a number. */
function informativeness({ now }: ValueDifference): number {
  if (isEmpty(now)) return 3;
  if (typeof now === "boolean") return 2;
  return typeof now === "string" ? 1 : 0;
}
