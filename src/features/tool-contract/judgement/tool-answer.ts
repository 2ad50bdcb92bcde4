/**
 * Finds a sub-workflow's answer to the tool that called it, and the path to it. n8n returns the items of the first
 * output of the last run of the node that ran last (n8n 2.40, `workflow-execute-additional-data.ts`:
 * buildSubWorkflowOutput); if there is none, the tool fails with "The workflow did not return a response"
 * (n8n-nodes-langchain 2.40, WorkflowToolService), whatever other nodes sent. Pure.
 */
import { outputOf, toNodeItem } from "../../../executions/node-data.ts";
import { nodesByName, type OutputItems, outputsOf, runsByNode } from "../../../executions/node-runs.ts";
import { isReadObject, Omitted, type ReadValue } from "../../../json/omitted.ts";
import type { ExecutionWithData, NodeRun } from "../../../n8n/schemas.ts";
import { displayName } from "../../../platform/display-name.ts";

interface RunPlace {
  readonly nodeName: string;
  readonly run: number;
}

export interface ToolAnswer {
  /** The node whose items are the answer. */
  readonly end: RunPlace;
  readonly items: number;
  /** The first item's `json`; undefined when there is no item. */
  readonly json: ReadValue | undefined;
}

/** `no_data`: n8n did not save it. `too_large`: the answer is beyond the part of an execution that is read. */
export type UnknownAnswer = "no_data" | "too_large";

export function toolAnswerOf(execution: ExecutionWithData): ToolAnswer | UnknownAnswer {
  const { lastNodeExecuted, runData = {} } = execution.data?.resultData ?? {};
  if (lastNodeExecuted === undefined || !Object.hasOwn(runData, lastNodeExecuted)) return "no_data";
  const runs = runData[lastNodeExecuted];
  if (runs === undefined || runs instanceof Omitted) return "too_large";
  const last = runs.at(-1);
  if (last === undefined) return "no_data";
  if (last instanceof Omitted) return "too_large";
  const end = { nodeName: lastNodeExecuted, run: runs.length - 1 };
  const { length = 0, items = [] } = mainOutputs(last)[0] ?? {};
  if (length === 0) return { end, items: 0, json: undefined };
  const [item] = items;
  return isReadObject(item) && item.json !== undefined
    ? { end, items: length, json: item.json }
    : "too_large";
}

/** The `json` of the first item that a run sent to its first output. */
export function firstJsonOf(run: NodeRun): ReadValue | undefined {
  const [item] = outputOf(run, 0).items.items;
  return item === undefined ? undefined : toNodeItem(item).json;
}

const mainOutputs = (run: NodeRun | undefined): readonly OutputItems[] =>
  outputsOf(run?.data).get("main") ?? [];

const PATH_HEAD = 3;
const PATH_TAIL = 9;
const MAX_ENDS = 5;

type Runs = ReadonlyMap<string, readonly NodeRun[]>;

const keyOf = (nodeName: string, run: number): string => `${run} ${nodeName}`;

export type RunPath = ReturnType<typeof runPathTo>;

/** The nodes that led to the end of an execution, and its other ends. */
export function runPathTo(end: RunPlace, execution: ExecutionWithData) {
  const runs = runsByNode(execution);
  const path = leadingTo(end, runs);
  const leftOut = Math.max(0, path.length - PATH_HEAD - PATH_TAIL);
  const shown = leftOut === 0 ? path : [...path.slice(0, PATH_HEAD), ...path.slice(-PATH_TAIL)];
  const outputs = mainOutputs(runs.get(end.nodeName)?.[end.run]);
  return {
    endNode: displayName(end.nodeName),
    endType: nodesByName(execution).get(end.nodeName)?.type ?? null,
    /** The nodes whose items led to the end, each once, in execution order; the end comes last. */
    path: shown.map(displayName),
    /** How many nodes are omitted in the middle of the path. */
    pathLeftOut: leftOut,
    /** Other outputs of the end that sent items; only the first output is the answer. */
    sentElsewhere: outputs.flatMap(({ length }, output) => (output > 0 && length > 0 ? [output] : [])),
    /** Nodes whose items no other node received, and which are not the answer either. */
    otherEnds: otherEnds(end, runs).map(displayName),
  };
}

/** Walks back along the sources of each run. */
function leadingTo(end: RunPlace, runs: Runs): string[] {
  const found = new Map<string, RunPlace>([[keyOf(end.nodeName, end.run), end]]);
  // Iterating a map also visits entries that are added meanwhile.
  for (const { nodeName, run } of found.values()) {
    for (const source of runs.get(nodeName)?.[run]?.source ?? []) {
      if (source === null) continue;
      const place = { nodeName: source.previousNode, run: source.previousNodeRun ?? 0 };
      const key = keyOf(place.nodeName, place.run);
      if (!found.has(key) && runs.has(place.nodeName)) found.set(key, place);
    }
  }
  const places = [...found.values()].sort((a, b) => indexOf(a, runs) - indexOf(b, runs));
  const names = places.map(({ nodeName }) => nodeName).filter((name) => name !== end.nodeName);
  return [...new Set(names), end.nodeName];
}

const indexOf = ({ nodeName, run }: RunPlace, runs: Runs): number =>
  runs.get(nodeName)?.[run]?.executionIndex ?? 0;

function otherEnds(end: RunPlace, runs: Runs): string[] {
  const sources = [...runs.values()].flat().flatMap(({ source }) => source.filter((each) => each !== null));
  const received = new Set(
    sources.map(({ previousNode, previousNodeRun = 0 }) => keyOf(previousNode, previousNodeRun)),
  );
  const isEnd = (nodeName: string, run: NodeRun, index: number): boolean =>
    !received.has(keyOf(nodeName, index)) && mainOutputs(run).some(({ length }) => length > 0);
  const ends = [...runs].filter(
    ([name, ofNode]) => name !== end.nodeName && ofNode.some((run, index) => isEnd(name, run, index)),
  );
  return ends.map(([name]) => name).slice(0, MAX_ENDS);
}
