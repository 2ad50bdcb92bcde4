/** The options of a scan, and its result. */
import type { KnownCapabilities } from "../../n8n/capabilities/store.ts";
import type { ObserverError } from "../../platform/errors.ts";
import type { Reading, ReadOptions } from "../reading/reading.ts";
import type { RepeatedPage } from "../reading/repeated-page.ts";
import type { SlowReads } from "../reading/slow-reads.ts";
import type { OwnReading } from "../resuming/own-reading.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import type { Settled } from "../store/look-times.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import type { TermFilter } from "../terms/term-filter.ts";
import type { ReadsUnderWay } from "./reads-under-way.ts";

export interface ScanOptions extends ReadOptions {
  readonly store: ExecutionStore;
  readonly capabilities: KnownCapabilities;
  readonly window: TraceWindow;
  /** Most executions to read with data. Running ones do not count. */
  readonly limit: number;
  /** About how many bytes of running executions it reads, instead of the usual. */
  readonly maxRunningBytes?: number | undefined;
  /** Nobody waits for it: it may take longer than a client waits. */
  readonly isForNobody?: boolean;
  /** What earlier calls of this search read, if it takes nothing else as known; null if everything known counts. */
  readonly own: OwnReading | null;
  /** Rules out known executions in which the search cannot find anything. Each scan with its own reading has one. */
  readonly ruling?: Ruling;
  /** Whether a known execution may be read again for who asks; without it, each may. */
  readonly mayShow?: (workflowId: string) => boolean;
  /**
   * A complete look that was just made at what is new: what is known now is all that there is, so that only data is read.
   * For scans with their own reading; null to list.
   */
  readonly looked: ScanResult | null;
  /** Null to look at everything down to the end of the window. */
  readonly head: HeadOptions | null;
  /** Reads of other scans of this n8n. */
  readonly underWay: ReadsUnderWay;
  /** Shared by all scans of this n8n. */
  readonly slowReads: SlowReads;
  /** Shared likewise; without it, what runs is parsed whether or not it has changed. */
  readonly runningPage?: RepeatedPage;
  /** Called once n8n is being asked what is new: whoever asks it for more then takes none of the slots for that. */
  readonly onAsked?: () => void;
  /** Called with the newest listed execution. */
  readonly onTop?: (id: string) => void;
  /** Called for each execution of the window as it is read. */
  readonly onRead: (reading: Reading) => void;
  /** Called after each page; rejects when nobody waits any longer. `back`: start of the last execution read, ISO 8601. */
  readonly onPage: (read: number, back: string | null) => Promise<void>;
  /** True once what was found is enough for one answer. */
  readonly isEnough?: () => boolean;
}

/** Rules known executions out of a search by their filters. */
export interface Ruling {
  rulesOut(filter: TermFilter): boolean;
  /** Called for each execution that is ruled out although part of it has no terms. */
  onPartial(id: string): void;
}

/** Any execution may hold what is looked for. */
export const RULES_OUT_NOTHING: Ruling = { rulesOut: () => false, onPartial: () => {} };

/** A look at what is new: requests the running, the waiting and the newest listed executions at the same time. */
export interface HeadOptions {
  /** Everything from this id down is already known; null if nothing is. */
  readonly stopAt: string | null;
  /**
   * What the previous look settled: nothing else is claimed. One that ends during the requests may be
   * in none of n8n's lists; one that began earlier was seen by that look, or is in the lists now.
   */
  readonly settled: Settled | null;
  /** Number of executions in the first list; deletions are detected among these. */
  readonly listed: number;
}

/**
 * Why the scan ended. `enough`: it found as much as was requested. `forgotten`: n8n has a different history from the one
 * that the scan skipped as known. `gaps`: some ids that are in no list were not requested yet. `id_time`: it looked only
 * at executions that began around the time in the id, and found the id there. `n8n`: n8n failed; `storage`: it was not
 * asked, since what it says could not be kept; the error says why.
 */
export type ScanStop =
  | { readonly reason: "complete" | "limit" | "time" | "enough" | "forgotten" | "gaps" | "id_time" }
  | { readonly reason: "n8n" | "storage"; readonly error: ObserverError };

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
  /** Ids of running executions that were read before, and for which there was no room or time now. */
  readonly leftRunning: ReadonlySet<string>;
  /** What was in one of n8n's lists, so that the next look can claim it; null if unknown. */
  readonly settles: Settled | null;
}
