/**
 * The scans of one trace call, within its deadline and limit: first around the time in the id, then of new and unknown
 * executions. Notes the matches that the index does not store.
 */
import { keptName } from "../../platform/display-name.ts";
import { HOUR_MS } from "../../platform/durations.ts";
import { PayloadSearch } from "../payload/payload-search.ts";
import type { SearchTarget } from "../payload/search-target.ts";
import type { Reading } from "../reading/reading.ts";
import { timeInId } from "../request-ids/id-time.ts";
import { formatKeptPath } from "../request-ids/request-id-paths.ts";
import { MAX_MENTIONS } from "../resuming/trace-state.ts";
import { leftRunningIn } from "../scan/coverage.ts";
import { scan } from "../scan/scan.ts";
import {
  EXCLUDES_NOTHING,
  type ScanOptions,
  type ScanResult,
  type SkippedExecution,
} from "../scan/scan-options.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import { hasEnded } from "../store/traced-execution.ts";
import { visibleMatches } from "./find-matches.ts";
import { readOptionsOf, type TraceContext } from "./trace-context.ts";
import type { TraceProgress } from "./trace-progress.ts";

const NOT_REDACTED = "part of it is too large to redact: there, the id was compared at known paths only";
/** The range around the time in an id: clocks differ, and a request may have been queued. */
const BEFORE_ID_TIME_MS = 10 * 60 * 1_000;
const AFTER_ID_TIME_MS = HOUR_MS;

/** Limit on looks that only re-read known running executions: each may read 32 MiB, and more may have come since. */
const MAX_LOOKS_AGAIN = 10;

interface TraceScansOptions {
  readonly progress: TraceProgress;
  /** Null when the id is searched at known paths only. */
  readonly searchTarget: SearchTarget | null;
  /** Whether the id is that of an execution, which was read. */
  readonly isExecutionRead: boolean;
  /** Called after each page. */
  readonly save: () => void;
}

export class TraceScans {
  /** Ids of unfinished executions that were searched in this call; they will be searched again. */
  readonly unfinished = new Set<string>();
  readonly skipped: SkippedExecution[] = [];
  /** Executions that were searched only in part. */
  readonly inPart: SkippedExecution[] = [];
  /** @see ScanResult.current */
  readonly current = new Set<string>();
  readonly #context: TraceContext;
  readonly #options: TraceScansOptions;
  #readNow = 0;
  /** How many of them the caller may see. */
  #seenNow = 0;
  #covered: TraceWindow | null = null;
  readonly #requestsSent = Promise.withResolvers<void>();

  constructor(context: TraceContext, options: TraceScansOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Resolves once the requests for new executions are sent, or will not be. */
  get requestsSent(): Promise<void> {
    return this.#requestsSent.promise;
  }

  /** The covered window: a part of the requested one if the time in the id was used. */
  get covered(): TraceWindow {
    return this.#covered ?? this.#context.state.window;
  }

  /** How many executions were read that the caller may see. */
  get shown(): number {
    return this.#shownOf(this.#readNow);
  }

  /** Never throws for n8n's failures. */
  async run(): Promise<ScanResult> {
    try {
      return await this.#scanRepeatedly();
    } finally {
      this.#requestsSent.resolve();
    }
  }

  async again(): Promise<ScanResult> {
    this.#covered = null;
    return await this.#scan(this.#context.state.window);
  }

  /** One look reads only some running executions: it is repeated while the request is not found and time is left. */
  async #scanRepeatedly(): Promise<ScanResult> {
    const { args, deadline, dependencies, state } = this.#context;
    const { known, sources } = dependencies;
    const { window, deep } = state;
    let result = (await this.#scanAroundIdTime()) ?? (await this.#scan(window));
    let looks = 0;
    // A caller that continues an earlier call wants the rest.
    const isContinued = args.traceId !== undefined && args.isFurtherLook !== true;
    const unread = (): number => known.counts.unreadRunning(window, "1").count;
    const left = (): number => unread() + leftRunningIn(known, window, result);
    const mayLook = (): boolean =>
      !deep &&
      (looks < MAX_LOOKS_AGAIN || unread() > 0) &&
      result.stop.reason === "complete" &&
      !this.#options.isExecutionRead &&
      (isContinued || !this.#isKnownIn(window)) &&
      this.#readNow < args.limit &&
      sources.clock.now() < deadline;
    let before = Number.POSITIVE_INFINITY;
    for (let now = left(); now > 0 && now < before && mayLook(); now = left()) {
      before = now;
      looks += 1;
      result = await this.#scan(window);
    }
    return result;
  }

  /** Looks around the time in the id. Null if there is none, or nothing was found; then the whole window is scanned. */
  async #scanAroundIdTime(): Promise<ScanResult | null> {
    const { args, dependencies, finder, state } = this.#context;
    const { scans, sources, known } = dependencies;
    const { window, deep } = state;
    const around = this.#windowAroundIdTime();
    // A deep trace promises to look everywhere.
    if (around === null || this.#options.isExecutionRead || deep) return null;
    // A caller that continues wants the rest; one that waits wants the outcome of what was found.
    const isWaiting = args.isFurtherLook === true && this.#isKnownIn(around);
    if (args.traceId !== undefined && !isWaiting) return null;
    // One look then covers the whole window; two would send the same requests twice.
    if (await scans.isKnownSince(window, sources)) return null;
    const isKnownSince = await scans.isKnownSince(around, sources);
    const result = await this.#scan(around);
    const found = visibleMatches(finder, around);
    const isListed = result.stop.reason === "complete" || result.stop.reason === "gaps";
    const mayReadMore = isListed && this.#readNow < args.limit;
    // The id was sent again at another time, as an earlier trace has seen.
    const isElsewhere = visibleMatches(finder, window).length > found.length;
    if (found.length === 0 || isElsewhere) {
      if (mayReadMore) return null;
      return isListed ? { ...result, stop: { reason: "limit" } } : result;
    }
    this.#covered = around;
    // It may have been sent again later, and be queued.
    const isQueueRead = (known.unreadInQueue?.unread ?? 0) === 0;
    const isWhole = (isKnownSince && isQueueRead) || result.stop.reason !== "complete";
    return isWhole ? result : { ...result, stop: { reason: "id_time" } };
  }

  /** The part of the window around the time in the id; null if it contains none, or the caller gave a window. */
  #windowAroundIdTime(): TraceWindow | null {
    const { dependencies, finder, state } = this.#context;
    const { window } = state;
    if (finder.target.form.value === null || window.startedAfter !== null || window.startedBefore !== null)
      return null;
    const time = timeInId(state.asked, dependencies.sources.clock.now());
    if (time === null) return null;
    return {
      ...window,
      startedAfter: new Date(time - BEFORE_ID_TIME_MS).toISOString(),
      startedBefore: new Date(time + AFTER_ID_TIME_MS).toISOString(),
    };
  }

  async #scan(window: TraceWindow): Promise<ScanResult> {
    const { args, deadline, dependencies, state } = this.#context;
    const { scans, sources, disconnected } = dependencies;
    const { searchTarget } = this.#options;
    const before = this.#readNow;
    const bounds = {
      deadline,
      limit: args.limit - before,
      onRequestsSent: this.#requestsSent.resolve,
      onRead: (reading: Reading) => this.#note(reading),
      onPage: async (read: number, back: string | null) => await this.#reportPage(before + read, back),
    };
    const batchesWithOthers = args.isFurtherLook === true;
    const result = state.deep
      ? await this.#scanAlone({ window, ...bounds })
      : await scans.cover(window, sources, { ...bounds, searchTarget, batchesWithOthers, disconnected });
    this.#readNow = before + result.read;
    this.skipped.push(...result.skipped);
    for (const id of result.current) this.current.add(id);
    const leftRunning = new Set([...result.leftRunning].filter((id) => !this.current.has(id)));
    return { ...result, leftRunning };
  }

