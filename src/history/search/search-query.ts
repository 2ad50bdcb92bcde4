/**
 * Finds where a text, or a value at a path, occurs in the data of executions: the trace's scan, with an excerpt of each
 * hit. Hits are not stored. Only what redaction does not hide is a hit, counts, or costs anything.
 */
import { formatPath } from "../../json/path-text.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { counted } from "../../platform/counted.ts";
import { MINUTE_MS } from "../../platform/durations.ts";
import { ObserverError } from "../../platform/errors.ts";
import { newestFirst } from "../../platform/id-order.ts";
import type { RedactLarge } from "../payload/payload-items.ts";
import { type Hit, PayloadSearch } from "../payload/payload-search.ts";
import { type SearchedFor, type SearchTarget, searchTargetOf } from "../payload/search-target.ts";
import { PageSize } from "../reading/page-size.ts";
import type { Reading } from "../reading/reading.ts";
import { formOf } from "../request-ids/request-forms.ts";
import { OwnReads } from "../resuming/own-reads.ts";
import { beginTrace, loadState, type OwnTraces, type TraceState } from "../resuming/trace-state.ts";
import { type Coverage, coverageOf } from "../scan/coverage.ts";
import type { QueryDependencies } from "../scan/query-dependencies.ts";
import { scan } from "../scan/scan.ts";
import { isOutOfTimeResult, scanAgainIfChanged } from "../scan/scan-again.ts";
import type { ScanOptions, ScanResult, SkippedExecution, TermExclusion } from "../scan/scan-options.ts";
import { scopeOf } from "../scan/shared-scans.ts";
import { type ErrorFacts, readSoFar, type StopFacts, stopFacts } from "../scan/stop-facts.ts";
import { isWholeHistory, type TraceWindow } from "../store/trace-window.ts";
import { hasEnded, type TracedExecution } from "../store/traced-execution.ts";
import { createTermQuery, type TermQuery, type Unanswerable } from "../terms/term-query.ts";
import { takeTerms } from "../terms/term-reading.ts";

export interface SearchQuery {
  readonly query: SearchedFor;
  readonly window: TraceWindow;
  readonly limit: number;
  readonly maxHits: number;
  /** Continues an earlier call of the same user with the same query. */
  readonly searchId: string | undefined;
  readonly timeBudgetMs: number;
}

export interface SearchDependencies extends QueryDependencies {
  readonly searches: OwnTraces;
  readonly newSearchId: () => string;
  /** The redactor of this answer, which numbers its marks. */
  readonly redactShown: RedactLarge;
  /** Null if whoever may see an execution's workflow may read the execution. */
  readonly askReadable: AskReadable | null;
}

/** Whether a caller's own n8n key may read an execution; n8n's failure as data, for another isolate. */
export type AskReadable = (executionId: string) => Promise<boolean | ErrorFacts>;

export interface HitPlace {
  /** Null for the execution's custom data. */
  readonly nodeName: string | null;
  /** Whether the node received or sent it; null if that does not apply. */
  readonly direction: "input" | "output" | null;
  readonly run: number | null;
  readonly output: number | null;
  readonly item: number | null;
  readonly path: string;
  readonly excerpt: string;
}

export interface ExecutionHit
  extends Readonly<Pick<TracedExecution, "workflowId" | "workflowName" | "status" | "startedAt">> {
  readonly executionId: string;
  readonly places: readonly HitPlace[];
}

export interface HistorySearch {
  /** Why terms could not rule out anything, so that each execution was read; null if they could. */
  readonly unanswerable: string | null;
  readonly hits: readonly ExecutionHit[];
  readonly coverage: Coverage;
  /** An execution whose id is the searched text; null if none is known. */
  readonly sameNumber: string | null;
  readonly searchId: string;
  readonly stop: StopFacts;
}

