/**
 * Node runs of an execution, as n8n keeps them in `data.resultData.runData[node][run]`. Node types are
 * not included there; they are looked up in `workflowData.nodes`, by name. Pure.
 */
import { itemsOf, Omitted, type ReadValue } from "../json/omitted.ts";
import type { ExecutionStatus, ExecutionWithData, NodeRun, WorkflowNode } from "../n8n/schemas.ts";
import { sumOf } from "../platform/sum-of.ts";

/** One output of a run: the items that were read, and the total number of items. */
export interface OutputItems {
  readonly items: readonly ReadValue[];
  readonly length: number;
}

export const NO_ITEMS: OutputItems = { items: [], length: 0 };

/**
 * Node name → its runs, in the order in which the nodes were first executed. Resuming and retrying, n8n takes out the run
 * that waited or failed, which leaves nodes without any.
 */
export function runsByNode(execution: ExecutionWithData): Map<string, NodeRun[]> {
  const runData = execution.data?.resultData?.runData ?? {};
  const entries = Object.entries(runData).flatMap(([name, runs]) =>
    runs instanceof Omitted || runs.length === 0
      ? []
      : [[name, runs.filter((run): run is NodeRun => !(run instanceof Omitted))] as const],
  );
  return new Map(entries.sort(([, [a]], [, [b]]) => orderOf(a) - orderOf(b)));
}

/** How many runs of a node were skipped while reading, because it ran too often. */
function unreadRunsOf({ data }: ExecutionWithData, nodeName: string): number {
  const runs = data?.resultData?.runData?.[nodeName] ?? [];
  return sumOf([runs].flat(), (run) => (run instanceof Omitted ? run.count : 0));
}

export const lacksRuns = (execution: ExecutionWithData, nodeName: string): boolean =>
  unreadRunsOf(execution, nodeName) > 0;

/** How often a node ran, also if not all of its runs were read. */
export const countRuns = (execution: ExecutionWithData, nodeName: string, read: readonly NodeRun[]): number =>
  read.length + unreadRunsOf(execution, nodeName);

export const countUnreadRuns = (execution: ExecutionWithData): number =>
  sumOf(Object.keys(execution.data?.resultData?.runData ?? {}), (name) => unreadRunsOf(execution, name));

/** Sort key: the order of execution, or the start time for n8n before about 1.90, which has no `executionIndex`. */
export const orderOf = (run: NodeRun | undefined): number => run?.executionIndex ?? run?.startTime ?? 0;

/** The workflow's nodes at the time of the execution, by name. */
export function nodesByName(execution: ExecutionWithData): Map<string, WorkflowNode> {
  const nodes = execution.workflowData?.nodes ?? [];
  if (nodes instanceof Omitted) return new Map();
  return new Map(nodes.flatMap((node) => (node instanceof Omitted ? [] : [[node.name, node] as const])));
}

export const workingNodes = (execution: ExecutionWithData): WorkflowNode[] =>
  [...nodesByName(execution).values()].filter(({ type }) => type !== "n8n-nodes-base.stickyNote");

/** The data that a run sent (or, for `inputOverride`, received), by connection type: `main`, `ai_tool`, … */
export function outputsOf(data: NodeRun["data"]): Map<string, OutputItems[]> {
  return new Map(
    Object.entries(data ?? {}).map(([type, outputs]) => [
      type,
      outputs instanceof Omitted ? [] : outputs.map(toOutputItems),
    ]),
  );
}

/** The outputs that carry a node's data: those of `main`, else of its first connection type (`ai_tool`, …). */
export function dataOutputs(data: NodeRun["data"]): readonly OutputItems[] {
  const byType = outputsOf(data);
  return byType.get("main") ?? [...byType.values()][0] ?? [];
}

function toOutputItems(output: readonly ReadValue[] | Omitted | null): OutputItems {
  if (output === null) return NO_ITEMS;
  if (output instanceof Omitted) return { items: [], length: output.length };
  return itemsOf(output);
}

/**
 * The input of the nodes that are about to run, by node name. For a running execution this is often the only
 * data, since n8n writes `runData` when the execution ends.
 */
export function pendingInputs(execution: ExecutionWithData): { nodeName: string; outputs: OutputItems[] }[] {
  const stack = execution.data?.executionData?.nodeExecutionStack ?? [];
  return stack.flatMap((pending) =>
    pending instanceof Omitted
      ? []
      : [{ nodeName: pending.node.name, outputs: [...outputsOf(pending.data).values()].flat() }],
  );
}

export const countItems = (run: NodeRun): number =>
  sumOf([...outputsOf(run.data).values()].flat(), ({ length }) => length);

/** The outputs by which a run sent anything, counted from 0. */
export const usedOutputs = (run: NodeRun): number[] =>
  dataOutputs(run.data).flatMap(({ length }, output) => (length > 0 ? [output] : []));

/** Whether an execution with this status failed, as opposed to one that was stopped. */
export const isFailedStatus = (status: ExecutionStatus): boolean =>
  status === "error" || status === "crashed";

export const hasFailed = (run: NodeRun): boolean =>
  run.executionStatus === "error" || run.error !== undefined;

/** `error` as soon as one run failed, else the status of the last run. */
export function statusOfRuns(runs: readonly NodeRun[]): string {
  if (runs.some(hasFailed)) return "error";
  return runs.at(-1)?.executionStatus ?? "success";
}

/**
 * Milliseconds from start to end; null while it runs, or if two clocks (main process, worker) have it end before it
 * starts. n8n sets `stoppedAt` when a wait begins, which is not the end, and keeps it while the execution runs again.
 */
export function durationMs(execution: {
  readonly status: ExecutionStatus;
  readonly startedAt: string | null;
  readonly stoppedAt: string | null;
}): number | null {
  const { status, startedAt, stoppedAt } = execution;
  if (status === "waiting" || status === "running" || startedAt === null || stoppedAt === null) return null;
  const milliseconds = Date.parse(stoppedAt) - Date.parse(startedAt);
  return milliseconds < 0 ? null : milliseconds;
}

/** Epoch milliseconds as ISO 8601 in UTC; null if they are not a valid time. */
export const isoTime = (epochMs: number): string | null =>
  epochMs > 0 && epochMs < 8.64e15 ? new Date(epochMs).toISOString() : null;