  async #scanAlone(
    bounds: Pick<ScanOptions, "window" | "limit" | "onRequestsSent" | "onRead" | "onPage">,
  ): Promise<ScanResult> {
    const { searchTarget } = this.#options;
    const search =
      searchTarget === null
        ? null
        : new PayloadSearch({ searchTargets: () => [searchTarget], maxBytes: Number.POSITIVE_INFINITY });
    const { scans, sources } = this.#context.dependencies;
    const { readsInProgress, slowReads } = scans;
    const shared = {
      capabilities: sources.capabilities,
      readsInProgress,
      slowReads,
      ownReads: this.#context.own,
      exclusion: EXCLUDES_NOTHING,
      completedLook: null,
      look: null,
      search,
    };
    return await scans.runUnshared(
      async () => await scan({ ...readOptionsOf(this.#context), ...bounds, ...shared }),
    );
  }

  #note({ execution, ids, searched }: Reading): void {
    const { dependencies, finder, own, state } = this.#context;
    const { searchTarget } = this.#options;
    const { id } = execution;
    // A shared scan reads executions of all workflows.
    if (!dependencies.known.view.has(execution.workflowId)) return;
    this.#seenNow += 1;
    if (searched?.isWhole === true) {
      if (hasEnded(execution)) state.searched += 1;
      else this.unfinished.add(id);
    }
    if (searched?.isPartial === true) this.inPart.push({ executionId: id, reason: NOT_REDACTED });
    const { form, visible } = finder.target;
    if (form.value === null) return;
    const atPath = ids.correlations.get(form.value);
    const exact = visible === "all" || atPath?.isOpen === true ? atPath : undefined;
    const custom = visible === "all" ? ids.customValues.get(form.value) : undefined;
    const mention = searchTarget === null ? undefined : searched?.hitsOf(searchTarget)[0];
    const place = exact ?? custom ?? mention;
    if (place === undefined) return;
    if (state.deep) own.noteMatch(id);
    const { mentions } = state;
    const isNew = !(id in mentions);
    if (exact === undefined && Object.keys(mentions).length < MAX_MENTIONS)
      mentions[id] = { nodeName: keptName(place.run?.nodeName ?? null), path: formatKeptPath(place.path) };
    if (isNew)
      this.#options.progress.found(exact === undefined ? "Mentioned" : "Found", execution, this.shown);
  }

  async #reportPage(read: number, back: string | null): Promise<void> {
    const { progress, save } = this.#options;
    await progress.settle();
    save();
    await progress.page(this.#shownOf(read), this.#context.dependencies.known.isWhole ? back : null);
  }

  /** The number of read executions that may be reported to the caller. */
  #shownOf(read: number): number {
    return this.#context.dependencies.known.isWhole ? read : this.#seenNow;
  }

  #isKnownIn(window: TraceWindow): boolean {
    return visibleMatches(this.#context.finder, window).length > 0;
  }
}