/** Concurrent checks of hits. */
const ASKED_AT_ONCE = 2;
/** Maximum executions that are named as partly searched; others are counted. */
const MAX_NAMED = 20;
/** Twice the maximum pause of the index between two looks. */
const RECENT_LOOK_MS = 10 * MINUTE_MS;
/** New executions that are read for all callers; the search's own limit applies to what it reads itself. */
const MAX_NEW = 2_000;

/**
 * @throws ObserverError `TRACE_NOT_FOUND`, `VALIDATION_ERROR`, or an `N8N_…` code if n8n failed before anything was
 * found; if it was only too slow, before anything was read; if it fails at single executions, only if earlier calls of
 * this search have skipped each of them
 */
export async function searchInHistory(
  args: SearchQuery,
  dependencies: SearchDependencies,
): Promise<HistorySearch> {
  const { known } = dependencies;
  const state = openSearch(args, dependencies);
  const searchId = args.searchId ?? dependencies.newSearchId();
  dependencies.searches.save(searchId, state);
  const search = new Search(args, state, dependencies);
  await dependencies.progress(0, "Reading executions, newest first");
  let result = await search.scan();
  if (result.stop.reason === "complete") {
    const { deadline, hasLooked } = search;
    const hasFound = () => search.isFound;
    const asking = { ...dependencies, window: state.window, hasFound, hasLooked, deadline };
    result = await scanAgainIfChanged(asking, result, () => search.scan());
  }
  const { hits, failed } = await readableOf(search.hits, dependencies.askReadable);
  const read = search.shown(result.read);
  const coverage = coverageOf(
    known,
    state.window,
    result,
    read,
    [...result.skipped, ...failed],
    search.inPart,
  );
  // Only now: a call that ends without an answer loses its hits, so what it has read must not count.
  dependencies.searches.save(searchId, { ...search.state, isComplete: coverage.complete });
  const isPart = isOutOfTimePart(result) || search.hasSkipped;
  if ("error" in result.stop && !search.isFound && !isPart) throw result.stop.error;
  return {
    hits: hits.toSorted((a, b) => newestFirst(a.executionId, b.executionId)),
    coverage,
    sameNumber: executionOfNumber(search.target.text, known),
    searchId,
    unanswerable: search.unanswerable,
    stop: stopFacts(result.stop),
  };
}

/** @returns also a note if n8n failed for some @throws ObserverError if n8n failed for all, so that no hit is lost */
async function readableOf(
  hits: readonly ExecutionHit[],
  askReadable: AskReadable | null,
): Promise<{ hits: readonly ExecutionHit[]; failed: readonly SkippedExecution[] }> {
  if (askReadable === null) return { hits, failed: [] };
  const answers = await mapConcurrently(
    hits,
    ASKED_AT_ONCE,
    async ({ executionId }) => await askReadable(executionId),
  );
  const failures = answers.filter((one) => typeof one === "object");
  const [failure] = failures;
  // A single failure may be due to an execution that n8n can never return.
  if (failure !== undefined && failures.length === answers.length && answers.length > 1)
    throw new ObserverError(failure.code, failure.message, failure.details);
  // Without their number, which restricted views must not learn.
  const reason = "n8n failed to return some with the caller's own key: hits in these are left out";
  return {
    hits: hits.filter((_hit, index) => answers[index] === true),
    failed: failures.length === 0 ? [] : [{ executionId: null, reason }],
  };
}

/** Like running out of time: what was searched has no hits, and the next call continues. */
const isOutOfTimePart = (result: ScanResult): boolean => result.read > 0 && isOutOfTimeResult(result);

function executionOfNumber(text: string, known: QueryDependencies["known"]): string | null {
  const { executionId } = formOf(text);
  return executionId === null ? null : (known.executions.withIds([executionId])[0]?.id ?? null);
}

