/**
 * Finds where a text, or a value at a path, stands in the data of executions: the trace's scan, with an excerpt
 * of each hit. Nothing that it finds is kept. Only what redaction leaves is a hit, counts, or costs anything.
 */

import { counted } from "../../platform/counted.ts";
import { ObserverError } from "../../platform/errors.ts";
import { type Hit, PayloadSearch, type RedactLarge } from "../payload/payload-search.ts";
import { type SearchTarget, targetText, targetValueAt, targetWords } from "../payload/search-target.ts";
import { PageSize } from "../reading/page-size.ts";
import type { Reading } from "../reading/read-executions.ts";
import { formOf } from "../request-ids/request-forms.ts";
import { formatPath } from "../request-ids/request-id-paths.ts";
import { OwnReading } from "../resuming/own-reading.ts";
import type { OwnTraces } from "../resuming/trace-state.ts";
import { beginTrace, type TraceState } from "../resuming/trace-state.ts";
import { type Coverage, coverageOf } from "../scan/coverage.ts";
import { scan } from "../scan/scan.ts";
import type { ScanOptions, ScanResult, SkippedExecution } from "../scan/scan-options.ts";
import type { ScanSources, SharedScans } from "../scan/shared-scans.ts";
import { type ReportProgress, type StopFacts, stopFacts } from "../scan/stop-facts.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import { isNewer } from "../store/traced-execution.ts";
import { createTermQuery, type TermQuery, type Unanswerable } from "../terms/term-query.ts";
import { takeTerms } from "../terms/term-reading.ts";

/** What is searched for. */
export type SearchedFor =
  /** Any value that holds the text. */
  | { readonly text: string }
  /** The text with no letter and no digit on either side of it. */
  | { readonly words: string }
  /** The whole value, at a path that ends like this one. */
  | { readonly path: string; readonly value: string };

function searchTargetOf(query: SearchedFor): SearchTarget {
  if ("text" in query) return targetText(query.text);
  return "words" in query ? targetWords(query.words) : targetValueAt(query.path, query.value);
}

/** What is asked of the history. */
export interface SearchQuery {
  readonly query: SearchedFor;
  readonly window: TraceWindow;
  /** Most executions to read in this call. */
  readonly limit: number;
  /** The scan pauses once this many executions with hits were found. */
  readonly maxHits: number;
  /** Goes on with an earlier call of the same user and the same query. */
  readonly searchId: string | undefined;
  /** Longest time for the scan, in milliseconds. */
  readonly timeBudgetMs: number;
}

export interface SearchDependencies {
  readonly store: ExecutionStore;
  readonly scans: SharedScans;
  readonly sources: ScanSources;
  readonly searches: OwnTraces;
  readonly newSearchId: () => string;
  /** For what is shown: the redactor of the one answer, which numbers its marks. */
  readonly redactShown: RedactLarge;
  readonly progress: ReportProgress;
  /** Aborts when whoever asked has gone away. */
  readonly gone?: AbortSignal | undefined;
}

export interface HitPlace {
  /** Null for the execution's custom data. */
  readonly nodeName: string | null;
  readonly run: number | null;
  readonly output: number | null;
  readonly item: number | null;
  readonly path: string;
  /** Redacted. */
  readonly excerpt: string;
}

export interface ExecutionHit {
  readonly executionId: string;
  readonly workflowId: string;
  readonly workflowName: string | null;
  readonly status: string;
  readonly startedAt: string | null;
  readonly places: readonly HitPlace[];
}

/** How it was found out in what the executions differ. */
export interface SearchedBy {
  /** Why terms could rule out nothing, so that each execution was read; null when they were asked. */
  readonly unanswerable: string | null;
}

export interface HistorySearch extends SearchedBy {
  /** Newest first. */
  readonly hits: readonly ExecutionHit[];
  readonly coverage: Coverage;
  /** The execution that has what is sought as its own id, and is something else; null when none is known. */
  readonly sameNumber: string | null;
  readonly searchId: string;
  readonly stop: StopFacts;
}

/** Executions that are named for what could not be looked at in them; of others there is a count. */
const MAX_NAMED = 20;

/**
 * @throws ObserverError `TRACE_NOT_FOUND`, `VALIDATION_ERROR`, or an `N8N_…` code when n8n failed before
 * anything was found
 */
export async function searchInHistory(
  args: SearchQuery,
  dependencies: SearchDependencies,
): Promise<HistorySearch> {
  const { store, sources } = dependencies;
  const state = openSearch(args, dependencies);
  const searchId = args.searchId ?? dependencies.newSearchId();
  dependencies.searches.save(searchId, state);
  const search = new Search(args, state, searchId, dependencies);
  await dependencies.progress(0, "Reading executions, newest first");
  let result = await search.scan();
  const isNothing = result.stop.reason === "complete" && search.hits.length === 0;
  if (isNothing && (await sources.capabilities.hasChanged(sources.client))) result = await search.scan();
  if (result.stop.reason === "n8n" && search.hits.length === 0) throw result.stop.error;
  return {
    hits: search.hits.toSorted((a, b) => (isNewer(a.executionId, b.executionId) ? -1 : 1)),
    coverage: coverageOf(store, state.window, result, result.read, result.skipped, search.inPart),
    sameNumber: executionOfNumber(args.query, store),
    searchId,
    unanswerable: search.unanswerable,
    stop: stopFacts(result.stop),
  };
}

