/** The options of a scan, and its result. */
import type { KnownCapabilities } from "../../n8n/capabilities/store.ts";
import type { ObserverError } from "../../platform/errors.ts";
import type { Reading, ReadOptions } from "../reading/reading.ts";
import type { RepeatedPage } from "../reading/repeated-page.ts";
import type { SlowReads } from "../reading/slow-reads.ts";
import type { OwnReads } from "../resuming/own-reads.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import type { Settled } from "../store/look-times.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import type { TermFilter } from "../terms/term-filter.ts";
import type { ReadsInProgress } from "./reads-in-progress.ts";

/** The surroundings of a scan: the n8n, and its other scans. */
export interface ScanEnvironment {
  readonly store: ExecutionStore;
  readonly capabilities: KnownCapabilities;
  /** About how many bytes of running executions it reads, instead of the default. */
  readonly maxRunningBytes?: number | undefined;
  /** A background scan: it may take longer than a client waits. */
  readonly isBackground?: boolean;
  /** Reads of other scans of this n8n. */
  readonly readsInProgress: ReadsInProgress;
  /** Shared by all scans of this n8n. */
  readonly slowReads: SlowReads;
  /** Shared likewise; without it, running executions are parsed even if unchanged. */
  readonly runningPage?: RepeatedPage;
}

export interface ScanOptions extends ReadOptions, ScanEnvironment {
  readonly window: TraceWindow;
  /** Maximum executions to read with data. Running ones do not count. */
  readonly limit: number;
  /** What earlier calls of this search have read, if only that counts as known; null if everything stored counts. */
  readonly ownReads: OwnReads | null;
  /** Rules out known executions that cannot match the search. Each scan with `ownReads` has one. */
  readonly exclusion?: TermExclusion;
  /** Whether the caller may see a known execution, so that it may be read again; without it, all may. */
  readonly isVisible?: (workflowId: string) => boolean;
  /** A complete look whose executions are to be searched; null to list. For scans with `ownReads`. */
  readonly completedLook: ScanResult | null;
  /** Null to look at everything down to the end of the window. */
  readonly look: LookOptions | null;
  /** Called once the requests for new executions are sent: further requests then take no slot from them. */
  readonly onRequestsSent?: () => void;
  /** Called with the newest listed execution. */
  readonly onNewestListed?: (id: string) => void;
  /** Called for each execution of the window as it is read. */
  readonly onRead: (reading: Reading) => void;
  /** Called after each page; rejects once no caller waits. `back`: start of the last execution read, ISO 8601. */
  readonly onPage: (read: number, back: string | null) => Promise<void>;
  /** True once what was found is enough for one answer. */
  readonly isEnough?: () => boolean;
}

/** Rules known executions out of a search by their filters. */
export interface TermExclusion {
  excludes(filter: TermFilter): boolean;
  /** Called for each execution that is ruled out although part of it has no terms. */
  onPartial(id: string): void;
}

/** Without terms to search for, any execution may match. */
export const EXCLUDES_NOTHING: TermExclusion = { excludes: () => false, onPartial: () => {} };

/** A look for new executions: requests the running, the waiting and the newest listed executions at the same time. */
export interface LookOptions {
  /** Everything from this id down is already known; null if nothing is. */
  readonly stopAt: string | null;
  /**
   * What the previous look settled; nothing else is claimed. An execution that ends during the requests may be in none
   * of n8n's lists, but one that began earlier was in that look or is in the lists now.
   */
  readonly settled: Settled | null;
  /** Number of executions in the first list; deletions are detected among these. */
  readonly firstListSize: number;
}

/**
 * Why the scan ended. `enough`: it found as much as was requested. `forgotten`: n8n has a different history from the
 * one that the scan skipped as known. `gaps`: some ids that are in no list were not requested yet. `id_time`: it looked
 * only at executions that began around the time in the id, and found the id there. `removed`: it read executions that
 * the index removes again to make room, so that the next call would read the same. `n8n`: n8n failed. `storage`: the
 * index is full, so n8n was not asked. The error says why.
 */
export type ScanStop =
  | { readonly reason: PlainReason }
  | { readonly reason: "n8n" | "storage"; readonly error: ObserverError };

type PlainReason = "complete" | "limit" | "time" | "enough" | "forgotten" | "gaps" | "id_time" | "removed";

/** Something that could not be read, and why. */
export interface SkippedExecution {
  readonly executionId: string | null;
  readonly reason: string;
}

export interface ScanResult {
  readonly stop: ScanStop;
  /** Every execution of the window down to this id is known; null when none is. */
  readonly downTo: string | null;
  /** Ids of unfinished executions that this call read or found unchanged. */
  readonly current: ReadonlySet<string>;
  /** Executions read with data in this call. */
  readonly read: number;
  readonly skipped: readonly SkippedExecution[];
  /** Ids of running executions that were read before and could not be read again within the limits of this scan. */
  readonly leftRunning: ReadonlySet<string>;
  /** What this look settled, so that the next look can claim it; null if unknown. */
  readonly settles: Settled | null;
}
