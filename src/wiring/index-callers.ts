/** The callers of the history index: who they are, how they get its progress, and its answers. */
import { callerDisconnected, type ErrorFacts, type ReportProgress } from "../history/scan/stop-facts.ts";
import type { Grant } from "../n8n/view.ts";

/** Callbacks to the calling Worker. They fail once it has gone. */
export interface Calling {
  /** Null if the client did not ask for progress. */
  readonly report: ReportProgress | null;
  readonly isThere: () => Promise<void>;
}

export const NOBODY_WAITS: Calling = { report: null, isThere: async () => {} };

/** Who asks, and what the rules give them. */
export interface IndexUser {
  readonly userId: string;
  readonly grants: readonly Grant[];
}

/** Result of a call of the object. `bytes`: how many n8n sent for it. */
export type Answer<Value> =
  | { readonly value: Value; readonly bytes: number }
  | { readonly error: ErrorFacts; readonly bytes: number };

/** n8n may keep working this long for a caller that has gone. */
const HEARTBEAT_MS = 500;

/** Ends the work of a caller that has gone, which is not a server error. */
export function watchCaller(calling: Calling) {
  const controller = new AbortController();
  const timer = setInterval(() => void calling.isThere().catch(() => controller.abort()), HEARTBEAT_MS);
  /** @throws ObserverError `INTERRUPTED` when the caller has gone */
  const progress: ReportProgress = async (scanned, message) =>
    await calling.report?.(scanned, message).catch(() => {
      throw callerDisconnected();
    });
  return { gone: controller.signal, progress, end: () => clearInterval(timer) };
}
