/**
 * Chooses the earlier success to compare an execution with: the newest that the same trigger started, preferably with the
 * same version of the workflow. Runs started by hand in the editor, perhaps on pinned data, are excluded. Pure.
 */
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { nodesByName, runsByNode } from "../node-runs.ts";
import { isWithheldByN8n } from "../withheld.ts";
import { versionOf } from "./compare-executions.ts";

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

/** A renamed trigger is recognized by its type. */
function isSameTrigger(one: Trigger | null, other: Trigger | null): boolean {
  if (one === null || other === null) return false;
  return one.nodeName === other.nodeName || (one.nodeType !== null && one.nodeType === other.nodeType);
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
  const trigger = triggerOf(now);
  const alike = successes.filter(
    // If it failed before its first node, any success shows what should have run.
    (one) => isComparable(one, now) && (trigger === null || isSameTrigger(trigger, triggerOf(one))),
  );
  const version = versionOf(now);
  const [success] = [...alike.filter((one) => version !== null && versionOf(one) === version), ...alike];
  if (success === undefined) return null;
  return { success, ordinary: alike.filter((one) => one !== success) };
}
