/** Fact: `source[].previousNodeOutput` says through which output of a deciding node (IF, Switch, …) an item came. */
import type { ExecutionView } from "../execution-view.ts";

const DECIDES = /\.(?:if|switch|filter|textClassifier|compareDatasets)$/;
const MAX_STEPS = 50;

export interface Branch {
  readonly node: string;
  /** From 0. */
  readonly output: number;
  readonly outputs: number;
}

/** The last decision on the way to a node. */
export function branchBefore({ runs, nodes, targetsOf }: ExecutionView, name: string): Branch | null {
  let at = name;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const source = runs
      .get(at)
      ?.at(-1)
      ?.source.find((one) => one !== null);
    if (source === undefined || source === null) return null;
    at = source.previousNode;
    if (!DECIDES.test(nodes.get(at)?.type ?? "")) continue;
    const output = source.previousNodeOutput ?? 0;
    return { node: at, output, outputs: Math.max(output + 1, targetsOf(at).length) };
  }
  return null;
}
