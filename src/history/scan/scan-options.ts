/** The options of a scan, and its result. */
import type { KnownCapabilities } from "../../n8n/capabilities/store.ts";
import type { ObserverError } from "../../platform/errors.ts";
import type { Reading, ReadOptions } from "../reading/read-executions.ts";
import type { OwnReading } from "../resuming/own-reading.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import type { TermFilter } from "../terms/term-filter.ts";
import type { ReadsUnderWay } from "./reads-under-way.ts";

export interface ScanOptions extends ReadOptions {
  readonly store: ExecutionStore;
  readonly capabilities: KnownCapabilities;
  readonly window: TraceWindow;
  /** Most executions to read with data. Running ones do not count. */
  readonly limit: number;
  /** What this search's earlier calls have read, if it takes nothing else as known; null if all that is known counts. */
  readonly own: OwnReading | null;
  /** Tells in which known executions the search cannot find anything. Without it, it may in each. */
  readonly ruling?: Ruling;
  /** Null to look at everything down to the end of the window. */
  readonly head: HeadOptions | null;
  /** Reads of other scans of this n8n. */
  readonly underWay: ReadsUnderWay;
  /** Called with the newest listed execution. */
  readonly onTop?: (id: string) => void;
  /** Called for each execution of the window as it is read. */
  readonly onRead: (reading: Reading) => void;
  /** Called after each page; where it fails, nobody waits any longer. `back`: the start of the last one, ISO 8601. */
  readonly onPage: (read: number, back: string | null) => Promise<void>;
  /** True once what was found is enough for one answer. */
  readonly isEnough?: () => boolean;
}

/** Rules known executions out of a search by their filters. */
export interface Ruling {
  rulesOut(filter: TermFilter): boolean;
  /** Called for executions that are ruled out although a part of them has no terms. */
  onPartial(id: string): void;
}

/** A look at what is new: what runs, what waits and what was listed last are asked for at the same time. */
export interface HeadOptions {
  /** Everything from this id down is known already; null where nothing is. */
  readonly stopAt: string | null;
  /**
   * ISO 8601: only what began before the look before this one is claimed. What ends while n8n is asked may be in none
   * of its lists; what had begun before was seen by that look, or is in the lists now.
   */
  readonly settledBefore: string | null;
  /** Executions in the first list; deletions show among as many. */
  readonly listed: number;
}

/**
 * Why the scan ended. `enough`: as much was found as was asked for. `forgotten`: n8n has another history than the one
 * that it passed over as known. `gaps`: ids that are in no list were left to be asked for. `id_time`: nothing but what began
 * around the time in the id was looked at, and the id was there. `n8n`: it failed; the error says how.
 */
export type ScanStop =
  | { readonly reason: "complete" | "limit" | "time" | "enough" | "forgotten" | "gaps" | "id_time" }
  | { readonly reason: "n8n"; readonly error: ObserverError };

/** Something that could not be looked at, and why. */
export interface SkippedExecution {
  readonly executionId: string | null;
  readonly reason: string;
}

export interface ScanResult {
  readonly stop: ScanStop;
  /** Every execution of the window down to this id is known; null when none is. */
  readonly downTo: string | null;
  /** Ids of executions that had not ended and were read in this call, or seen to be unchanged. */
  readonly current: ReadonlySet<string>;
  /** Executions read with data in this call. */
  readonly read: number;
  readonly skipped: readonly SkippedExecution[];
  /** What began before was in one of n8n's lists, ISO 8601; null when that is not known. */
  readonly settles: string | null;
}
