/** Executions as the index of the history keeps them. */
import type { MemorableExecution } from "../../src/history/store/memorable-execution.ts";
import type { TracedExecution } from "../../src/history/store/traced-execution.ts";
import { NO_FACTS } from "../support/facts-of-executions.ts";

/** When the execution with this id starts, ISO 8601: a second after the one before it. */
export const startOf = (id: number): string => new Date(Date.UTC(2026, 0, 1) + id * 1_000).toISOString();

export function tracedExecution(id: number, changes: Partial<TracedExecution> = {}): TracedExecution {
  return {
    id: String(id),
    workflowId: "w1",
    workflowName: "orders",
    mode: "webhook",
    status: "success",
    startedAt: startOf(id),
    stoppedAt: startOf(id),
    waitTill: null,
    parentId: null,
    retryOf: null,
    retrySuccessId: null,
    unknownParentWorkflowId: null,
    mcpTrigger: null,
    subExecutions: [],
    ...changes,
  };
}

export function memorableExecution(
  execution: TracedExecution,
  changes: Partial<MemorableExecution> = {},
): MemorableExecution {
  const nothing = { correlations: [], otherIds: null, problem: null, termFilter: null };
  return { execution, ...nothing, facts: NO_FACTS, ...changes };
}
