/**
 * What a trace remembers between calls: how far it looked, what matched, who started whom. No payload.
 * It is plain JSON and is checked by its schema when it comes back from storage.
 */
import * as z from "zod";
import { linksOf } from "../executions/links.ts";
import { EXECUTION_STATUSES, type ExecutionWithData } from "../n8n/schemas.ts";

const link = z.object({ executionId: z.string(), nodeName: z.string() });

/** One execution that a scan has read: its own facts and its links. */
export const tracedExecution = z.object({
  id: z.string(),
  workflowId: z.string(),
  workflowName: z.string().nullable(),
  mode: z.string(),
  status: z.enum(EXECUTION_STATUSES),
  startedAt: z.string().nullable(),
  stoppedAt: z.string().nullable(),
  parentId: z.string().nullable(),
  retryOf: z.string().nullable(),
  retrySuccessId: z.string().nullable(),
  subExecutions: z.array(link),
});
export type TracedExecution = z.infer<typeof tracedExecution>;

const match = z.object({
  kind: z.enum(["exact", "mentioned"]),
  nodeName: z.string().nullable(),
  path: z.string(),
});

/** Something that could not be looked at, and why. */
export const skippedExecution = z.object({ executionId: z.string().nullable(), reason: z.string() });
export type SkippedExecution = z.infer<typeof skippedExecution>;

export const traceWindow = z.object({
  workflowId: z.string().nullable(),
  /** ISO 8601, inclusive. */
  startedAfter: z.string().nullable(),
  startedBefore: z.string().nullable(),
});
export type TraceWindow = z.infer<typeof traceWindow>;

export const traceState = z.object({
  /** Counted up when the shape changes: an older state is not read, the trace begins anew. */
  version: z.literal(1),
  requestId: z.string(),
  window: traceWindow,
  /** n8n's cursor to go on with; null at the beginning and at the end. */
  cursor: z.string().nullable(),
  /** True once the window was read to its end, but for `newer`. */
  complete: z.boolean(),
  /** What came since an earlier call and was not read to its end: where to go on, and the id it ends at. */
  newer: z.object({ cursor: z.string().nullable(), downTo: z.string() }).nullable(),
  /** False once n8n was seen not to filter by date: then dates are compared while paging. */
  filtersDates: z.boolean(),
  scannedExecutions: z.number().int(),
  /** Ids of the newest and oldest execution that was read. */
  newestId: z.string().nullable(),
  oldestId: z.string().nullable(),
  /** Start of the newest and oldest execution that was read: the window that is covered. */
  to: z.string().nullable(),
  from: z.string().nullable(),
  matches: z.record(z.string(), match),
  /** Executions that match or are linked to another, by id. */
  executions: z.record(z.string(), tracedExecution),
  skipped: z.array(skippedExecution),
  /** Linked executions that the last call could not read. Each call tries them again. */
  unreadLinks: z.array(skippedExecution),
});
export type TraceState = z.infer<typeof traceState>;

/** More than any tree that a person could read; a bound on what is stored. */
export const MAX_REMEMBERED_EXECUTIONS = 3_000;
export const MAX_REMEMBERED_MATCHES = 1_000;
const MAX_REMEMBERED_SKIPPED = 100;

export function beginTrace(requestId: string, window: TraceWindow): TraceState {
  return {
    version: 1,
    requestId,
    window,
    cursor: null,
    complete: false,
    newer: null,
    filtersDates: true,
    scannedExecutions: 0,
    newestId: null,
    oldestId: null,
    to: null,
    from: null,
    matches: {},
    executions: {},
    skipped: [],
    unreadLinks: [],
  };
}

export function toTracedExecution(execution: ExecutionWithData): TracedExecution {
  const links = linksOf(execution);
  return {
    id: execution.id,
    workflowId: execution.workflowId,
    workflowName: execution.workflowData?.name ?? null,
    mode: execution.mode,
    status: execution.status,
    startedAt: execution.startedAt,
    stoppedAt: execution.stoppedAt,
    parentId: links.parent?.executionId ?? null,
    retryOf: links.retryOf,
    retrySuccessId: links.retrySuccessId,
    subExecutions: links.subExecutions.map(({ executionId, nodeName }) => ({ executionId, nodeName })),
  };
}

const isLinked = (execution: TracedExecution): boolean =>
  execution.parentId !== null ||
  execution.retryOf !== null ||
  execution.retrySuccessId !== null ||
  execution.subExecutions.length > 0;

/** Ids of executions are counted up, and compared as numbers. */
export const isNewer = (id: string, other: string): boolean => BigInt(id) > BigInt(other);

/** Notes an execution that was read, with its match if it has one. Changes the state. */
export function remember(
  state: TraceState,
  execution: TracedExecution,
  found: TraceState["matches"][string] | null,
): void {
  if (found !== null && Object.keys(state.matches).length < MAX_REMEMBERED_MATCHES)
    state.matches[execution.id] = found;
  const isKnown = execution.id in state.executions;
  const isWanted = found !== null || isLinked(execution);
  const hasRoom = Object.keys(state.executions).length < MAX_REMEMBERED_EXECUTIONS;
  if (isKnown || (isWanted && (hasRoom || found !== null))) state.executions[execution.id] = execution;
}

/** True once nothing of the window is left to read. */
export const isComplete = (state: TraceState): boolean => state.complete && state.newer === null;

/** Notes how far the scan has come. Changes the state. */
export function noteScanned(state: TraceState, id: string, startedAt: string | null): void {
  state.scannedExecutions += 1;
  if (state.newestId === null || isNewer(id, state.newestId)) state.newestId = id;
  if (state.oldestId === null || isNewer(state.oldestId, id)) state.oldestId = id;
  if (startedAt === null) return;
  if (state.to === null || startedAt > state.to) state.to = startedAt;
  if (state.from === null || startedAt < state.from) state.from = startedAt;
}

/** Notes what could not be looked at. Changes the state. */
export function noteSkipped(state: TraceState, skipped: SkippedExecution): void {
  const isKnown = state.skipped.some(
    (known) => known.executionId === skipped.executionId && known.reason === skipped.reason,
  );
  if (!isKnown && state.skipped.length < MAX_REMEMBERED_SKIPPED) state.skipped.push(skipped);
}
