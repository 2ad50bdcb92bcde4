/**
 * Where an execution failed, and with which error, for executions read whole or streamed. The code that throws an error
 * can name any node in it, so the name counts only if the execution has that node. Pure.
 */
import type { ExecutionWithData, NodeError } from "../n8n/schemas.ts";
import { callsWorkflow } from "../n8n/workflow-callers.ts";
import { hasFailed, nodesByName, orderOf, runsByNode } from "./node-runs.ts";

export interface FailedPlace {
  /** Null if n8n does not say. */
  readonly nodeName: string | null;
  readonly error: NodeError | undefined;
}

/** The places in which n8n reports a failure. */
interface FailureClues {
  readonly error: NodeError | undefined;
  readonly lastNodeExecuted: string | undefined;
  /** The last run that ended with an error, in the order of execution. */
  readonly lastFailedRun: { readonly nodeName: string; readonly error: NodeError | undefined } | undefined;
  hasNode(name: string): boolean;
  /** Whether this node calls workflows. */
  calls(name: string): boolean;
}

export function failedPlaceIn({
  error,
  lastNodeExecuted,
  lastFailedRun,
  hasNode,
  calls,
}: FailureClues): FailedPlace {
  // A sub-workflow's error names a node of the sub-workflow, which may have the name of a node of this one. If that failed
  // after a wait, its error has no `executionId`.
  const isOfCalled = error?.executionId !== undefined || calls(lastNodeExecuted ?? "");
  const named = isOfCalled ? undefined : error?.node?.name;
  const own = named !== undefined && hasNode(named) ? named : undefined;
  return {
    nodeName: own ?? lastNodeExecuted ?? lastFailedRun?.nodeName ?? null,
    error: error ?? lastFailedRun?.error,
  };
}

export function failedPlaceOf(execution: ExecutionWithData): FailedPlace {
  const result = execution.data?.resultData;
  const runs = runsByNode(execution);
  const nodes = nodesByName(execution);
  const failed = [...runs]
    .flatMap(([nodeName, ofNode]) => ofNode.filter(hasFailed).map((run) => ({ nodeName, run })))
    .toSorted((a, b) => orderOf(a.run) - orderOf(b.run))
    .at(-1);
  return failedPlaceIn({
    error: result?.error,
    lastNodeExecuted: result?.lastNodeExecuted,
    lastFailedRun: failed && { nodeName: failed.nodeName, error: failed.run.error },
    hasNode: (name) => nodes.has(name) || runs.has(name),
    calls: (name) => callsWorkflow(nodes.get(name)?.type),
  });
}
