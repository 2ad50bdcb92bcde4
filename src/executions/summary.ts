/** Summarizes an execution's outline: what ran, how much, what failed, and its links. Pure. */
import type { ExecutionWithData } from "../n8n/schemas.ts";
import { failureOf } from "./failure.ts";
import { linksOf } from "./links.ts";
import { countItems, durationMs, nodesByName, runsByNode, statusOfRuns, workingNodes } from "./node-runs.ts";
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

export type ExecutionSummary = ReturnType<typeof summarizeExecution>;

export function summarizeExecution(execution: ExecutionWithData) {
  const runs = runsByNode(execution);
  const nodes = nodesByName(execution);
  const availableNodes = [...runs].map(([nodeName, nodeRuns]) => ({
    nodeName,
    nodeType: nodes.get(nodeName)?.type ?? null,
    status: statusOfRuns(nodeRuns),
    runs: nodeRuns.length > 1 ? nodeRuns.length : undefined,
  }));
  const countWith = (status: string) => availableNodes.filter((node) => node.status === status).length;
  return {
    id: execution.id,
    ...basicsOf(execution),
    statistics: {
      totalNodes: workingNodes(execution).length,
      executedNodes: availableNodes.length,
      successfulNodes: countWith("success"),
      failedNodes: countWith("error"),
      totalItemsProcessed: [...runs.values()].flat().reduce((sum, run) => sum + countItems(run), 0),
    },
    availableNodes,
    error: failureOf(execution),
    links: linksOf(execution),
  };
}
