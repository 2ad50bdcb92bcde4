/**
 * Executions of workflows with loops and branches, run by run, and the findings on them, one per line.
 * Each item is linked to the input item at its position, as n8n links them.
 */
import { type ExecutionView, viewOf } from "../../src/executions/causes/execution-view.ts";
import { factsOf } from "../../src/executions/causes/explain.ts";
import { toFinding } from "../../src/executions/causes/wording/finding.ts";
import { recorded } from "./recorded-runs.ts";

export interface Node {
  readonly type: string;
  readonly typeVersion?: number;
  readonly parameters?: object;
}
type Source = readonly [node: string, output?: number, run?: number];
export interface Run {
  readonly node: string;
  readonly from?: readonly (Source | null)[];
  readonly type?: string;
  readonly outputs: readonly (readonly object[])[];
  readonly given?: object;
}
export interface Flow {
  readonly nodes: Readonly<Record<string, Node>>;
  /** Node → the targets of each output. */
  readonly main?: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly sub?: readonly (readonly [node: string, type: string, agent: string])[];
}

export const INBOUND: Node = {
  type: "n8n-nodes-base.webhook",
  parameters: { httpMethod: "POST", path: "p", options: {} },
};
export const LOOP: Node = {
  type: "n8n-nodes-base.splitInBatches",
  typeVersion: 3,
  parameters: { options: {} },
};
/** An If node with one condition. */
export const ifNode = (leftValue: string, rightValue: unknown, operator: object): Node => ({
  type: "n8n-nodes-base.if",
  typeVersion: 2.2,
  parameters: {
    conditions: {
      options: { version: 2 },
      combinator: "and",
      conditions: [{ leftValue, rightValue, operator }],
    },
  },
});

export function flowView(
  { nodes, main = {}, sub = [] }: Flow,
  runs: readonly Run[],
  id = "7",
  successes: readonly ExecutionView[] = [],
): ExecutionView {
  const links = Object.entries(main).flatMap(([from, outputs]) =>
    outputs.flatMap((targets, output) => targets.map((to) => [from, to, output] as const)),
  );
  const execution = recorded({
    nodes: Object.entries(nodes).map(([name, node]) => ({ name, ...node })),
    links: [...links, ...sub.map(([node, type, agent]) => [node, agent, 0, 0, type] as const)],
    runs: runs.map(({ type, outputs, given, ...run }) => ({
      ...run,
      out: outputs,
      ...(type === undefined ? {} : { connection: type }),
      asked: given,
    })),
    facts: { id },
  });
  return viewOf(execution, { successes });
}

export function findingsOf(of: ExecutionView): string {
  const { root, others } = factsOf(of);
  return [root, ...others]
    .map(toFinding)
    .map(({ confidence, sentence }) => `${confidence}: ${sentence}`)
    .join("\n");
}
