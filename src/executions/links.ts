/**
 * How executions are linked. All links are exact, from n8n's own data:
 * child → parent `data.parentExecution` (n8n 1.x: the first run's `metadata.parentExecution`), by which an error
 * workflow's run also names the failed execution; parent → child `runData[node][run].metadata.subExecution`, for a failed
 * call `runData[node][run].error.executionId`; retry → original `retryOf`; original → successful retry
 * `retrySuccessId`. While it waits for them (n8n 2.41 and later), parent → child is
 * `nodeExecutionStack[n].metadata.waitingChildExecutionIds`. A node that calls once for each item names each call at an
 * item that it sends, and their number on its run (`subExecutionsCount`). Pure.
 */
import { memberOf, textAt } from "../json/members.ts";
import { isInherited } from "../n8n/run-order.ts";
import type { ExecutionReference, ExecutionWithData, NodeRun } from "../n8n/schemas.ts";
import { callsWorkflow } from "../n8n/workflow-callers.ts";
import { sumOf } from "../platform/sum-of.ts";
import { dataOutputs, nodesByName, runsByNode } from "./node-runs.ts";

export interface SubExecution {
  readonly executionId: string;
  readonly workflowId: string | null;
  readonly nodeName: string;
}

/** Day of the `waitTill` of an execution that waits for its sub-workflow, since n8n 2.41 (`WAIT_FOR_SUB_EXECUTION`). */
export const WAITS_FOR_SUB_WORKFLOW = "2999-12-31";

/** @param which `own`: without what a retry takes over, the calls of the execution that it retries */
export function linksOf(execution: ExecutionWithData, which: "all" | "own" = "all") {
  const parent = execution.data?.parentExecution ?? parentNamedByRun(execution);
  const agentRun = execution.data?.parentAgentRun;
  const nodes = nodesByName(execution);
  const subExecutions = [...runsByNode(execution)].flatMap(([nodeName, runs]) =>
    runs
      .filter((run) => which === "all" || isOwn(execution)(run))
      .flatMap((run) => {
        const isCaller = callsWorkflow(nodes.get(nodeName)?.type);
        const child = run.metadata?.subExecution ?? (isCaller ? failedCall(run) : undefined);
        return (child === undefined ? callsOfItems(run, isCaller) : [child]).flatMap(
          ({ executionId, workflowId = null }) =>
            executionId === execution.id ? [] : [{ executionId, workflowId, nodeName }],
        );
      }),
  );
  return {
    parent:
      parent === undefined
        ? null
        : { executionId: parent.executionId, workflowId: parent.workflowId ?? null },
    subExecutions: distinct([...waitedFor(execution), ...subExecutions]),
    retryOf: execution.retryOf,
    retrySuccessId: execution.retrySuccessId,
    /** The run of an agent of n8n's Agents module that called it. Its public API does not show agents. */
    ...(agentRun === undefined ? {} : { agentRun }),
  };
}

const isOwn =
  (execution: ExecutionWithData) =>
  ({ startTime }: NodeRun): boolean =>
    !isInherited(execution, startTime);

export function waitedFor({ data }: ExecutionWithData): SubExecution[] {
  return (data?.executionData?.nodeExecutionStack ?? []).flatMap((pending) => {
    if (!("node" in pending)) return [];
    const { node, metadata } = pending;
    const ids = metadata?.waitingChildExecutionIds ?? [];
    return ids.map((executionId) => ({ executionId, workflowId: null, nodeName: node.name }));
  });
}

/** How many calls n8n counted, whether or not they are named: also those that failed before an execution began. */
export const countSubExecutions = (execution: ExecutionWithData): number =>
  sumOf(
    [...runsByNode(execution).values()].flat().filter(isOwn(execution)),
    ({ metadata }) => metadata?.subExecutionsCount ?? 0,
  );

/**
 * Only of the node that made the calls: later nodes may pass on an item together with its link. The item of a call whose
 * failure was caught has the count, too.
 */
function callsOfItems({ metadata, data }: NodeRun, isCaller: boolean): ExecutionReference[] {
  const isOfEach = metadata?.subExecutionsCount !== undefined;
  return dataOutputs(data)
    .flatMap(({ items }) => items)
    .flatMap((item) => {
      const isCaught = isCaller && memberOf(item, "metadata", "subExecutionsCount") !== undefined;
      const called = isOfEach || isCaught ? memberOf(item, "metadata", "subExecution") : undefined;
      const executionId = textAt(called, "executionId") ?? "";
      return /^\d{1,19}$/.test(executionId)
        ? [{ executionId, workflowId: textAt(called, "workflowId") }]
        : [];
    });
}

/** A failed call names the called execution only in its error. */
function failedCall({ error }: NodeRun): ExecutionReference | undefined {
  const { executionId } = error ?? {};
  return executionId === undefined ? undefined : { executionId, workflowId: error?.workflowId };
}

/** n8n 1.x names the parent only on the first run. */
function parentNamedByRun(execution: ExecutionWithData): ExecutionReference | undefined {
  for (const [, runs] of runsByNode(execution))
    for (const { metadata } of runs)
      if (metadata?.parentExecution !== undefined) return metadata.parentExecution;
  return undefined;
}

const distinct = (links: readonly SubExecution[]): SubExecution[] => [
  ...new Map(links.map((link) => [link.executionId, link])).values(),
];
