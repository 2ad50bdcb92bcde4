/**
 * "What happened to requestId X?": scan, follow the links, answer. The one entry of the trace engine.
 */
import { ObserverError } from "../errors.ts";
import { quoted } from "../executions/display-name.ts";
import { failureOf } from "../executions/failure.ts";
import type { N8nClient } from "../n8n/client.ts";
import { OUTLINE } from "../n8n/read-plans.ts";
import { followLinks } from "./follow-links.ts";
import { outcomeSentence } from "./outcome-sentence.ts";
import type { RequestIdPaths } from "./request-id-paths.ts";
import { type ScanStop, scan } from "./scan.ts";
import { type TimelineEvent, timelineOf } from "./timeline.ts";
import type { TraceStore } from "./trace-session.ts";
import {
  beginTrace,
  isComplete,
  type SkippedExecution,
  type TraceState,
  type TraceWindow,
} from "./trace-state.ts";
import { buildTree, deepestFailure, type Outcome, type RequestTree, type TreeNode } from "./tree.ts";

export interface TraceArguments {
  /** May be left out when `traceId` is given. */
  readonly requestId: string | undefined;
  readonly window: TraceWindow;
  /** Most executions to read in this call. */
  readonly limit: number;
  /** Goes on with an earlier call of the same user. */
  readonly traceId: string | undefined;
}

export interface TraceDependencies {
  readonly client: N8nClient;
  readonly store: TraceStore;
  readonly paths: RequestIdPaths;
  readonly now: () => number;
  readonly newTraceId: () => string;
  /** Told as the trace goes on; `scanned` counts executions. */
  readonly progress: (scanned: number, message: string) => Promise<void>;
}

export interface TraceFailure {
  readonly executionId: string;
  readonly workflowName: string | null;
  readonly nodeName: string | null;
  readonly message: string;
}

export interface TraceAnswer {
  readonly sentence: string;
  readonly requestId: string;
  readonly found: boolean;
  readonly outcome: Outcome;
  /** Where it began: the deepest sub-workflow that failed. */
  readonly failure: TraceFailure | null;
  readonly executions: readonly TreeNode[];
  readonly timeline: readonly TimelineEvent[];
  readonly coverage: {
    readonly scannedExecutions: number;
    /** Start of the oldest and newest execution that was read, ISO 8601. */
    readonly from: string | null;
    readonly to: string | null;
    /** True when the whole window was read. */
    readonly complete: boolean;
    readonly stoppedBy: ScanStop["reason"];
    readonly skipped: readonly SkippedExecution[];
  };
  readonly traceId: string;
  /** n8n's failure, when it ended the scan early. */
  readonly scanError: ObserverError | null;
}

/** Longest time for one call; clients give up after 60 s or more. */
const TIME_BUDGET_MS = 20_000;
/** Kept for following links and the failing node once the scan has ended. */
const TIME_FOR_LINKS_MS = 10_000;

async function openTrace(args: TraceArguments, store: TraceStore): Promise<TraceState> {
  if (args.traceId === undefined) {
    if (args.requestId !== undefined) return beginTrace(args.requestId, args.window);
    throw new ObserverError("VALIDATION_ERROR", "requestId is missing.", {
      field: "requestId",
      expected: "the request id to look for, unless traceId is given",
      solution: "Call again with requestId.",
    });
  }
  const state = await store.load(args.traceId);
  if (state === null) {
    throw new ObserverError("TRACE_NOT_FOUND", "There is no such trace, or it has expired.", {
      field: "traceId",
      solution:
        "Leave traceId out and begin anew with the requestId. A trace can be gone on with for 24 hours, by the user who began it.",
    });
  }
  if (args.requestId !== undefined && args.requestId !== state.requestId) {
    throw new ObserverError("VALIDATION_ERROR", "This traceId belongs to another requestId.", {
      field: "traceId",
      expected: "the traceId that was answered for this requestId",
      solution: "Leave traceId out to begin a trace of this requestId.",
    });
  }
  return state;
}

