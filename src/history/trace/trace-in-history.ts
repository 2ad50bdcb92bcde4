/**
 * "What happened to requestId X?", as far as the history of one n8n goes: what is known and new is looked at, the
 * executions that hold the id are found, and their links are followed. What it means is told elsewhere.
 */

import { timeoutOf, withRetries } from "../../n8n/back-off.ts";
import { keptName } from "../../platform/display-name.ts";
import { ObserverError } from "../../platform/errors.ts";
import { OVERTIME_MS } from "../../platform/time-limits.ts";
import type { FoundId } from "../payload/look.ts";
import { PayloadSearch } from "../payload/payload-search.ts";
import type { SearchTarget } from "../payload/search-target.ts";
import { PageSize } from "../reading/page-size.ts";
import type { Reading } from "../reading/read-executions.ts";
import type { RequestForm } from "../request-ids/request-forms.ts";
import { formatKeptPath } from "../request-ids/request-id-paths.ts";
import { OwnReading } from "../resuming/own-reading.ts";
import { MAX_MENTIONS, type TraceState } from "../resuming/trace-state.ts";
import { coverageOf } from "../scan/coverage.ts";
import { scan } from "../scan/scan.ts";
import type { ScanResult, ScanStop, SkippedExecution } from "../scan/scan-options.ts";
import { stopFacts } from "../scan/stop-facts.ts";
import { type KnownFamily, MAX_MATCHES, type RememberedMatch } from "../store/known-requests.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import { hasEnded } from "../store/traced-execution.ts";
import { takeTerms } from "../terms/term-reading.ts";
import { type AskedExecution, executionNotFound, readAskedExecution } from "./asked-execution.ts";
import { type FoundRequest, failuresFirst, findRequest, NO_FAMILY, visibleMatches } from "./find-matches.ts";
import { type FollowedFamily, type FollowOptions, followLinks } from "./follow-links.ts";
import type { HistoryCoverage, HistoryTrace, TraceDependencies, TraceQuery } from "./history-trace.ts";
import { windowAroundIdTime } from "./id-time-window.ts";
import { openTrace } from "./open-trace.ts";
import { TraceProgress } from "./trace-progress.ts";
import { type TraceTarget, traceTarget } from "./trace-target.ts";

