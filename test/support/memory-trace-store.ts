/** A trace store in memory, for tests of the trace engine outside workerd. States go through JSON, as in the real one. */
import type { TraceStore } from "../../src/trace/trace-session.ts";
import { traceState } from "../../src/trace/trace-state.ts";

export function createMemoryTraceStore(): TraceStore & { readonly saved: Map<string, string> } {
  const saved = new Map<string, string>();
  return {
    saved,
    load: async (traceId) => {
      const text = saved.get(traceId);
      return text === undefined ? null : traceState.parse(JSON.parse(text));
    },
    save: async (traceId, state) => {
      saved.set(traceId, JSON.stringify(state));
    },
  };
}
