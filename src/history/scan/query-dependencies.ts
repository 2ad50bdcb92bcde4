import type { SharedThread } from "../reading/shared-thread.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import type { VisibleHistory } from "../store/visible-history.ts";
import type { ScanSources, SharedScans } from "./shared-scans.ts";
import type { ReportProgress } from "./stop-facts.ts";

/** What a query of the history works with. */
export interface QueryDependencies {
  readonly store: ExecutionStore;
  /** The part of it that the caller may see. */
  readonly known: VisibleHistory;
  readonly scans: SharedScans;
  readonly sources: ScanSources;
  readonly progress: ReportProgress;
  /** Aborts when the caller disconnects. */
  readonly disconnected?: AbortSignal | undefined;
  readonly thread: SharedThread;
}
