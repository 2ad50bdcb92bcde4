/**
 * Shared by the rules about items. A run that treats its items as the last successes did is normal, however odd it
 * looks: such a finding stays an observation. Pure.
 */
import { isReadObject, type ReadValue } from "../../../../json/omitted.ts";
import { sumOf } from "../../../../platform/sum-of.ts";
import { pathTo } from "../../../comparison/field-keys.ts";
import { type ExecutionView, NOTHING, type SentItems, sentInAll } from "../../execution-view.ts";
import type { Fact } from "../../fact.ts";
import type { Rule } from "../../rule.ts";

/**
 * @param find finds the facts; those that a success shows, too, become observations
 * @param alone the confidence if no success ran the node: `likely` only if the data alone shows the fault; `nothing`
 * also leaves out the facts that a success shows
 */
export const unlessUsual =
  (find: Rule, alone: "likely" | "observed" | "nothing" = "observed"): Rule =>
  (view) => {
    if (view.isWithheld || view.execution.status !== "success") return [];
    return find(view).flatMap((fact): Fact[] => {
      if (isNotable(fact, view, find, alone === "likely")) return [fact];
      return alone === "nothing" ? [] : [{ ...fact, confidence: "observed" }];
    });
  };

function isNotable({ node, kind }: Fact, view: ExecutionView, find: Rule, isAlone: boolean): boolean {
  const comparable = view.successes.filter(({ runs }) => node !== null && runs.has(node));
  const isSame = (one: Fact): boolean => one.kind === kind && one.node === node;
  return comparable.length === 0 ? isAlone : !comparable.some((success) => find(success).some(isSame));
}

/** The items of a node's first run, at the output with the most items. */
export function largestOutputOf(view: ExecutionView, name: string): SentItems {
  const outputs = [0, 1, 2, 3].map((output) => view.sentBy(name, 0, output));
  return outputs.toSorted((one, other) => other.length - one.length)[0] ?? NOTHING;
}

export const inputCountOf = (view: ExecutionView, name: string): number =>
  sumOf(view.runsOf(name), (run) => view.inputOf(run).length);

const COMMENTS = /\/\*(?:[^*]|\*(?!\/)){0,2000}\*\/|(?<!:)\/\/[^\n]*/g;

const MAX_CODE = 100_000;

/** Code without its comments; very long code stays as it is. */
export const withoutComments = (code: string): string =>
  code.length > MAX_CODE ? code : code.replaceAll(COMMENTS, "");

interface HeldScalar {
  readonly value: ReadValue;
  readonly holder: Readonly<Record<string, ReadValue>>;
}

const MAX_HELD = 2_000;
const MAX_DEPTH = 6;

/** Texts, numbers and flags of all items that a node sent, by path; what lists hold is under one path. */
export function scalarsBy(view: ExecutionView, name: string): ReadonlyMap<string, readonly HeldScalar[]> {
  const found = new Map<string, HeldScalar[]>();
  let remaining = MAX_HELD;
  const collect = (value: ReadValue, path: string, holder: HeldScalar["holder"], depth: number): void => {
    remaining -= 1;
    if (remaining < 0 || depth > MAX_DEPTH) return;
    if (Array.isArray(value)) for (const one of value) collect(one, `${path}[]`, holder, depth + 1);
    else if (isReadObject(value))
      for (const [key, member] of Object.entries(value)) collect(member, pathTo(path, key), value, depth + 1);
    else found.set(path, [...(found.get(path) ?? []), { value, holder }]);
  };
  for (const { json } of sentInAll(view, name).items) collect(json, "", {}, 0);
  return found;
}