/** Executions with many ids that are read to see whether they hold the one. Of 100,000 that do not, about one is. */
const MAX_CANDIDATES = 10;
const TOO_MANY_CANDIDATES =
  "more executions with many ids may hold it than are read: of those, failures were read first";

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
  readonly #target: TraceTarget;
  readonly #args: TraceQuery;
  readonly #dependencies: TraceDependencies;
  readonly #deadline: number;
  #readNow = 0;
  /** Of those that were looked at in this call: the ones that will be looked at again. */
  #unfinished = 0;
  readonly #skipped: SkippedExecution[] = [];
  readonly #inPart: SkippedExecution[] = [];
  readonly #own: OwnReading;
  /** The execution whose id was asked for, if there is one. */
  #askedExecution: AskedExecution | null = null;
  /** Null when the id is looked for at known paths alone. */
  #searchTarget: SearchTarget | null = null;
  /** What this call was content with; null for the window that was asked for. */
  #covered: TraceWindow | null = null;
  readonly #current = new Set<string>();
  readonly #progress: TraceProgress;
  /** The state as it was kept last. */
  #saved = "";

  constructor(state: TraceState, traceId: string, args: TraceQuery, dependencies: TraceDependencies) {
    this.#state = state;
    this.#traceId = traceId;
    this.#args = args;
    this.#dependencies = dependencies;
    this.#own = new OwnReading(state.own);
    this.#deadline = dependencies.sources.clock.now() + args.timeBudgetMs;
    this.#target = traceTarget({ ...args, ...state }, dependencies.sources.paths);
    this.#progress = new TraceProgress(dependencies.progress);
  }

  get #form(): RequestForm {
    return this.#target.form;
  }

  async run(): Promise<HistoryTrace> {
    this.#askedExecution = await this.#readAsked();
    // Digits that are an execution's id stand in many places that have nothing to do with it.
    this.#searchTarget = this.#askedExecution !== null && !this.#state.deep ? null : this.#target.mention;
    // The state is kept with each page and at the end: a write before would have to be on disk before n8n is asked.
    let [, result] = await Promise.all([this.#tellKnown(), this.#scanAll()]);
    await this.#readCandidates();
    let request = await this.#findRequest();
    const hasNothing = request.matches.length === 0 && result.stop.reason === "complete";
    if (hasNothing && this.#args.isFurtherLook !== true && (await this.#isOtherN8n())) {
      result = await this.#scan(this.#state.window);
      request = await this.#findRequest();
    }
    const { matches: all, family: known } = failuresFirst(request, this.#dependencies.store);
    const matches = all.slice(0, MAX_MATCHES);
    if (matches.length < all.length)
      this.#skip(`more than ${MAX_MATCHES} executions hold the id; failures and the newest were followed`);
    const family = await this.#follow(
      matches.map(({ executionId }) => executionId),
      known,
    );
    this.#save();
    const coverage = this.#coverage(result, family);
    if (result.stop.reason === "n8n" && matches.length === 0)
      throw this.#toResumable(
        result.stop.error,
        Math.max(coverage.scannedExecutions, coverage.searchedForMentions),
      );
    return this.#answer(result.stop, { ...request, matches }, family, coverage);
  }

  /** Asked before it is said that there is nothing. @throws ObserverError when n8n fails */
  async #isOtherN8n(): Promise<boolean> {
    const { capabilities, client, clock } = this.#dependencies.sources;
    const deadline = Math.max(this.#deadline, clock.now() + OVERTIME_MS.askingAnew);
    const ask = () => capabilities.hasChanged(client, timeoutOf(clock, deadline));
    return await withRetries(ask, clock, deadline);
  }

  /** @throws ObserverError `EXECUTION_NOT_FOUND` when nothing else can be meant */
  async #readAsked(): Promise<AskedExecution | null> {
    const { value, executionId } = this.#form;
    if (executionId === null) return null;
    const asked = await readAskedExecution(executionId, this.#readOptions());
    if (asked === null && value === null) throw executionNotFound(executionId);
    if (asked?.isGone === true)
      this.#skipped.push({ executionId, reason: "n8n has deleted it; this is what was known of it" });
    return asked;
  }

  async #findRequest(): Promise<FoundRequest> {
    return await findRequest({
      ...this.#matching(),
      window: this.#state.window,
      executionId: this.#askedExecution?.execution.id ?? null,
      readLinked: async (id) => {
        const known = this.#dependencies.store.family([id]);
        return (await this.#follow([id], known)).executions;
      },
    });
  }

  /** Executions that have more ids than rows for them: whether this one is there, they say themselves. */
  async #readCandidates(): Promise<void> {
    const { value } = this.#form;
    if (value === null) return;
    const { store, digest, visible } = this.#matching();
    const { window } = this.#state;
    const { ids: missing, isCut } = store.candidatesOf(digest(value), window, visible, MAX_CANDIDATES);
    if (isCut) this.#skip(TOO_MANY_CANDIDATES);
    if (missing.length === 0) return;
    const why = { wanted: value, because: "it may hold the id" };
    this.#skipped.push(...(await this.#follow([], { ...NO_FAMILY, missing }, why)).skipped);
  }

  /** What the caller may know of, as far as it is known. */
  #knownMatches(window: TraceWindow): readonly RememberedMatch[] {
    return visibleMatches(this.#matching(), window);
  }

  #matching() {
    const { store, sources } = this.#dependencies;
    const { form, visible } = this.#target;
    return { store, digest: sources.digest, paths: sources.paths, visible, form };
  }

  /** Where nothing has changed, nothing is kept anew. */
  #save(): void {
    this.#state = { ...this.#state, own: this.#own.stretches };
    const text = JSON.stringify(this.#state);
    if (text === this.#saved) return;
    this.#saved = text;
    this.#dependencies.traces.save(this.#traceId, this.#state);
  }

  async #scanAll(): Promise<ScanResult> {
    return (await this.#scanAroundIdTime()) ?? (await this.#scan(this.#state.window));
  }

  /** What earlier traces have seen of the id is told before anything is asked of n8n. */
  async #tellKnown(): Promise<void> {
    if (this.#askedExecution !== null)
      return await this.#progress.begin({ execution: this.#askedExecution.execution });
    const [newest] = this.#knownMatches(this.#state.window);
    await this.#progress.begin(newest === undefined ? {} : { id: newest.executionId });
  }

  #skip(reason: string): void {
    this.#skipped.push({ executionId: null, reason });
  }

  /**
   * An id that carries its time says where to look first. Null when it carries none, or was not found there:
   * then the whole window is scanned, which reads none of it again.
   */
  async #scanAroundIdTime(): Promise<ScanResult | null> {
    const { clock } = this.#dependencies.sources;
    const { window } = this.#state;
    const { value } = this.#form;
    // A deep trace promises to look everywhere.
    if (value === null || this.#askedExecution !== null || this.#state.deep) return null;
    const around = windowAroundIdTime(value, window, clock.now());
    if (around === null) return null;
    // Who goes on wants the rest; who waits, the end of what was found.
    const isWaiting = this.#args.isFurtherLook === true && this.#knownMatches(around).length > 0;
    if (this.#args.traceId !== undefined && !isWaiting) return null;
    const isKnownSince = await this.#dependencies.scans.isKnownSince(around, this.#dependencies.sources);
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
    const isWhole = isKnownSince || result.stop.reason !== "complete";
    return isWhole ? result : { ...result, stop: { reason: "id_time" } };
  }

  /** For reading without a search. */
  #readOptions() {
    const { store, sources } = this.#dependencies;
    const { gone } = this.#dependencies;
    const client = gone === undefined ? sources.client : sources.client.until(gone);
    const terms = takeTerms(sources.terms, Number.POSITIVE_INFINITY);
    const pageSize = new PageSize();
    return { ...sources, client, store, terms, deadline: this.#deadline, search: null, pageSize };
  }

  async #scan(window: TraceWindow): Promise<ScanResult> {
    const before = this.#readNow;
    const limit = this.#args.limit - before;
    const result = this.#state.deep
      ? await this.#scanAlone(window, limit, before)
      : await this.#scanWithOthers(window, limit, before);
    this.#readNow = before + result.read;
    this.#skipped.push(...result.skipped);
    for (const id of result.current) this.#current.add(id);
    return result;
  }

  async #scanWithOthers(window: TraceWindow, limit: number, before: number): Promise<ScanResult> {
    const { scans, sources } = this.#dependencies;
    return await scans.cover(window, sources, {
      deadline: this.#deadline,
      limit,
      searchTarget: this.#searchTarget,
      gathers: this.#args.isFurtherLook === true,
      gone: this.#dependencies.gone,
      onRead: (reading) => this.#note(reading),
      onPage: async (read, back) => await this.#tellPage(before + read, back),
    });
  }

  /** All of it is read, whatever is known. */
  async #scanAlone(window: TraceWindow, limit: number, before: number): Promise<ScanResult> {
    const { scans } = this.#dependencies;
    const searchTarget = this.#searchTarget;
    return await scan({
      ...this.#readOptions(),
      window,
      limit,
      own: this.#own,
      head: null,
      underWay: scans.underWay,
      search:
        searchTarget === null
          ? null
          : new PayloadSearch({
              searchTargets: () => [searchTarget],
              maxBytes: Number.POSITIVE_INFINITY,
            }),
      onRead: (reading) => this.#note(reading),
      onPage: async (read, back) => await this.#tellPage(before + read, back),
    });
  }

  #note({ execution, look, searched }: Reading): void {
    const { id } = execution;
    if (searched?.isWhole === true) {
      if (hasEnded(execution)) this.#state.searched += 1;
      else this.#unfinished += 1;
    }
    if (searched?.isPartial === true) this.#notePartial(id);
    const { value } = this.#form;
    if (value === null) return;
    const exact = this.#visibleOf(look.correlations.get(value));
    const custom = this.#target.visible === "all" ? look.customValues.get(value) : undefined;
    const place =
      exact ?? custom ?? (this.#searchTarget === null ? undefined : searched?.hitsOf(this.#searchTarget)[0]);
    if (place === undefined) return;
    const mention = { nodeName: keptName(place.run?.nodeName ?? null), path: formatKeptPath(place.path) };
    const isNew = !(id in this.#state.mentions);
    if (exact === undefined && Object.keys(this.#state.mentions).length < MAX_MENTIONS)
      this.#state.mentions[id] = mention;
    const kind = exact === undefined ? "Mentioned" : "Found";
    if (isNew) this.#progress.found(kind, execution, this.#readNow);
  }

  #visibleOf(found: FoundId | undefined): FoundId | undefined {
    return this.#target.visible === "all" || found?.isOpen === true ? found : undefined;
  }

  #notePartial(executionId: string): void {
    this.#inPart.push({
      executionId,
      reason: "a part of it is too large to be redacted: the id was looked for at known paths alone there",
    });
  }

  async #tellPage(read: number, back: string | null): Promise<void> {
    await this.#progress.settle();
    this.#save();
    await this.#progress.page(read, back);
  }

  async #follow(
    matchIds: readonly string[],
    family: KnownFamily,
    why: Pick<FollowOptions, "wanted" | "because"> = {},
  ): Promise<FollowedFamily> {
    return await followLinks({
      ...this.#readOptions(),
      ...why,
      deadline: Math.max(this.#deadline, this.#dependencies.sources.clock.now() + OVERTIME_MS.links),
      matchIds,
      family,
      current: this.#current,
    });
  }

  #coverage(result: ScanResult, family: FollowedFamily): HistoryCoverage {
    const cut = family.isCut
      ? [{ executionId: null, reason: "there are more linked executions than could be followed" }]
      : [];
    const skipped = [...this.#skipped, ...family.skipped, ...cut];
    const { store } = this.#dependencies;
    const window = this.#covered ?? this.#state.window;
    const coverage = coverageOf(store, window, result, this.#readNow, skipped, this.#inPart);
    const searched = this.#state.searched + this.#unfinished;
    const isBounded = result.downTo !== null;
    return {
      ...coverage,
      searchedForMentions: isBounded ? Math.min(searched, coverage.scannedExecutions) : searched,
    };
  }

  /** "Not found" would be wrong when it was n8n that failed. What was read is kept: the next call goes on. */
  #toResumable(error: ObserverError, scannedExecutions: number): ObserverError {
    if (scannedExecutions === 0) return error;
    return new ObserverError(error.code, error.message, {
      ...error.details,
      solution: `${error.details.solution} What was read is kept: call again with the traceId to go on.`,
      scannedExecutions,
      traceId: this.#traceId,
    });
  }

  #answer(
    stop: ScanStop,
    request: FoundRequest,
    family: FollowedFamily,
    coverage: HistoryCoverage,
  ): HistoryTrace {
    const { form, visible } = this.#target;
    // What the same user has found with `n8n:data` before is not told without it.
    const noted = visible === "all" ? Object.entries(this.#state.mentions) : [];
    const mentions = [
      ...request.others.slice(0, MAX_MENTIONS),
      ...noted.map(([executionId, place]) => ({ executionId, ...place })),
    ];
    const { syncedAt } = this.#dependencies.store.lookTimes;
    const mentioned = [...new Set(mentions.map(({ executionId }) => executionId))];
    return {
      requestId: this.#state.asked,
      traceId: this.#traceId,
      matches: request.matches,
      foundAs: request.foundAs,
      mentions,
      family: family.executions,
      mentioning: mentioned.length === 0 ? [] : this.#dependencies.store.executions(mentioned),
      deleted: family.deleted,
      swallowing: family.swallowing,
      askedExecution: this.#askedExecution?.execution ?? null,
      coverage,
      isAtKnownPathsOnly: visible === "open" && form.value !== null,
      stop: stopFacts(stop),
      asOf: syncedAt === null ? null : new Date(syncedAt).toISOString(),
    };
  }
}
