/**
 * Finds what a sub-workflow answered to the tool that called it. n8n gives back the items of the first output of the
 * last run of the node that was executed last (n8n 2.40, `workflow-execute-additional-data.ts`:
 * buildSubWorkflowOutput); without an item there, the tool fails with "The workflow did not return a response"
 * (n8n-nodes-langchain 2.40, WorkflowToolService), whatever else was sent elsewhere. Pure.
 */

import { outputOf, toNodeItem } from "../../../executions/node-data.ts";
import { outputsOf } from "../../../executions/node-runs.ts";
import { isReadObject, Omitted, type ReadValue } from "../../../json/omitted.ts";
import type { ExecutionWithData, NodeRun } from "../../../n8n/schemas.ts";

/** One run of a node. */
export interface RunPlace {
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

/** `no_data`: n8n keeps none of it. `too_large`: the end was beyond what is read of an execution. */
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
  const { length, items } = firstOutput(last);
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

function firstOutput(run: NodeRun): { readonly length: number; readonly items: readonly ReadValue[] } {
  return outputsOf(run.data).get("main")?.[0] ?? { length: 0, items: [] };
}
