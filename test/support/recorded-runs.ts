/**
 * An execution as n8n records it, with any runs in any order (loops, branches, pairings), read as n8n's answers
 * are read. Items have their stored form, `{ json, pairedItem }`; a plain object is taken as the `json`.
 */
import { BoundedReader } from "../../src/json/bounded-reader.ts";
import { explanation } from "../../src/n8n/explanation-plans.ts";
import { type ExecutionWithData, executionWithData } from "../../src/n8n/schemas.ts";

export interface RecordedNode {
  readonly name: string;
  readonly type: string;
  readonly parameters?: unknown;
  readonly [setting: string]: unknown;
}

export interface RecordedRun {
  readonly node: string;
  /** Node, output and run of each source; none for a trigger. */
  readonly from?: readonly (readonly [node: string, output?: number, run?: number] | null)[];
  readonly out?: readonly (readonly unknown[])[];
  /** The connection type of a sub-node of an agent, instead of `main`. */
  readonly connection?: string;
  /** The agent's input to it by that connection. */
  readonly asked?: unknown;
  readonly error?: Readonly<Record<string, unknown>>;
}

export interface Recorded {
  readonly nodes: readonly RecordedNode[];
  /** From node, to node, output, input, and the connection type if not `main`. */
  readonly links: readonly (readonly [
    from: string,
    to: string,
    output?: number,
    input?: number,
    connection?: string,
  ])[];
  readonly runs: readonly RecordedRun[];
  readonly error?: Readonly<Record<string, unknown>>;
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** Links each node's first output to the next node. */
export const linkedInOrder = (...names: readonly string[]): (readonly [from: string, to: string])[] =>
  names.slice(1).map((to, index) => [names[index] ?? "", to]);

const STARTED = 1_790_000_000_000;

export function recorded(given: Recorded): ExecutionWithData {
  const reader = new BoundedReader(explanation());
  reader.write(new TextEncoder().encode(JSON.stringify(answerOf(given))));
  return executionWithData.parse(reader.end());
}

const isStored = (item: unknown): boolean => typeof item === "object" && item !== null && "json" in item;

function answerOf({ nodes, links, runs, error, facts = {} }: Recorded): object {
  const runData: Record<string, object[]> = {};
  for (const [index, run] of runs.entries()) {
    const own = runData[run.node] ?? [];
    runData[run.node] = own;
    own.push(runOf(run, index));
  }
  const connections: Record<string, Record<string, { node: string; type: string; index: number }[][]>> = {};
  for (const [from, to, output = 0, input = 0, type = "main"] of links) {
    const outputs = connections[from]?.[type] ?? [];
    connections[from] = { ...connections[from], [type]: outputs };
    while (outputs.length <= output) outputs.push([]);
    outputs[output]?.push({ node: to, type, index: input });
  }
  return {
    id: "7",
    workflowId: "w1",
    finished: error === undefined,
    mode: "webhook",
    status: error === undefined ? "success" : "error",
    startedAt: "2026-09-21T00:00:00.000Z",
    stoppedAt: "2026-09-21T00:00:01.000Z",
    data: {
      startData: {},
      resultData: { ...(error === undefined ? {} : { error }), runData, lastNodeExecuted: runs.at(-1)?.node },
      executionData: { contextData: {}, nodeExecutionStack: [], waitingExecution: {} },
    },
    workflowData: {
      id: "w1",
      name: "Orders",
      nodes: nodes.map((node) => ({ parameters: {}, ...node })),
      connections,
      settings: {},
    },
    ...facts,
  };
}

function runOf({ from = [], out, error, connection = "main", asked }: RecordedRun, index: number): object {
  const outputs = (out ?? []).map((items) =>
    items.map((item, at) => (isStored(item) ? item : { json: item, pairedItem: { item: at } })),
  );
  return {
    startTime: STARTED + index,
    executionIndex: index,
    source: from.map((one) =>
      one === null
        ? null
        : {
            previousNode: one[0],
            ...(one[1] === undefined || one[1] === 0 ? {} : { previousNodeOutput: one[1] }),
            ...(one[2] === undefined || one[2] === 0 ? {} : { previousNodeRun: one[2] }),
          },
    ),
    hints: [],
    executionTime: 2,
    executionStatus: error === undefined ? "success" : "error",
    ...(out === undefined ? {} : { data: { [connection]: outputs } }),
    ...(asked === undefined ? {} : { inputOverride: { [connection]: [[{ json: asked }]] } }),
    ...(error === undefined ? {} : { error }),
  };
}
