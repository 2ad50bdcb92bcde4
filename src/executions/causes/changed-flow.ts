/**
 * Where the flow differs from the last successes: outputs used, nodes run, items sent, time taken. Only the first
 * difference of each kind is reported, since the nodes after it differ for the same reason. Pure.
 */
import { firstFound } from "../../platform/first-found.ts";
import type { ExecutionComparison, NodeDifference } from "../comparison/compare-executions.ts";
import type { Fact } from "./fact.ts";

export function flowFacts({ nodes: all }: ExecutionComparison, before: string): Fact[] {
  // A removed node was not skipped, and `before` says nothing about nodes that it did not run.
  const nodes = all.filter(({ isRemoved, comparedWith }) => isRemoved !== true && comparedWith === undefined);
  const compared = { before, confidence: "compared" } as const;
  const kinds: readonly ((difference: NodeDifference) => Fact | null)[] = [
    ({ nodeName: node, outputs: change }) =>
      change === undefined
        ? null
        : { kind: "differs.outputs", node, outputs: change.now, had: change.before, ...compared },
    ({ nodeName: node, ran: change }) =>
      change?.now !== 0 ? null : { kind: "differs.ran", node, ...compared },
    ({ nodeName: node, items: change, outputs }) =>
      change === undefined || outputs !== undefined
        ? null
        : { kind: "differs.items", node, items: change.now, had: change.before, ...compared },
    ({ nodeName: node, durationMs: change }) =>
      change === undefined || change.now < change.before
        ? null
        : { kind: "differs.slower", node, ms: change.now, had: change.before, ...compared },
  ];
  return kinds.flatMap((toFact) => firstFound(nodes, toFact) ?? []);
}