async function failureOfTree(tree: RequestTree, client: N8nClient): Promise<TraceFailure | null> {
  const node = deepestFailure(tree);
  if (node === null) return null;
  const unread = { executionId: node.id, workflowName: node.workflowName, nodeName: null };
  try {
    const failure = failureOf(await client.readExecution(node.id, OUTLINE));
    if (failure === null) return { ...unread, message: "The execution failed; n8n has no error for it." };
    return { ...unread, nodeName: failure.nodeName, message: failure.message };
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return { ...unread, message: `The failed execution could not be read again: ${error.message}` };
  }
}

/**
 * @throws ObserverError `TRACE_NOT_FOUND`, `VALIDATION_ERROR`, or an `N8N_…` code when n8n failed before the
 * request was found; its details then have a `traceId` to go on with, if anything was read. Once the request
 * was found, n8n's failure is a part of the answer.
 */
export async function traceRequest(
  args: TraceArguments,
  dependencies: TraceDependencies,
): Promise<TraceAnswer> {
  const { client, store, now, progress } = dependencies;
  const state = await openTrace(args, store);
  const traceId = args.traceId ?? dependencies.newTraceId();
  const deadline = now() + TIME_BUDGET_MS;
  const stop = await scan(state, {
    client,
    wanted: { requestId: state.requestId, paths: dependencies.paths },
    limit: args.limit,
    deadline,
    now,
    onMatch: async (execution, match) => {
      const name = execution.workflowName ?? execution.workflowId;
      const kind = match.kind === "exact" ? "Found" : "Mentioned";
      await progress(
        state.scannedExecutions,
        `${kind}: execution ${execution.id} of ${quoted(name)}, status ${execution.status}`,
      );
    },
    checkpoint: async (checkpoint) => {
      await store.save(traceId, checkpoint);
      const back = checkpoint.from === null ? "" : `, back to ${checkpoint.from}`;
      await progress(checkpoint.scannedExecutions, `Read ${checkpoint.scannedExecutions} executions${back}`);
    },
  });
  await followLinks(state, {
    client,
    deadline: Math.max(deadline, now() + TIME_FOR_LINKS_MS),
    now,
    isResumed: args.traceId !== undefined,
  });
  await store.save(traceId, state);
  if (stop.reason === "n8n" && !hasExactMatch(state)) throw toResumableError(stop.error, state, traceId);
  return await answer(state, traceId, stop, client);
}

const hasExactMatch = (state: TraceState): boolean =>
  Object.values(state.matches).some((match) => match.kind === "exact");

/** "Not found" would be wrong when it was n8n that failed. What was read is kept: the next call goes on. */
function toResumableError(error: ObserverError, state: TraceState, traceId: string): ObserverError {
  return new ObserverError(error.code, error.message, {
    ...error.details,
    solution: `${error.details.solution} What was read is kept: call again with the traceId to go on.`,
    scannedExecutions: state.scannedExecutions,
    traceId,
  });
}

async function answer(
  state: TraceState,
  traceId: string,
  stop: ScanStop,
  client: N8nClient,
): Promise<TraceAnswer> {
  const tree = buildTree(state);
  const failure = await failureOfTree(tree, client);
  const cut: SkippedExecution[] = tree.isCut
    ? [{ executionId: null, reason: "there are more linked executions than could be followed" }]
    : [];
  return {
    sentence: outcomeSentence(state, tree, failure?.nodeName ?? null),
    requestId: state.requestId,
    found: tree.deciding !== null,
    outcome: tree.outcome,
    failure,
    executions: tree.nodes,
    timeline: timelineOf(tree.nodes),
    coverage: {
      scannedExecutions: state.scannedExecutions,
      from: state.from,
      to: state.to,
      complete: isComplete(state),
      stoppedBy: stop.reason,
      skipped: [...state.skipped, ...state.unreadLinks, ...cut],
    },
    traceId,
    scanError: stop.reason === "n8n" ? stop.error : null,
  };
}
