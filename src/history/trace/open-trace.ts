/** The state that a trace begins with: a new one, or that of an earlier call of the same user. */
import { ObserverError } from "../../platform/errors.ts";
import { beginTrace, type OwnTraces, type TraceState } from "../resuming/trace-state.ts";
import type { TraceQuery } from "./history-trace.ts";

/** @throws ObserverError `TRACE_NOT_FOUND`, or `VALIDATION_ERROR` when the trace is that of another request */
export function openTrace(args: TraceQuery, traces: OwnTraces): TraceState {
  if (args.traceId === undefined) {
    if (args.requestId !== undefined) return beginTrace(args.requestId, args.window, args.deep);
    throw new ObserverError("VALIDATION_ERROR", "requestId is missing.", {
      field: "requestId",
      expected: "the request id to look for, unless traceId is given",
      solution: "Call again with requestId.",
    });
  }
  const state = traces.load(args.traceId);
  if (state === null) {
    throw new ObserverError("TRACE_NOT_FOUND", "There is no such trace, or it has expired.", {
      field: "traceId",
      solution:
        "Leave traceId out and start again with the requestId. A trace can be continued for 24 hours, by the user who started it.",
    });
  }
  if (args.requestId !== undefined && args.requestId !== state.asked) {
    throw new ObserverError("VALIDATION_ERROR", "This traceId belongs to another requestId.", {
      field: "traceId",
      expected: "the traceId that was answered for this requestId",
      solution: "Leave traceId out to begin a trace of this requestId.",
    });
  }
  return args.deep && !state.deep ? { ...state, deep: true, searched: 0 } : state;
}
