/** Summarizes an execution's outline: what ran, how much, what failed, and its links. Pure. */
import type { ExecutionWithData } from "../n8n/schemas.ts";
import { type Failure, failureOf } from "./failure.ts";
import { type ExecutionLinks, linksOf } from "./links.ts";
import { countItems, durationMs, nodesByName, runsByNode, statusOfRuns } from "./node-runs.ts";
import { isWithheldByN8n } from "./withheld.ts";

export interface NodeSummary {
  readonly nodeName: string;
  readonly nodeType: string | null;
  readonly status: string;
}

export interface ExecutionBasics {
  readonly workflowId: string;
  readonly workflowName: string | null;
  readonly status: string;
  readonly mode: string;
  readonly startedAt: string | null;
  readonly stoppedAt: string | null;
  readonly duration: number | null;
  /** n8n has removed the data, by its redaction policy: values that look empty may not be. */
  readonly withheldByN8n?: true;
}

export function basicsOf(execution: ExecutionWithData): ExecutionBasics {
  return {
    workflowId: execution.workflowId,
    workflowName: execution.workflowData?.name ?? null,
    status: execution.status,
    mode: execution.mode,
    startedAt: execution.startedAt,
    stoppedAt: execution.stoppedAt,
    duration: durationMs(execution),
    ...(isWithheldByN8n(execution) ? { withheldByN8n: true } : {}),
  };
}

export interface ExecutionSummary extends ExecutionBasics {
  readonly id: string;
  readonly statistics: {
    readonly totalNodes: number;
    readonly executedNodes: number;
    readonly successfulNodes: number;
    readonly failedNodes: number;
    readonly totalItemsProcessed: number;
  };
  readonly availableNodes: readonly NodeSummary[];
  readonly error: Failure | null;
  readonly links: ExecutionLinks;
}

const STICKY_NOTE = "n8n-nodes-base.stickyNote";

export function summarizeExecution(execution: ExecutionWithData): ExecutionSummary {
  const runs = runsByNode(execution);
  const nodes = nodesByName(execution);
  const availableNodes = [...runs].map(([nodeName, nodeRuns]) => ({
    nodeName,
    nodeType: nodes.get(nodeName)?.type ?? null,
    status: statusOfRuns(nodeRuns),
    runs: nodeRuns.length > 1 ? nodeRuns.length : undefined,
  }));
  const failedNodes = availableNodes.filter((node) => node.status === "error").length;
  return {
    id: execution.id,
    ...basicsOf(execution),
    statistics: {
      totalNodes: [...nodes.values()].filter((node) => node.type !== STICKY_NOTE).length,
      executedNodes: availableNodes.length,
      successfulNodes: availableNodes.filter((node) => node.status === "success").length,
      failedNodes,
      totalItemsProcessed: [...runs.values()].flat().reduce((sum, run) => sum + countItems(run), 0),
    },
    availableNodes,
    error: failureOf(execution),
    links: linksOf(execution),
  };
}
