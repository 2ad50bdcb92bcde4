/**
 * Chooses the earlier success to compare an execution with: the newest that the same trigger started, preferably with the
 * same version of the workflow. Runs started by hand in the editor, perhaps on pinned data, are excluded. Pure.
 */
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { nodesByName, runsByNode } from "../node-runs.ts";
import { isWithheldByN8n } from "../withheld.ts";
import { versionOf } from "./compare-executions.ts";
import { pairNodes } from "./node-pairs.ts";

export interface ChosenSuccess {
  readonly success: ExecutionWithData;
  /** Other successes that the same trigger started; differences among these are ordinary. */
  readonly ordinary: readonly ExecutionWithData[];
}

export interface Trigger {
  readonly nodeName: string;
  readonly nodeType: string | null;
}

export function triggerOf(execution: ExecutionWithData): Trigger | null {
  const [nodeName] = runsByNode(execution).keys();
  if (nodeName === undefined) return null;
  return { nodeName, nodeType: nodesByName(execution).get(nodeName)?.type ?? null };
}

/** Of several triggers of one type, the type decides only for those that are not in both workflows. */
function isSameTrigger(success: ExecutionWithData, now: ExecutionWithData): boolean {
  const [before, own] = [triggerOf(success), triggerOf(now)];
  if (before === null || own === null) return false;
  const pair = pairNodes(success, now).pairs.find(
    (one) =>
      (one.before.name === before.nodeName || one.now.name === own.nodeName) &&
      // A replaced trigger may still be in the workflow, disabled: it starts nothing.
      one.now.disabled !== true,
  );
  if (pair !== undefined) return pair.before.name === before.nodeName && pair.now.name === own.nodeName;
  return before.nodeName === own.nodeName || (before.nodeType !== null && before.nodeType === own.nodeType);
}

function isComparable(success: ExecutionWithData, now: ExecutionWithData): boolean {
  return (
    success.id !== now.id &&
    success.workflowId === now.workflowId &&
    success.status === "success" &&
    success.mode !== "manual" &&
    !isWithheldByN8n(success)
  );
}

/** @param successes newest first @returns null if none is comparable */
export function chooseSuccess(
  now: ExecutionWithData,
  successes: readonly ExecutionWithData[],
): ChosenSuccess | null {
  // If it failed before its first node, any success shows what should have run.
  const isAlike = (one: ExecutionWithData): boolean => triggerOf(now) === null || isSameTrigger(one, now);
  const alike = successes.filter((one) => isComparable(one, now) && isAlike(one));
  const version = versionOf(now);
  const [success] = [...alike.filter((one) => version !== null && versionOf(one) === version), ...alike];
  if (success === undefined) return null;
  return { success, ordinary: alike.filter((one) => one !== success) };
}
