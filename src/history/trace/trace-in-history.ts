/**
 * "What happened to requestId X?", as far as the history of one n8n goes: what is known and new is looked at, the
 * executions that hold the id are found, and their links are followed. The feature interprets the result.
 */
import { withRetries } from "../../n8n/back-off.ts";
import { keptName } from "../../platform/display-name.ts";
import { HOUR_MS } from "../../platform/durations.ts";
import { ObserverError } from "../../platform/errors.ts";
import { OVERTIME_MS } from "../../platform/time-limits.ts";
import { PayloadSearch } from "../payload/payload-search.ts";
import type { SearchTarget } from "../payload/search-target.ts";
import { PageSize } from "../reading/page-size.ts";
import type { Reading } from "../reading/reading.ts";
import { timeInId } from "../request-ids/id-time.ts";
import { formatKeptPath } from "../request-ids/request-id-paths.ts";
import { OwnReading } from "../resuming/own-reading.ts";
import { MAX_MENTIONS, openTrace, type TraceState } from "../resuming/trace-state.ts";
import { coverageOf } from "../scan/coverage.ts";
import { scan } from "../scan/scan.ts";
import { scanAgainIfOther } from "../scan/scan-again.ts";
import {
  RULES_OUT_NOTHING,
  type ScanOptions,
  type ScanResult,
  type ScanStop,
  type SkippedExecution,
} from "../scan/scan-options.ts";
import { stopFacts } from "../scan/stop-facts.ts";
import { isInWindow } from "../scan/window.ts";
import { type KnownFamily, MAX_MATCHES, type RememberedMatch } from "../store/known-requests.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import { hasEnded, type TracedExecution } from "../store/traced-execution.ts";
import type { VisibleHistory } from "../store/visible-history.ts";
import { takeTerms } from "../terms/term-reading.ts";
import {
  type Finder,
  type FoundRequest,
  failuresFirst,
  findRequest,
  NO_FAMILY,
  visibleMatches,
} from "./find-matches.ts";
import type { HistoryCoverage, HistoryTrace, TraceDependencies, TraceQuery } from "./history-trace.ts";
import {
  executionNotFound,
  type FollowedFamily,
  type FollowOptions,
  followLinks,
  readRequestedExecution,
} from "./single-reads.ts";
import { TraceProgress } from "./trace-progress.ts";
import { traceTarget } from "./trace-target.ts";

/** Executions with many ids that are read to see whether they hold the one. Of 100,000 that do not, about one is. */
const MAX_CANDIDATES = 10;
const TOO_MANY_CANDIDATES =
  "more executions with many ids may hold it than are read: of those, failures were read first";
const NOT_REDACTED =
  "a part of it is too large to be redacted: the id was looked for at known paths alone there";
/** Around the time that an id carries: clocks differ, and a request may have been queued. */
const BEFORE_ID_TIME_MS = 10 * 60 * 1_000;
const AFTER_ID_TIME_MS = HOUR_MS;

/**
 * @throws ObserverError `TRACE_NOT_FOUND`, `VALIDATION_ERROR`, `INSUFFICIENT_SCOPE`, or an `N8N_…` code when n8n
 * failed before the request was found; its details then have a `traceId` to go on with, if anything was read. Once the request
 * was found, n8n's failure is a part of the answer.
 */
export async function traceInHistory(
  args: TraceQuery,
  dependencies: TraceDependencies,
): Promise<HistoryTrace> {
  const state = openTrace(args, dependencies.traces);
  const traceId = args.traceId ?? args.newTraceId ?? dependencies.newTraceId();
  return await new Trace(state, traceId, args, dependencies).run();
}

class Trace {
  #state: TraceState;
  readonly #traceId: string;
  readonly #args: TraceQuery;
  readonly #dependencies: TraceDependencies;
  readonly #finder: Finder;
  readonly #progress: TraceProgress;
  readonly #own: OwnReading;
  /** Epoch ms. */
  readonly #deadline: number;
  #readNow = 0;
  /** How many of them the caller may see. */
  #seenNow = 0;
  /** Ids of executions that were searched in this call, and will be searched again since they have not ended. */
  readonly #unfinished = new Set<string>();
  readonly #skipped: SkippedExecution[] = [];
  readonly #inPart: SkippedExecution[] = [];
  readonly #current = new Set<string>();
  /** The execution whose id was asked for, if there is one. */
  #requestedExecution: TracedExecution | null = null;
  /** Null when the id is looked for at known paths alone. */
  #searchTarget: SearchTarget | null = null;
  /** The window that this call was content with; null for the one that was asked for. */
  #covered: TraceWindow | null = null;
  /** Resolves once n8n is being asked what is new, or will not be. */
  readonly #asked = Promise.withResolvers<void>();
  /** The state as last saved. */
  #saved = "";

