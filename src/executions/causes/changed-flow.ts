/**
 * Where the flow differs from the last successes: outputs used, nodes run, items sent. Only the first difference of
 * each kind is reported, since the nodes after it differ for the same reason. Pure.
 */
import { firstFound } from "../../platform/first-found.ts";
import type { ExecutionComparison, NodeDifference } from "../comparison/compare-executions.ts";
import type { Fact } from "./fact.ts";

export function flowFacts({ nodes: all }: ExecutionComparison, before: string): Fact[] {
  // A removed node was not skipped, and `before` says nothing about nodes that it did not run.
  const nodes = all.filter(({ isRemoved, comparedWith }) => isRemoved !== true && comparedWith === undefined);
  const firsts = [OUTPUTS, RAN, ITEMS].map((toFact) => firstFound(nodes, (node) => toFact(node, before)));
  return firsts.filter((fact) => fact !== null);
}

type ToFact = (node: NodeDifference, before: string) => Fact | null;

const OUTPUTS: ToFact = ({ nodeName: node, outputs }, before) =>
  outputs === undefined
    ? null
    : {
        kind: "differs.outputs",
        node,
        before,
        outputs: outputs.now,
        had: outputs.before,
        confidence: "compared",
      };

const RAN: ToFact = ({ nodeName: node, ran }, before) =>
  ran === undefined || ran.now > 0
    ? null
    : { kind: "differs.ran", node, before, runs: ran.now, had: ran.before, confidence: "compared" };

const ITEMS: ToFact = ({ nodeName: node, items, outputs }, before) =>
  items === undefined || outputs !== undefined
    ? null
    : { kind: "differs.items", node, before, items: items.now, had: items.before, confidence: "compared" };
