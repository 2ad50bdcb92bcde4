/** Sums up an audit: a score, counts, and an order in which the worst comes first. Pure. */
import type { Finding, Judgement, Unjudged } from "./audit.ts";
import { type AuditRule, SEVERITIES, type Severity } from "./rule.ts";

/** The weight of a judgement in the score, by the severity of its rule. */
export const WEIGHTS: Readonly<Record<Severity, number>> = { error: 5, warning: 3, info: 1 };

/**
 * The share of the judgements that were passed, weighted, from 0 to 100, rounded down: 100 is nothing found.
 * Each rule counts once for a workflow, however many findings it has there; what could not be judged does
 * not count. Null when nothing could be judged.
 */
export function scoreOf(judgements: readonly Judgement[]): number | null {
  const weigh = (all: readonly Judgement[]): number =>
    all.reduce((sum, { severity }) => sum + WEIGHTS[severity], 0);
  const whole = weigh(judgements);
  return whole === 0 ? null : Math.floor((100 * weigh(judgements.filter((one) => one.hasPassed))) / whole);
}

/** Sorts by severity, then in the guide's order, then by workflow. Findings of one workflow keep their order. */
export function worstFirst(findings: readonly Finding[], rules: readonly AuditRule[]): Finding[] {
  const places = new Map(rules.map(({ id }, index) => [id, index]));
  const place = ({ rule }: Finding): number => places.get(rule) ?? rules.length;
  const rank = ({ severity }: Finding): number => SEVERITIES.indexOf(severity);
  return [...findings].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      place(a) - place(b) ||
      compare(a.workflow.name, b.workflow.name) ||
      compare(a.workflow.id, b.workflow.id),
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** How many of each. */
export function countBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, number> {
  return new Map([...Map.groupBy(all, keyOf)].map(([key, { length }]) => [key, length]));
}

/** What one rule could not judge for one reason. */
export interface UnjudgedGroup extends Pick<Unjudged, "rule" | "reason"> {
  readonly count: number;
  readonly first: Unjudged;
}

export function groupUnjudged(all: readonly Unjudged[]): UnjudgedGroup[] {
  const groups = Map.groupBy(all, ({ rule, reason }) => `${rule} ${reason}`);
  return [...groups.values()].flatMap(({ 0: first, length }) =>
    first === undefined ? [] : [{ rule: first.rule, reason: first.reason, count: length, first }],
  );
}