/** The text itself is not stored, because it may be anyone's data. */
function openSearch(args: SearchQuery, { searches, sources }: SearchDependencies): TraceState {
  const asked = sources.digest(JSON.stringify(args.query));
  if (args.searchId === undefined) return beginTrace(asked, args.window, true);
  const state = loadState(searches, args.searchId, "search", "start again");
  if (state.asked === asked) return state;
  throw new ObserverError("VALIDATION_ERROR", "This searchId belongs to another search.", {
    field: "searchId",
    expected: "the searchId returned for the same text, or path and value",
    solution: "Give the same text, or path and value, again; or leave searchId out to start again.",
  });
}

class Search {
  readonly hits: ExecutionHit[] = [];
  readonly #args: SearchQuery;
  readonly #state: TraceState;
  readonly #own: OwnReads;
  readonly target: SearchTarget;
  readonly #asked: TermQuery | Unanswerable;
  readonly #dependencies: SearchDependencies;
  /** Epoch ms. */
  readonly deadline: number;
  /** Whether it has looked for new executions in all of n8n. */
  hasLooked = false;
  /** Executions read that the caller may see. */
  #seen = 0;
  #hasReadEnded = false;
  /** The last count that was reported to the client. */
  #reportedRead = 0;
  /** Executions with a part that was too large. */
  readonly #partial = new Set<string>();

  constructor(args: SearchQuery, state: TraceState, dependencies: SearchDependencies) {
    this.#args = args;
    this.#state = state;
    this.#own = new OwnReads(state.own, dependencies.sources.digest(dependencies.known.view.key));
    const { query } = args;
    this.target = searchTargetOf(query);
    this.#asked = createTermQuery(query, dependencies.sources.terms.maker);
    this.#dependencies = dependencies;
    this.deadline = dependencies.sources.clock.now() + args.timeBudgetMs;
  }

  get isFound(): boolean {
    return this.hits.length > 0;
  }