  constructor(state: TraceState, traceId: string, args: TraceQuery, dependencies: TraceDependencies) {
    const { known, sources, progress } = dependencies;
    this.#state = state;
    this.#traceId = traceId;
    this.#args = args;
    this.#dependencies = dependencies;
    const target = traceTarget(
      state.asked,
      state.deep,
      args.mayReadData && known.view.mayReadData(null),
      sources.paths,
    );
    const { value } = target.form;
    this.#finder = { known, sources, target, digest: value === null ? null : sources.digest(value) };
    this.#progress = new TraceProgress(progress);
    this.#own = new OwnReading(state.own, sources.digest(known.view.key));
    this.#deadline = sources.clock.now() + args.timeBudgetMs;
  }

  async run(): Promise<HistoryTrace> {
    this.#requestedExecution = await this.#readAsked();
    // Digits that are an execution's id stand in many places that have nothing to do with it.
    const isNumber = this.#requestedExecution !== null && !this.#state.deep;
    this.#searchTarget = isNumber ? null : this.#finder.target.mention;
    const found = this.#requestedExecution ?? this.#knownMatches(this.#state.window)[0]?.executionId;
    // Who looks closer while others wait for n8n's lists would take their slots, and hold all of them up.
    const told = this.#dependencies.scans.isAwaited
      ? null
      : this.#asked.promise.then(() => this.#tellKnown());
    const { store } = this.#dependencies;
    const timesForgotten = store.timesForgotten;
    const scanned = this.#scanOn().finally(this.#asked.resolve);
    let [result] = await Promise.all([scanned, this.#progress.begin(found), told]);
    await this.#readCandidates();
    await this.#readForgotten();
    let request = await this.#findRequest();
    if (result.stop.reason === "complete") {
      const isFound = request.matches.length > 0;
      const { isFurtherLook } = this.#args;
      const { window } = this.#state;
      const asking = { ...this.#dependencies, window, isFound, isFurtherLook, deadline: this.#deadline };
      const before = result;
      result = await scanAgainIfOther(asking, result, () => {
        this.#covered = null;
        return this.#scan(window);
      });
      if (!isFound || result !== before) request = await this.#findRequest();
    }
    // What the scan has read may have been forgotten since, to make room.
    const isForgotten = store.timesForgotten !== timesForgotten && result.stop.reason === "complete";
    if (request.matches.length === 0 && isForgotten) result = { ...result, stop: { reason: "forgotten" } };
    const { matches: all, family: knownFamily } = failuresFirst(request, this.#dependencies.known);
    const matches = all.slice(0, MAX_MATCHES);
    if (matches.length < all.length)
      this.#skip(`more than ${MAX_MATCHES} executions hold the id; failures and the newest were followed`);
    const matchIds = matches.map(({ executionId }) => executionId);
    const family = await this.#follow(matchIds, knownFamily);
    const coverage = this.#coverage(result, family);
    this.#save(coverage.complete);
    if ("error" in result.stop && matches.length === 0)
      throw this.#toResumable(
        result.stop.error,
        Math.max(coverage.scannedExecutions, coverage.searchedForMentions),
      );
    return this.#answer(result.stop, { ...request, matches }, family, coverage);
  }

  /** @throws ObserverError `EXECUTION_NOT_FOUND` when nothing else can be meant */
  async #readAsked(): Promise<TracedExecution | null> {
    const { value, executionId } = this.#finder.target.form;
    if (executionId === null) return null;
    const ask = () => readRequestedExecution(executionId, this.#readOptions());
    const asked = await withRetries(ask, this.#dependencies.sources, this.#deadline);
    if (asked === null && value === null) throw executionNotFound(executionId);
    if (asked?.isGone === true) this.#skip("n8n has deleted it; this is what was known of it", executionId);
    return asked?.execution ?? null;
  }

  async #findRequest(): Promise<FoundRequest> {
    const readLinked = async (id: string) =>
      (await this.#follow([id], this.#dependencies.known.requests.family([id]))).executions;
    const askedId = this.#requestedExecution?.id ?? null;
    return await findRequest(this.#finder, this.#state.window, askedId, readLinked);
  }

  /** Executions that have more ids than rows for them: whether this one is there, they say themselves. */
  async #readCandidates(): Promise<void> {
    const { known, digest, target } = this.#finder;
    const { form, visible } = target;
    if (digest === null) return;
    const candidates = known.requests.candidatesOf(digest, this.#state.window, visible, MAX_CANDIDATES);
    if (candidates.isCut) this.#skip(TOO_MANY_CANDIDATES);
    await this.#readEach(candidates.ids, { wanted: form.value, because: "it may hold the id" });
  }

  /**
   * What a deep trace has found itself, and the index has deleted since, to make room. One that n8n has deleted, too, is
   * told once: nothing of it can be found again.
   */
  async #readForgotten(): Promise<void> {
    const { known, target } = this.#finder;
    const there = new Set(known.executions.withIds(this.#own.held).map(({ id }) => id));
    const forgotten = this.#own.held.filter((id) => !there.has(id));
    const onGone = (id: string): void => this.#own.noteHeldGone(id);
    await this.#readEach(forgotten, { wanted: target.form.value, because: "it holds the id", onGone });
  }

  async #readEach(
    missing: readonly string[],
    why: Pick<FollowOptions, "wanted" | "because" | "onGone">,
  ): Promise<void> {
    if (missing.length === 0) return;
    const { skipped } = await this.#follow([], { ...NO_FAMILY, missing }, why);
    this.#skipped.push(...skipped);
  }

  #knownMatches(window: TraceWindow): readonly RememberedMatch[] {
    return visibleMatches(this.#finder, window);
  }

  #tellKnown(): void {
    const { onKnown, known } = this.#dependencies;
    const matches = onKnown === undefined ? [] : this.#knownMatches(this.#state.window).slice(0, MAX_MATCHES);
    if (matches.length === 0) return;
    const { executions, ...family } = known.requests.family(matches.map(({ executionId }) => executionId));
    onKnown?.({ ...family, matches, family: known.executions.onlyVisible(executions) });
  }

  #save(isComplete = false): void {
    this.#state = { ...this.#state, own: this.#own.state, isComplete };
    const text = JSON.stringify(this.#state);
    if (text === this.#saved) return;
    this.#saved = text;
    this.#dependencies.traces.save(this.#traceId, this.#state);
  }

  #skip(reason: string, executionId: string | null = null): void {
    this.#skipped.push({ executionId, reason });
  }

  /** A look reads only so much of what runs: whoever has not found their request looks again, as long as there is time. */
  async #scanOn(): Promise<ScanResult> {
    const { known, sources } = this.#dependencies;
    const { window, deep } = this.#state;
    let result = await this.#scanAll();
    const unread = (): number => known.counts.unreadRunning(window, "1").count;
    const mayLook = (): boolean =>
      !deep &&
      result.stop.reason === "complete" &&
      this.#requestedExecution === null &&
      this.#knownMatches(window).length === 0 &&
      this.#readNow < this.#args.limit &&
      sources.clock.now() < this.#deadline;
    let before = Number.POSITIVE_INFINITY;
    for (let left = unread(); left > 0 && left < before && mayLook(); left = unread()) {
      before = left;
      result = await this.#scan(window);
    }
    return result;
  }

  async #scanAll(): Promise<ScanResult> {
    return (await this.#scanAroundIdTime()) ?? (await this.#scan(this.#state.window));
  }

  /**
   * An id that carries its time says where to look first. Null when it carries none, or was not found there:
   * then the whole window is scanned, which reads none of it again.
   */
  async #scanAroundIdTime(): Promise<ScanResult | null> {
    const { scans, sources } = this.#dependencies;
    const { window, deep } = this.#state;
    const around = this.#windowAroundIdTime();
    // A deep trace promises to look everywhere.
    if (around === null || this.#requestedExecution !== null || deep) return null;
    // Who goes on wants the rest; who waits, the end of what was found.
    const isWaiting = this.#args.isFurtherLook === true && this.#knownMatches(around).length > 0;
    if (this.#args.traceId !== undefined && !isWaiting) return null;
    // One look at what is new covers the whole window then: two would ask n8n the same twice.
    if (await scans.isKnownSince(window, sources)) return null;
    const isKnownSince = await scans.isKnownSince(around, sources);
    const result = await this.#scan(around);
    const found = this.#knownMatches(around);
    const isListed = result.stop.reason === "complete" || result.stop.reason === "gaps";
    const mayGoOn = isListed && this.#readNow < this.#args.limit;
    // The id was sent again later, as an earlier trace has seen.
    const isElsewhere = this.#knownMatches(window).length > found.length;
    if (found.length === 0 || isElsewhere) {
      if (mayGoOn) return null;
      return isListed ? { ...result, stop: { reason: "limit" } } : result;
    }
    this.#covered = around;
    // It may have been sent again later, and wait for its turn.
    const isQueueRead = (this.#dependencies.known.unreadInQueue?.unread ?? 0) === 0;
    const isWhole = (isKnownSince && isQueueRead) || result.stop.reason !== "complete";
    return isWhole ? result : { ...result, stop: { reason: "id_time" } };
  }

  /** The part of the window around the time in the id; null when it carries none, or the caller has said when. */
  #windowAroundIdTime(): TraceWindow | null {
    const { window } = this.#state;
    const { value } = this.#finder.target.form;
    if (value === null || window.startedAfter !== null || window.startedBefore !== null) return null;
    const time = timeInId(value, this.#dependencies.sources.clock.now());
    if (time === null) return null;
    return {
      ...window,
      startedAfter: new Date(time - BEFORE_ID_TIME_MS).toISOString(),
      startedBefore: new Date(time + AFTER_ID_TIME_MS).toISOString(),
    };
  }

  #readOptions() {
    const { store, known, sources, gone } = this.#dependencies;
    const client = gone === undefined ? sources.client : sources.client.until(gone);
    const terms = takeTerms(sources.terms, Number.POSITIVE_INFINITY);
    const pageSize = new PageSize();
    return { ...sources, client, store, known, terms, deadline: this.#deadline, search: null, pageSize };
  }

  async #scan(window: TraceWindow): Promise<ScanResult> {
    const { scans, sources, gone } = this.#dependencies;
    const before = this.#readNow;
    const searchTarget = this.#searchTarget;
    const bounds = {
      deadline: this.#deadline,
      limit: this.#args.limit - before,
      onAsked: this.#asked.resolve,
      onRead: (reading: Reading) => this.#note(reading),
      onPage: async (read: number, back: string | null) => await this.#tellPage(before + read, back),
    };
    const gathers = this.#args.isFurtherLook === true;
    const result = this.#state.deep
      ? await this.#scanAlone({ window, ...bounds })
      : await scans.cover(window, sources, { ...bounds, searchTarget, gathers, gone });
    this.#readNow = before + result.read;
    this.#skipped.push(...result.skipped);
    for (const id of result.current) this.#current.add(id);
    const leftRunning = new Set([...result.leftRunning].filter((id) => !this.#current.has(id)));
    return { ...result, leftRunning };
  }

  async #scanAlone(
    bounds: Pick<ScanOptions, "window" | "limit" | "onAsked" | "onRead" | "onPage">,
  ): Promise<ScanResult> {
    const searchTarget = this.#searchTarget;
    const search =
      searchTarget === null
        ? null
        : new PayloadSearch({ searchTargets: () => [searchTarget], maxBytes: Number.POSITIVE_INFINITY });
    const { scans } = this.#dependencies;
    const { underWay, slowReads } = scans;
    const shared = {
      underWay,
      slowReads,
      own: this.#own,
      ruling: RULES_OUT_NOTHING,
      looked: null,
      head: null,
      search,
    };
    return await scans.notShared(async () => await scan({ ...this.#readOptions(), ...bounds, ...shared }));
  }

  #note({ execution, look, searched }: Reading): void {
    const { id } = execution;
    // A scan reads for all who ask.
    if (!this.#dependencies.known.view.has(execution.workflowId)) return;
    this.#seenNow += 1;
    if (searched?.isWhole === true) {
      if (hasEnded(execution)) this.#state.searched += 1;
      else this.#unfinished.add(id);
    }
    if (searched?.isPartial === true) this.#inPart.push({ executionId: id, reason: NOT_REDACTED });
    const { form, visible } = this.#finder.target;
    if (form.value === null) return;
    const atPath = look.correlations.get(form.value);
    const exact = visible === "all" || atPath?.isOpen === true ? atPath : undefined;
    const custom = visible === "all" ? look.customValues.get(form.value) : undefined;
    const mention = this.#searchTarget === null ? undefined : searched?.hitsOf(this.#searchTarget)[0];
    const place = exact ?? custom ?? mention;
    if (place === undefined) return;
    if (this.#state.deep) this.#own.noteHeld(id);
    const { mentions } = this.#state;
    const isNew = !(id in mentions);
    if (exact === undefined && Object.keys(mentions).length < MAX_MENTIONS)
      mentions[id] = { nodeName: keptName(place.run?.nodeName ?? null), path: formatKeptPath(place.path) };
    if (isNew)
      this.#progress.found(
        exact === undefined ? "Mentioned" : "Found",
        execution,
        this.#shown(this.#readNow),
      );
  }

  async #tellPage(read: number, back: string | null): Promise<void> {
    await this.#progress.settle();
    this.#save();
    await this.#progress.page(this.#shown(read), this.#dependencies.known.isWhole ? back : null);
  }

  /** How many of the executions that were read are told. */
  #shown(read: number): number {
    return this.#dependencies.known.isWhole ? read : this.#seenNow;
  }

  async #follow(
    matchIds: readonly string[],
    family: KnownFamily,
    why: Pick<FollowOptions, "wanted" | "because" | "onGone"> = {},
  ): Promise<FollowedFamily> {
    const deadline = this.#dependencies.sources.clock.now() + OVERTIME_MS.links;
    return await followLinks({
      ...this.#readOptions(),
      ...why,
      deadline: Math.max(this.#deadline, deadline),
      matchIds,
      family,
      current: this.#current,
    });
  }

  #coverage(result: ScanResult, family: FollowedFamily): HistoryCoverage {
    const skipped = [...this.#skipped, ...family.skipped];
    if (family.isCut)
      skipped.push({ executionId: null, reason: "there are more linked executions than could be followed" });
    const window = this.#covered ?? this.#state.window;
    const { known } = this.#dependencies;
    const coverage = coverageOf(known, window, result, this.#shown(this.#readNow), skipped, this.#inPart);
    const isAsSearched = (one: TracedExecution): boolean =>
      one.status === "new"
        ? this.#own.hasReadQueued(one.id)
        : one.status === "running" && this.#own.hasReadRunning(one);
    const notSearchedAgain = known.executions
      .withIds([...this.#own.queued, ...this.#own.unfinished])
      .filter((one) => isAsSearched(one) && isInWindow(window, one));
    const unfinished = new Set([...this.#unfinished, ...notSearchedAgain.map(({ id }) => id)]);
    const searched = this.#state.searched + unfinished.size;
    const most = result.downTo === null ? searched : coverage.scannedExecutions;
    return { ...coverage, searchedForMentions: Math.min(searched, most) };
  }

  /** "Not found" would be wrong when n8n failed. What was read is kept, so the next call continues. */
  #toResumable(error: ObserverError, scannedExecutions: number): ObserverError {
    if (scannedExecutions === 0) return error;
    return new ObserverError(error.code, error.message, {
      ...error.details,
      solution: `${error.details.solution} What was read is kept: asking again goes on from there.`,
      scannedExecutions,
      traceId: this.#traceId,
    });
  }

  #answer(
    stop: ScanStop,
    { matches, others, foundAs }: FoundRequest,
    { executions, deleted, swallowing, unjudged }: FollowedFamily,
    coverage: HistoryCoverage,
  ): HistoryTrace {
    const { known, target } = this.#finder;
    // Results that the same user found with `n8n:data` are not shown without it.
    const shownMentions = target.visible === "all" ? Object.entries(this.#state.mentions) : [];
    const mentions = [
      ...others.slice(0, MAX_MENTIONS),
      ...shownMentions.map(([executionId, place]) => ({ executionId, ...place })),
    ];
    const mentioning = known.executions.withIds(mentions.map(({ executionId }) => executionId));
    const { syncedAt } = this.#dependencies.store.lookTimes;
    return {
      requestId: this.#state.asked,
      traceId: this.#traceId,
      matches,
      foundAs,
      mentions: known.isWhole
        ? mentions
        : mentions.filter((one) => mentioning.some(({ id }) => id === one.executionId)),
      family: known.executions.onlyVisible(executions),
      mentioning: known.executions.onlyVisible(mentioning),
      otherWorkflows: known.executions.otherWorkflowsOf(executions.map(({ id }) => id)),
      deleted,
      swallowing,
      unjudged,
      requestedExecution: this.#requestedExecution,
      coverage,
      isAtKnownPathsOnly: target.visible === "open" && target.form.value !== null,
      stop: stopFacts(stop),
      queue: queueFor(known, executions),
      asOf: syncedAt === null ? null : new Date(syncedAt).toISOString(),
    };
  }
}

function queueFor(known: VisibleHistory, family: readonly TracedExecution[]): HistoryTrace["queue"] {
  const facts = known.queue;
  const queued = family.filter(({ status }) => status === "new");
  return (
    facts && { ...facts, before: Object.fromEntries(queued.map(({ id }) => [id, known.queuedBefore(id)])) }
  );
}
