/** How an execution came to its end: the nodes that led there, and other ends that it had. Pure. */

import { nodesByName, outputsOf, runsByNode } from "../../../executions/node-runs.ts";
import type { ExecutionWithData, NodeRun } from "../../../n8n/schemas.ts";
import { displayName } from "../../../platform/display-name.ts";
import type { RunPlace } from "./tool-answer.ts";

export interface RunPath {
  readonly endNode: string;
  readonly endType: string | null;
  /** The nodes whose items led to it, each once, in the order in which they ran; itself last. */
  readonly path: readonly string[];
  /** How many are left out in the middle of the path. */
  readonly pathLeftOut: number;
  /** Outputs of the end that sent items, other than the first, which alone is the answer. */
  readonly sentElsewhere: readonly number[];
  /** Nodes that sent items which no node took, and which are no answer either. */
  readonly otherEnds: readonly string[];
}

const PATH_HEAD = 3;
const PATH_TAIL = 9;
const MAX_ENDS = 5;

type Runs = ReadonlyMap<string, readonly NodeRun[]>;

const keyOf = (nodeName: string, run: number): string => `${run} ${nodeName}`;

export function runPathTo(end: RunPlace, execution: ExecutionWithData): RunPath {
  const runs = runsByNode(execution);
  const path = leadingTo(end, runs);
  const leftOut = Math.max(0, path.length - PATH_HEAD - PATH_TAIL);
  const shown = leftOut === 0 ? path : [...path.slice(0, PATH_HEAD), ...path.slice(-PATH_TAIL)];
  const outputs = mainOutputs(runs.get(end.nodeName)?.[end.run]);
  return {
    endNode: displayName(end.nodeName),
    endType: nodesByName(execution).get(end.nodeName)?.type ?? null,
    path: shown.map(displayName),
    pathLeftOut: leftOut,
    sentElsewhere: outputs.flatMap(({ length }, output) => (output > 0 && length > 0 ? [output] : [])),
    otherEnds: otherEnds(end, runs).map(displayName),
  };
}

/** Walks back along the sources of each run. */
function leadingTo(end: RunPlace, runs: Runs): string[] {
  const found = new Map<string, RunPlace>([[keyOf(end.nodeName, end.run), end]]);
  // A map hands out what is added while it is walked.
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

function indexOf({ nodeName, run }: RunPlace, runs: Runs): number {
  return runs.get(nodeName)?.[run]?.executionIndex ?? 0;
}

function otherEnds(end: RunPlace, runs: Runs): string[] {
  const taken = new Set<string>();
  for (const { source } of [...runs.values()].flat()) {
    for (const each of source) {
      if (each !== null) taken.add(keyOf(each.previousNode, each.previousNodeRun ?? 0));
    }
  }
  const ends = [...runs].filter(
    ([nodeName, nodeRuns]) =>
      nodeName !== end.nodeName &&
      nodeRuns.some((run, index) => !taken.has(keyOf(nodeName, index)) && sendsItems(run)),
  );
  return ends.map(([nodeName]) => nodeName).slice(0, MAX_ENDS);
}

function sendsItems(run: NodeRun): boolean {
  return mainOutputs(run).some(({ length }) => length > 0);
}

function mainOutputs(run: NodeRun | undefined): readonly { readonly length: number }[] {
  return outputsOf(run?.data).get("main") ?? [];
}
