/** Who calls the history index, how they hear of its progress, and what they get. */
import { callerGone, type ErrorFacts, type ReportProgress } from "../history/scan/stop-facts.ts";
import type { Grant } from "../n8n/view.ts";

/** Callbacks of the calling Worker. They fail once it has gone. */
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

/** Result of a call of the object. */
export type Answer<Value> =
  /** `bytes`: how many n8n sent for the call. */
  { readonly value: Value; readonly bytes: number } | { readonly error: ErrorFacts; readonly bytes: number };

/** How long n8n may keep working for a caller who has gone. */
const ASK_WHETHER_THERE_EVERY_MS = 500;

/** Watches whether the caller is still there. When it has gone, its work ends; that is not a server error. */
export function watchCaller(calling: Calling) {
  const controller = new AbortController();
  const timer = setInterval(
    () => void calling.isThere().catch(() => controller.abort()),
    ASK_WHETHER_THERE_EVERY_MS,
  );
  /** @throws ObserverError `INTERRUPTED` when the caller has gone */
  const progress: ReportProgress = async (scanned, message) =>
    await calling.report?.(scanned, message).catch(() => {
      throw callerGone();
    });
  return { gone: controller.signal, progress, end: () => clearInterval(timer) };
}
