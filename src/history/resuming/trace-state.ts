/** What a trace itself stores between calls. Plain JSON, checked by its schema when it is loaded. */
import * as z from "zod";
import { ObserverError } from "../../platform/errors.ts";
import { type TraceWindow, traceWindow } from "../store/trace-window.ts";
import { NEW_OWN_READING, ownReadingState } from "./own-reads.ts";

const mention = z.object({ nodeName: z.string().nullable(), path: z.string() });

export const traceState = z.object({
  /** Incremented when the shape changes: an older state is ignored and the trace restarts. */
  version: z.literal(3),
  /** The request id as the caller gave it; for a search only a digest, because it may be anyone's data. */
  asked: z.string(),
  window: traceWindow,
  /** True if every execution is read again to find mentions. */
  deep: z.boolean(),
  /** Number of executions in which the id was searched beyond the known paths. */
  searched: z.number().int(),
  /** Executions that hold the id at an unknown path. */
  mentions: z.record(z.string(), mention),
  /** What a deep trace or a search has read itself. */
  own: ownReadingState,
  /** Everything was read, so there is hardly a reason to continue. */
  isComplete: z.boolean().default(false),
});
export type TraceState = z.infer<typeof traceState>;

export interface OwnTraces {
  readonly load: (traceId: string) => TraceState | null;
  readonly save: (traceId: string, state: TraceState) => void;
}

export const MAX_MENTIONS = 200;

export function beginTrace(asked: string, window: TraceWindow, deep: boolean): TraceState {
  return {
    version: 3,
    asked,
    window,
    deep,
    searched: 0,
    mentions: {},
    own: NEW_OWN_READING,
    isComplete: false,
  };
}

/** @throws ObserverError `TRACE_NOT_FOUND` */
export function loadState(
  traces: OwnTraces,
  id: string,
  what: "trace" | "search",
  startAgain: string,
): TraceState {
  const state = traces.load(id);
  if (state !== null) return { ...state, isComplete: false };
  throw new ObserverError("TRACE_NOT_FOUND", `There is no such ${what}, or it has expired.`, {
    field: `${what}Id`,
    solution: `Leave ${what}Id out and ${startAgain}. A ${what} can be continued for 24 hours, by the user who started it.`,
  });
}

export interface TraceCall {
  /** Optional if `traceId` is given. */
  readonly requestId: string | undefined;
  /** Continues an earlier call of the same user. */
  readonly traceId: string | undefined;
  readonly window: TraceWindow;
  /** Reads known executions again, to find mentions. */
  readonly deep: boolean;
}

/** The options that a trace began with. The workflow id is null if the caller may not see that workflow any more. */
export interface TraceScope extends TraceWindow, Pick<TraceCall, "deep"> {
  readonly isOfOneWorkflow: boolean;
}

/**
 * The state of a new trace, or that of an earlier call of the same user.
 * @throws ObserverError `TRACE_NOT_FOUND`, or `VALIDATION_ERROR` if the trace is that of another request or window
 */
export function openTrace({ requestId, traceId, window, deep }: TraceCall, traces: OwnTraces): TraceState {
  if (traceId === undefined) {
    if (requestId !== undefined) return beginTrace(requestId, window, deep);
    throw new ObserverError("VALIDATION_ERROR", "requestId is missing.", {
      field: "requestId",
      expected: "the request id to look for, unless traceId is given",
      solution: "Call again with requestId.",
    });
  }
  const state = loadState(traces, traceId, "trace", "start again with the requestId");
  if (requestId !== undefined && requestId !== state.asked) {
    throw new ObserverError("VALIDATION_ERROR", "This traceId belongs to another requestId.", {
      field: "traceId",
      expected: "the traceId that was answered for this requestId",
      solution: "Leave traceId out to begin a trace of this requestId.",
    });
  }
  const other = (["workflowId", "startedAfter", "startedBefore"] as const).find(
    (bound) => window[bound] !== null && window[bound] !== state.window[bound],
  );
  if (other !== undefined)
    throw new ObserverError(
      "VALIDATION_ERROR",
      "This traceId continues in the window that its first call had.",
      {
        field: other,
        expected: `what the first call said (${state.window[other] ?? "nothing"}), or nothing`,
        solution: "Leave traceId out, and give the requestId, to look in another window.",
      },
    );
  return deep && !state.deep ? { ...state, deep: true, searched: 0 } : state;
}
