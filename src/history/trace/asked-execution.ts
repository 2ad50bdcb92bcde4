/** Reads the execution that someone asks for by its id, so that what hangs on it can be found. */

import { ObserverError } from "../../platform/errors.ts";
import { type ReadOptions, readOne } from "../reading/read-executions.ts";
import { toMemorable } from "../reading/to-memorable.ts";
import type { CorrelationDigest } from "../request-ids/correlation-digest.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import type { MemorableExecution } from "../store/memorable-execution.ts";
import type { TracedExecution } from "../store/traced-execution.ts";

export interface AskedOptions extends ReadOptions {
  readonly store: ExecutionStore;
  readonly digest: CorrelationDigest;
}

export interface AskedExecution {
  readonly execution: TracedExecution;
  /** n8n has deleted it: what was remembered of it is told. */
  readonly isGone: boolean;
}

/**
 * Null when n8n has no such execution, and nothing of it is remembered.
 * @throws ObserverError an `N8N_…` code
 */
export async function readAskedExecution(id: string, options: AskedOptions): Promise<AskedExecution | null> {
  const { store, digest, clock } = options;
  const read: MemorableExecution[] = [];
  const unreadable: string[] = [];
  try {
    await readOne(id, options, {
      read: (reading) => read.push(toMemorable(reading, digest)),
      unreadable: (_id, reason) => unreadable.push(reason),
      vanished: () => {},
    });
  } catch (error) {
    if (!(error instanceof ObserverError) || error.code !== "EXECUTION_NOT_FOUND") throw error;
    store.rows.markDeleted([id]);
    const [execution] = store.executions.withIds([id]);
    return execution === undefined ? null : { execution, isGone: true };
  }
  const [first] = read;
  if (first === undefined) {
    throw new ObserverError("N8N_BAD_RESPONSE", `Execution ${id} could not be read: ${unreadable.join()}.`, {
      solution: "Ask for another execution of the request, or for its request id.",
    });
  }
  store.rows.remember(read, clock.now());
  return { execution: first.execution, isGone: false };
}

export function executionNotFound(id: string): ObserverError {
  return new ObserverError("EXECUTION_NOT_FOUND", `There is no execution ${id}.`, {
    field: "requestId",
    solution:
      "It was deleted or pruned by n8n, never saved, or never existed; or the key may not see its project. get_workflow_executions lists the ones that exist.",
  });
}
