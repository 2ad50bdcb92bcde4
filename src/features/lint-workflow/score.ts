/** What an audit comes to: a number, counts, and an order in which the worst comes first. Pure. */
import type { Finding, Judgement, Unjudged } from "./audit.ts";
import { type AuditRule, SEVERITIES, type Severity } from "./rule.ts";

/** What a judgement weighs, by the severity of its rule. */
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

/** By severity, then in the guide's order, then by workflow; within one in the order of its nodes. */
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
  const counts = new Map<string, number>();
  for (const one of all) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return counts;
}

/** What was not judged for the same reason. */
export interface UnjudgedGroup {
  readonly rule: AuditRule["id"];
  readonly reason: string;
  readonly count: number;
  readonly first: Unjudged;
}

export function groupUnjudged(all: readonly Unjudged[]): UnjudgedGroup[] {
  const groups = new Map<string, { first: Unjudged; count: number }>();
  for (const one of all) {
    const key = `${one.rule} ${one.reason}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: one, count: 1 });
    else group.count += 1;
  }
  return [...groups.values()].map(({ first, count }) => ({
    rule: first.rule,
    reason: first.reason,
    count,
    first,
  }));
}
