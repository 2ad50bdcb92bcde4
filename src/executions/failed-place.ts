/** Where an execution failed, and with what: one order of belief for whoever reads executions, in whatever way. Pure. */
import type { NodeError } from "../n8n/schemas.ts";

/** What n8n reports of a failure, in several places. */
export interface FailureClues {
  /** Of the whole execution. */
  readonly error: NodeError | undefined;
  readonly lastNodeExecuted: string | undefined;
  /** A run that ended with an error. */
  readonly failedRun: { readonly nodeName: string; readonly error: NodeError | undefined } | undefined;
  /** Whether the execution has a node of this name. */
  hasNode(name: string): boolean;
}

export interface FailedPlace {
  /** Null when n8n does not say. */
  readonly nodeName: string | null;
  readonly error: NodeError | undefined;
}

export function failedPlaceIn(clues: FailureClues): FailedPlace {
  const { error, lastNodeExecuted, failedRun } = clues;
  return {
    nodeName: ownNode(clues) ?? lastNodeExecuted ?? failedRun?.nodeName ?? null,
    error: error ?? failedRun?.error,
  };
}

/** Whoever throws an error can write a node into it: it is one only if the execution has it. */
function ownNode({ error, hasNode }: FailureClues): string | undefined {
  const name = error?.node?.name;
  return name !== undefined && hasNode(name) ? name : undefined;
}
