/** Summarizes an execution's outline: what ran, how much, what failed, and its links. Pure. */
import type { ExecutionStatus, ExecutionWithData } from "../n8n/schemas.ts";
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

/** Why n8n shows no node run, or perhaps not each: a sentence; null if there is no reason. */
export function whyRunsAreUnknown(execution: ExecutionWithData): string | null {
  const { status, dataTooLargeToDisplay } = execution;
  if (dataTooLargeToDisplay === true) return "Its data is above n8n's display limit: n8n sends none of it.";
  return (
    WITHOUT_EACH_RUN[status] ?? (runsByNode(execution).size === 0 ? "n8n has no run of its nodes." : null)
  );
}

const CUT_OFF = "It was cut off: n8n may have no run of what ran then.";
const WITHOUT_EACH_RUN: Readonly<Partial<Record<ExecutionStatus, string>>> = {
  new: "It has not begun.",
  running: "What has run is known once it has ended.",
  waiting: "It waits, and may go on.",
  canceled: CUT_OFF,
  crashed: CUT_OFF,
};

export type ExecutionSummary = ReturnType<typeof summarizeExecution>;

export function summarizeExecution(execution: ExecutionWithData) {
  const runs = runsByNode(execution);
  const nodes = nodesByName(execution);
  const error = failureOf(execution);
  const availableNodes = [...runs].map(([nodeName, nodeRuns]) => {
    const count = countRuns(execution, nodeName, nodeRuns);
    // The run that failed may be one that was not read.
    const isFailed = lacksRuns(execution, nodeName) && error?.nodeName === nodeName;
    return {
      nodeName,
      nodeType: nodes.get(nodeName)?.type ?? null,
      status: isFailed ? "error" : statusOfRuns(nodeRuns),
      runs: count > 1 ? count : undefined,
    };
  });
  const countWith = (status: string) => availableNodes.filter((node) => node.status === status).length;
  return {
    id: execution.id,
    ...basicsOf(execution),
    runsUnknown: runs.size === 0 ? (whyRunsAreUnknown(execution) ?? undefined) : undefined,
    statistics: {
      totalNodes: workingNodes(execution).length,
      executedNodes: availableNodes.length,
      successfulNodes: countWith("success"),
      failedNodes: countWith("error"),
      totalItemsProcessed: [...runs.values()].flat().reduce((sum, run) => sum + countItems(run), 0),
      unreadRuns: countUnreadRuns(execution) || undefined,
    },
    availableNodes,
    error,
    links: linksOf(execution),
  };
}
