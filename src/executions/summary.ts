/** Summarizes an execution's outline: what ran, how much, what failed, and its links. Pure. */
import { isInherited } from "../n8n/run-order.ts";
import type { ExecutionStatus, ExecutionWithData, NodeRun } from "../n8n/schemas.ts";
import { failureOf } from "./failure.ts";
import { linksOf } from "./links.ts";
import {
  countItems,
  countRuns,
  countUnreadRuns,
  durationMs,
  lacksRuns,
  nodesByName,
  runsByNode,
  statusOfRuns,
  workingNodes,
} from "./node-runs.ts";
import { totalWaited, waitsOf } from "./waits.ts";
import { isWithheldByN8n } from "./withheld.ts";

export function basicsOf(execution: ExecutionWithData) {
  return {
    workflowId: execution.workflowId,
    workflowName: execution.workflowData?.name ?? null,
    status: execution.status,
    mode: execution.mode,
    startedAt: execution.startedAt,
    stoppedAt: execution.stoppedAt,
    duration: durationMs(execution),
    /** n8n has removed the data, by its redaction policy: values that look empty may not be. */
    ...(isWithheldByN8n(execution) ? { withheldByN8n: true } : {}),
  };
}

/** A sentence that says why n8n does not show any or each of the node runs; null if it shows them all. */
export function whyRunsAreUnknown(execution: ExecutionWithData): string | null {
  const { status, dataTooLargeToDisplay } = execution;
  if (dataTooLargeToDisplay === true)
    return "The execution's data is above n8n's display limit, so n8n sends none of it.";
  return (
    WITHOUT_EACH_RUN[status] ??
    (runsByNode(execution).size === 0 ? "n8n has no run of any of its nodes." : null)
  );
}

/** Says that something did not run; if n8n may not show each run, that no run of it is known, and why. */
export function noRunOf(execution: ExecutionWithData, didNotRun: string, what: string): string {
  const why = whyRunsAreUnknown(execution);
  return why === null ? didNotRun : `No run of ${what} is known. ${why}`;
}

const CUT_OFF = "The execution was cut off, and n8n may have no run of the node that ran at that moment.";
const WITHOUT_EACH_RUN: Readonly<Partial<Record<ExecutionStatus, string>>> = {
  new: "The execution has not begun.",
  running: "What has run is known once the execution has ended.",
  waiting: "The execution waits, and may go on.",
  canceled: CUT_OFF,
  crashed: CUT_OFF,
};

export type ExecutionSummary = ReturnType<typeof summarizeExecution>;

export function summarizeExecution(execution: ExecutionWithData) {
  const runs = runsByNode(execution);
  const nodes = nodesByName(execution);
  const error = failureOf(execution);
  const waits = waitsOf(execution);
  const waitedAt = Map.groupBy(waits, ({ nodeName }) => nodeName);
  const availableNodes = [...runs].map(([nodeName, nodeRuns]) => {
    const count = countRuns(execution, nodeName, nodeRuns);
    // The run that failed may be one that was not read.
    const isFailed = lacksRuns(execution, nodeName) && error?.nodeName === nodeName;
    return {
      nodeName,
      nodeType: nodes.get(nodeName)?.type ?? null,
      status: isFailed ? "error" : statusOfRuns(nodeRuns),
      runs: count > 1 ? count : undefined,
      waitedMs: waitedAt.has(nodeName) ? totalWaited(waitedAt.get(nodeName)) : undefined,
    };
  });
  /** Ran only in the execution that this one continues. */
  const isEarlier = ([name, ofNode]: readonly [string, readonly NodeRun[]]): boolean =>
    !lacksRuns(execution, name) && ofNode.every(({ startTime }) => isInherited(execution, startTime));
  const countWith = (status: string) => availableNodes.filter((node) => node.status === status).length;
  return {
    id: execution.id,
    ...basicsOf(execution),
    runsUnknown: runs.size === 0 ? (whyRunsAreUnknown(execution) ?? undefined) : undefined,
    waitedMs: waits.length > 0 ? totalWaited(waits) : undefined,
    statistics: {
      totalNodes: new Set([...workingNodes(execution).map(({ name }) => name), ...runs.keys()]).size,
      executedNodes: availableNodes.length,
      successfulNodes: countWith("success"),
      failedNodes: countWith("error"),
      earlierNodes: [...runs].filter(isEarlier).length || undefined,
      totalItemsProcessed: [...runs.values()].flat().reduce((sum, run) => sum + countItems(run), 0),
      unreadRuns: countUnreadRuns(execution) || undefined,
    },
    availableNodes,
    error,
    links: linksOf(execution, "own"),
  };
}
