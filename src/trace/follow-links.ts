/**
 * Reads the executions that belong to a request and did not come by in the scan, and reads again those
 * that had not ended. Changes the state. What cannot be read is noted.
 */
import { ObserverError } from "../errors.ts";
import type { N8nClient } from "../n8n/client.ts";
import { LINKS } from "../n8n/read-plans.ts";
import { familyOf } from "./family.ts";
import { type TraceState, toTracedExecution } from "./trace-state.ts";

/** A bound on what one call asks of n8n by single ids. */
const MAX_READS = 100;
const CONCURRENT_READS = 2;

const UNENDED = new Set(["running", "waiting", "new", "unknown"]);

export interface FollowOptions {
  readonly client: N8nClient;
  /** Epoch ms at which to stop. */
  readonly deadline: number;
  readonly now: () => number;
  /** True when the state comes from an earlier call: what had not ended then is read again. */
  readonly isResumed: boolean;
}

export async function followLinks(state: TraceState, options: FollowOptions): Promise<void> {
  // What an earlier call could not read is tried again, and said again if it still cannot be.
  state.unreadLinks = [];
  const tried = new Set<string>();
  for (;;) {
    const family = familyOf(state);
    const stale = options.isResumed ? [...family.ids].filter((id) => hasNotEnded(state, id)) : [];
    const open = [...family.missing, ...stale].filter((id) => !tried.has(id)).slice(0, CONCURRENT_READS);
    if (open.length === 0) return;
    const why = stopReason(tried.size, options);
    if (why !== null) {
      state.unreadLinks.push({ executionId: null, reason: why });
      return;
    }
    for (const id of open) tried.add(id);
    await Promise.all(open.map((id) => readLinked(id, state, options)));
  }
}

function stopReason(reads: number, { now, deadline }: FollowOptions): string | null {
  if (reads >= MAX_READS) return `more than ${MAX_READS} linked executions were left to read`;
  return now() >= deadline ? "time ran out before all linked executions were read" : null;
}

function hasNotEnded(state: TraceState, id: string): boolean {
  const execution = state.executions[id];
  return execution !== undefined && UNENDED.has(execution.status);
}

/** No read is given less, else a late one could never succeed. */
const MIN_READ_TIMEOUT_MS = 1_000;

async function readLinked(id: string, state: TraceState, options: FollowOptions): Promise<void> {
  const timeoutMs = Math.max(MIN_READ_TIMEOUT_MS, options.deadline - options.now());
  try {
    state.executions[id] = toTracedExecution(await options.client.readExecution(id, LINKS, { timeoutMs }));
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    const reason =
      error.code === "EXECUTION_NOT_FOUND"
        ? "it is linked, but was deleted"
        : `it is linked, but reading it failed with ${error.code}`;
    state.unreadLinks.push({ executionId: id, reason });
  }
}
