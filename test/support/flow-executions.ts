/**
 * Executions of workflows with loops and branches, run by run, and what is said of them, one finding on a line.
 * Promises: each item is linked to the one at its position, as n8n links them.
 */
import { type ExecutionView, viewOf } from "../../src/executions/causes/execution-view.ts";
import { factsOf } from "../../src/executions/causes/explain.ts";
import { toFinding } from "../../src/executions/causes/wording/finding.ts";
import { executionWithData } from "../../src/n8n/schemas.ts";

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
  /** By node: the targets of each output. */
  readonly main?: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly sub?: readonly (readonly [node: string, type: string, agent: string])[];
}

const START = 1_790_000_000_000;

export function flowView(
  { nodes, main = {}, sub = [] }: Flow,
  runs: readonly Run[],
  id = "7",
  successes: readonly ExecutionView[] = [],
): ExecutionView {
  const runData: Record<string, object[]> = {};
  runs.forEach(({ node, from = [], type = "main", outputs, given }, index) => {
    const own = {
      startTime: START + index,
      executionTime: 1,
      executionIndex: index,
      executionStatus: "success",
      source: from.map(
        (one) =>
          one && { previousNode: one[0], previousNodeOutput: one[1] ?? 0, previousNodeRun: one[2] ?? 0 },
      ),
      hints: [],
      data: { [type]: outputs.map((items) => items.map((json, item) => ({ json, pairedItem: { item } }))) },
      ...(given === undefined ? {} : { inputOverride: { [type]: [[{ json: given }]] } }),
    };
    runData[node] = [...(runData[node] ?? []), own];
  });
  const connections: Record<string, Record<string, object[][]>> = {};
  for (const [name, outputs] of Object.entries(main))
    connections[name] = {
      main: outputs.map((targets) => targets.map((node) => ({ node, type: "main", index: 0 }))),
    };
  for (const [name, type, node] of sub) connections[name] = { [type]: [[{ node, type, index: 0 }]] };
  const execution = executionWithData.parse({
    id,
    workflowId: "w",
    mode: "webhook",
    status: "success",
    startedAt: "2026-09-21T14:13:20.000Z",
    stoppedAt: "2026-09-21T14:13:21.000Z",
    workflowData: {
      name: "Orders",
      nodes: Object.entries(nodes).map(([name, node]) => ({ name, ...node })),
      connections,
      settings: { executionOrder: "v1" },
    },
    data: { resultData: { runData } },
  });
  return viewOf(execution, { successes });
}

export function toldOf(of: ExecutionView): string {
  const { root, others } = factsOf(of);
  return [root, ...others]
    .map(toFinding)
    .map(({ confidence, sentence }) => `${confidence}: ${sentence}`)
    .join("\n");
}