function executionOfNumber(query: SearchedFor, store: ExecutionStore): string | null {
  const searchTarget = "text" in query ? query.text : "words" in query ? query.words : query.value;
  const { executionId } = formOf(searchTarget);
  return executionId === null ? null : (store.executions([executionId])[0]?.id ?? null);
}

/** The text itself is not kept: it may be anyone's data. */
function openSearch(args: SearchQuery, { searches, sources }: SearchDependencies): TraceState {
  const asked = sources.digest(JSON.stringify(args.query));
  if (args.searchId === undefined) return beginTrace(asked, args.window, true);
  const state = searches.load(args.searchId);
  if (state === null) {
    throw new ObserverError("TRACE_NOT_FOUND", "There is no such search, or it has expired.", {
      field: "searchId",
      solution:
        "Leave searchId out and start again. A search can be continued for 24 hours, by the user who started it.",
    });
  }
  if (state.asked === asked) return state;
  throw new ObserverError("VALIDATION_ERROR", "This searchId belongs to another search.", {
    field: "searchId",
    expected: "the searchId that was answered for the same text, or path and value",
    solution: "Give the same text, or path and value, again; or leave searchId out to start again.",
  });
}

class Search {
  readonly hits: ExecutionHit[] = [];
  readonly #args: SearchQuery;
  readonly #state: TraceState;
  readonly #searchId: string;
  readonly #own: OwnReading;
  readonly #searchTarget: SearchTarget;
  /** Asks what is known of executions before they are read. */
  readonly #asked: TermQuery | Unanswerable;
  readonly #dependencies: SearchDependencies;
  /** How many executions the client was told are read. */
  #toldRead = 0;
  /** In which something was too large. */
  readonly #partial = new Set<string>();

  constructor(args: SearchQuery, state: TraceState, searchId: string, dependencies: SearchDependencies) {
    this.#args = args;
    this.#state = state;
    this.#searchId = searchId;
    this.#own = new OwnReading(state.own);
    const { query } = args;
    this.#searchTarget = searchTargetOf(query);
    this.#asked = createTermQuery(query, dependencies.sources.terms.maker);
    this.#dependencies = dependencies;
  }

  /** @see SearchedBy.unanswerable */
  get unanswerable(): string | null {
    return "unanswerable" in this.#asked ? this.#asked.unanswerable : null;
  }

  /** What could not be looked at, which has nothing to do with what is sought. */
  get inPart(): readonly SkippedExecution[] {
    const reason = "a part of it is too large to be redacted, so it was not searched";
    const named = [...this.#partial].slice(0, MAX_NAMED).map((executionId) => ({ executionId, reason }));
    const more = this.#partial.size - named.length;
    if (more === 0) return named;
    return [
      ...named,
      {
        executionId: null,
        reason: `${counted(more, "more has", "more have")} parts too large to be searched`,
      },
    ];
  }

  async scan(): Promise<ScanResult> {
    const { store, scans, sources, redactShown, gone } = this.#dependencies;
    return await scan({
      ...sources,
      client: gone === undefined ? sources.client : sources.client.until(gone),
      store,
      terms: takeTerms(sources.terms, Number.POSITIVE_INFINITY),
      ...this.#ruling(),
      window: this.#state.window,
      search: new PayloadSearch({
        searchTargets: () => [this.#searchTarget],
        redactShown,
        maxBytes: Number.POSITIVE_INFINITY,
      }),
      deadline: sources.clock.now() + this.#args.timeBudgetMs,
      pageSize: new PageSize(),
      limit: this.#args.limit,
      own: this.#own,
      head: null,
      underWay: scans.underWay,
      isEnough: () => this.hits.length >= this.#args.maxHits,
      onRead: (reading) => this.#note(reading),
      onPage: async (read, back) => await this.#tellPage(read, back),
    });
  }

  /** Of what redaction takes away there are no terms: a right guess rules out what a wrong one does. */
  #ruling(): Pick<ScanOptions, "ruling"> {
    const asked = this.#asked;
    if ("unanswerable" in asked) return {};
    return {
      ruling: {
        rulesOut: (filter) => !asked.candidates(filter),
        // Whoever reads it would find no more than this.
        onPartial: (id) => this.#partial.add(id),
      },
    };
  }

  #note({ execution, searched }: Reading): void {
    if (searched === null) return;
    if (searched.isPartial) this.#partial.add(execution.id);
    const places = searched.hitsOf(this.#searchTarget).map(toHitPlace);
    const { id, workflowId, workflowName, status, startedAt } = execution;
    if (places.length > 0)
      this.hits.push({ executionId: id, workflowId, workflowName, status, startedAt, places });
  }

  async #tellPage(read: number, back: string | null): Promise<void> {
    this.#dependencies.searches.save(this.#searchId, { ...this.#state, own: this.#own.stretches });
    // Of a look into n8n's lists that showed nothing new, nothing is told; nor of a second scan what the first has told.
    if (read <= this.#toldRead) return;
    this.#toldRead = read;
    const where = back === null ? "" : `, back to ${back}`;
    await this.#dependencies.progress(
      read,
      `Read ${counted(read, "execution")}${where}; ${this.hits.length} with hits`,
    );
  }
}

function toHitPlace({ run, item, path, excerpt }: Hit): HitPlace {
  return {
    nodeName: run?.nodeName ?? null,
    run: run?.index ?? null,
    output: item?.output ?? null,
    item: item?.index ?? null,
    path: formatPath(path),
    excerpt,
  };
}