  /** The state with which the next call continues. */
  get state(): TraceState {
    return { ...this.#state, own: this.#own.state };
  }

  /** True if n8n failed to return executions for the first time: the next call continues beyond them. */
  get hasSkipped(): boolean {
    const before = new Set(this.#state.own.unread);
    return [...this.#own.unread].some((id) => !before.has(id));
  }

  get unanswerable(): string | null {
    return "unanswerable" in this.#asked ? this.#asked.unanswerable : null;
  }

  /** What could not be searched, whatever was searched for. */
  get inPart(): readonly SkippedExecution[] {
    const reason = "it, or part of it, is too large to search";
    const named = [...this.#partial].slice(0, MAX_NAMED).map((executionId) => ({ executionId, reason }));
    const more = this.#partial.size - named.length;
    if (more === 0) return named;
    const others = `${counted(more, "more has", "more have")} parts too large to search`;
    return [...named, { executionId: null, reason: others }];
  }

  /** Joins a shared look for new executions, then reads; if much is new or unknown, lists and reads in one scan. */
  async scan(): Promise<ScanResult> {
    const looked = await this.#look();
    this.hasLooked = looked !== null;
    // Without a complete look, nothing was searched.
    if (looked !== null && looked.stop.reason !== "complete") return { ...looked, downTo: null, read: 0 };
    const { store, sources } = this.#dependencies;
    const begunAt = sources.clock.now();
    const result = await this.#read(looked);
    if (looked === null && result.stop.reason === "complete" && isWholeHistory(this.#state.window))
      store.lookTimes.note(begunAt, result.settles);
    return { ...result, skipped: [...(looked?.skipped ?? []), ...result.skipped] };
  }

  /** Null if the window was not known recently: then there may be as much to read as to list. */
  async #look(): Promise<ScanResult | null> {
    const { store, scans, sources, disconnected } = this.#dependencies;
    const { window } = this.#state;
    const { syncedAt } = store.lookTimes;
    const isRecent = sources.clock.now() - (syncedAt ?? 0) <= RECENT_LOOK_MS;
    if (!isRecent || (await scopeOf(sources.capabilities)) === "hidden") return null;
    if (!(await scans.isKnownSince(window, sources))) return null;
    const caller = { searchTarget: null, onRead: () => {}, onPage: async () => {}, disconnected };
    const bounds = { deadline: this.deadline, limit: MAX_NEW };
    const result = await scans.cover(window, sources, { ...caller, ...bounds });
    if (!(await scans.isKnownSince(window, sources))) return null;
    // As long as other callers' looks complete, n8n is only slow.
    const answersOthers = store.lookTimes.syncedAt !== syncedAt;
    return isOutOfTimeResult(result) && answersOthers ? { ...result, stop: { reason: "time" } } : result;
  }

  async #read(completedLook: ScanResult | null): Promise<ScanResult> {
    const { store, scans, sources, redactShown, disconnected, thread } = this.#dependencies;
    const options: ScanOptions = {
      ...sources,
      client: disconnected === undefined ? sources.client : sources.client.until(disconnected),
      store,
      terms: takeTerms(sources.terms, Number.POSITIVE_INFINITY),
      exclusion: this.#exclusion(),
      window: this.#state.window,
      search: new PayloadSearch({
        searchTargets: () => [this.target],
        redactShown,
        maxBytes: Number.POSITIVE_INFINITY,
      }),
      deadline: this.deadline,
      limit: this.#args.limit,
      pageSize: new PageSize({ thread }),
      thread,
      completedLook,
      ownReads: this.#own,
      isVisible: (workflowId) => this.#dependencies.known.view.has(workflowId),
      look: null,
      readsInProgress: scans.readsInProgress,
      slowReads: scans.slowReads,
      // Unfinished executions are read in each call: if they were enough, no call would advance.
      isEnough: () => this.#hasReadEnded && this.hits.length >= this.#args.maxHits,
      onRead: (reading) => this.#note(reading),
      onPage: async (read, back) => await this.#reportPage(read, back),
    };
    return await scans.runUnshared(async () => await scan(options));
  }

  /** Redacted text has no terms, so a right guess rules out exactly the same as a wrong one. */
  #exclusion(): TermExclusion {
    const asked = this.#asked;
    return {
      // Any execution may contain the text, but one that is too large is not read each time.
      excludes: (filter) => ("unanswerable" in asked ? filter.isTooLarge : !asked.candidates(filter)),
      onPartial: (id) => this.#partial.add(id),
    };
  }

  #note({ execution, searched }: Reading): void {
    this.#hasReadEnded ||= hasEnded(execution);
    if (searched === null || !this.#dependencies.known.view.has(execution.workflowId)) return;
    this.#seen += 1;
    if (searched.isPartial) this.#partial.add(execution.id);
    const places = searched.hitsOf(this.target).map(toHitPlace);
    const { id, workflowId, workflowName, status, startedAt } = execution;
    if (places.length === 0) return;
    const hit = { executionId: id, workflowId, workflowName, status, startedAt, places };
    const before = this.hits.findIndex(({ executionId }) => executionId === id);
    // An execution that changed meanwhile is read twice; its last state counts.
    this.hits.splice(before === -1 ? this.hits.length : before, 1, hit);
  }

  /** The number of read executions that may be reported to the caller. */
  shown(read: number): number {
    return this.#dependencies.known.isWhole ? read : this.#seen;
  }

  async #reportPage(all: number, at: string | null): Promise<void> {
    const [read, back] = [this.shown(all), this.#dependencies.known.isWhole ? at : null];
    // Reports nothing if nothing new was read, nor again what the first scan has reported.
    if (read <= this.#reportedRead) return;
    this.#reportedRead = read;
    await this.#dependencies.progress(read, `${readSoFar(read, back)}; ${this.hits.length} with hits`);
  }
}

function toHitPlace({ run, item, path, excerpt }: Hit): HitPlace {
  return {
    nodeName: run?.nodeName ?? null,
    direction: item?.direction ?? null,
    run: run?.index ?? null,
    output: item?.output ?? null,
    item: item?.index ?? null,
    path: formatPath(path),
    excerpt,
  };
}
