/**
 * Finds where a text, or a value at a path, stands in the data of executions: the trace's scan, with an excerpt
 * of each hit. Nothing that it finds is kept.
 */
import { ObserverError } from "../errors.ts";
import type { N8nClient } from "../n8n/client.ts";
import { type ItemRange, itemsOfNodes, type OutputPlace } from "../n8n/read-plans.ts";
import { type Clock, timeoutOf } from "./back-off.ts";
import type { CorrelationDigest } from "./correlation-digest.ts";
import { type Coverage, coverageOf } from "./coverage.ts";
import { excerptOf, type Redact, redactOnce } from "./hit-excerpt.ts";
import type { Sought, ValuePlace } from "./look.ts";
import { PageSize } from "./page-size.ts";
import type { Reading } from "./read-executions.ts";
import { formatPath, type RequestIdPaths } from "./request-id-paths.ts";
import { type ScanResult, scan } from "./scan.ts";
import { soughtText, soughtValueAt } from "./sought.ts";
import type { TraceMemory } from "./trace-memory.ts";
import { beginTrace, type SkippedExecution, scopesOfTrace, type TraceState } from "./trace-state.ts";
import type { TraceWindow } from "./trace-window.ts";
import { isNewer, type TracedExecution } from "./traced-execution.ts";

/** What is searched for: any value that holds the text, or the whole value at a path that ends like this. */
export type SearchQuery = { readonly text: string } | { readonly path: string; readonly value: string };

export interface SearchArguments {
  readonly query: SearchQuery;
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
  readonly client: N8nClient;
  readonly memory: TraceMemory;
  readonly digest: CorrelationDigest;
  readonly paths: RequestIdPaths;
  readonly clock: Clock;
  readonly newSearchId: () => string;
  readonly redact: Redact;
  readonly progress: (scanned: number, message: string) => Promise<void>;
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

export interface SearchAnswer {
  /** Newest first. */
  readonly hits: readonly ExecutionHit[];
  readonly coverage: Coverage;
  readonly searchId: string;
  /** n8n's failure, when it ended the scan early. */
  readonly scanError: ObserverError | null;
}

/** Shown of an execution. How many there are is judged by what redaction leaves of them. */
const MAX_PLACES = 3;
/** Read of one output for its hits. */
const MAX_ITEMS = 50;
/** As much of a value as a scan looks at. */
const MAX_STRING_BYTES = 1024 * 1024;
/** Kept for reading the hits once the scan has ended. */
const TIME_FOR_HITS_MS = 10_000;

interface Found {
  readonly execution: TracedExecution;
  readonly places: readonly ValuePlace[];
}

/**
 * @throws ObserverError `TRACE_NOT_FOUND`, `VALIDATION_ERROR`, or an `N8N_…` code when n8n failed before
 * anything was found
 */
export async function searchExecutions(
  args: SearchArguments,
  dependencies: SearchDependencies,
): Promise<SearchAnswer> {
  const { memory } = dependencies;
  const state = await openSearch(args, dependencies);
  const searchId = args.searchId ?? dependencies.newSearchId();
  await memory.saveTrace(searchId, state);
  const search = new Search(args, state, searchId, dependencies);
  const result = await search.scan();
  if (result.stop.reason === "n8n" && search.hits.length === 0) throw result.stop.error;
  const skipped = [...result.skipped, ...search.skipped];
  return {
    hits: search.hits.toSorted((a, b) => (isNewer(a.executionId, b.executionId) ? -1 : 1)),
    coverage: await coverageOf(memory, state.window, result, result.read, skipped),
    searchId,
    scanError: result.stop.reason === "n8n" ? result.stop.error : null,
  };
}

/** The text itself is not kept: it may be anyone's data. */
async function openSearch(
  args: SearchArguments,
  { memory, digest }: SearchDependencies,
): Promise<TraceState> {
  const asked = digest(JSON.stringify(args.query));
  if (args.searchId === undefined) return beginTrace(asked, args.window, true);
  const state = await memory.loadTrace(args.searchId);
  if (state === null) {
    throw new ObserverError("TRACE_NOT_FOUND", "There is no such search, or it has expired.", {
      field: "searchId",
      solution:
        "Leave searchId out and begin anew. A search can be gone on with for 24 hours, by the user who began it.",
    });
  }
  if (state.asked === asked) return state;
  throw new ObserverError("VALIDATION_ERROR", "This searchId belongs to another search.", {
    field: "searchId",
    expected: "the searchId that was answered for the same text, or path and value",
    solution: "Give the same text, or path and value, again; or leave searchId out to begin anew.",
  });
}

class Search {
  /** Only what redaction leaves of them: until then, a hit is not even counted. */
  readonly hits: ExecutionHit[] = [];
  readonly skipped: SkippedExecution[] = [];
  readonly #args: SearchArguments;
  readonly #state: TraceState;
  readonly #searchId: string;
  readonly #dependencies: SearchDependencies;
  readonly #sought: Sought;
  readonly #deadline: number;
  /** Hits that have not been read again yet. */
  #found: Found[] = [];

  constructor(args: SearchArguments, state: TraceState, searchId: string, dependencies: SearchDependencies) {
    this.#args = args;
    this.#state = state;
    this.#searchId = searchId;
    this.#dependencies = dependencies;
    this.#sought =
      "text" in args.query ? soughtText(args.query.text) : soughtValueAt(args.query.path, args.query.value);
    this.#deadline = dependencies.clock.now() + args.timeBudgetMs;
  }

  async scan(): Promise<ScanResult> {
    const { client, memory, digest, paths, clock } = this.#dependencies;
    return await scan({
      client,
      memory,
      digest,
      paths,
      clock,
      window: this.#state.window,
      sought: this.#sought,
      deadline: this.#deadline,
      pageSize: new PageSize(),
      limit: this.#args.limit,
      ownScopes: scopesOfTrace(this.#searchId),
      isEnough: () => this.hits.length >= this.#args.maxHits,
      onRead: (reading) => this.#note(reading),
      onPage: async (read, back) => await this.#endPage(read, back),
    });
  }

  #note({ execution, look }: Reading): void {
    if (look.hits.length > 0) this.#found.push({ execution, places: nearOnes(look.hits) });
  }

  async #endPage(read: number, back: string | null): Promise<void> {
    const found = this.#found;
    this.#found = [];
    for (const one of found) await this.#readHit(one);
    const where = back === null ? "" : `, back to ${back}`;
    await this.#dependencies.progress(read, `Read ${read} executions${where}; ${this.hits.length} with hits`);
  }

  async #readHit({ execution, places }: Found): Promise<void> {
    const { client, clock } = this.#dependencies;
    const redact = redactOnce(this.#dependencies.redact);
    const deadline = this.#deadline + TIME_FOR_HITS_MS;
    if (clock.now() >= deadline) return this.#noteUnread();
    try {
      const bounds = itemsOfNodes((output) => rangeOf(places, output), MAX_STRING_BYTES);
      const timeoutMs = timeoutOf(clock, deadline);
      const read = await client.readExecution(execution.id, bounds, { timeoutMs });
      this.#keep(
        execution,
        places.map((place) => {
          const firstItem = rangeOf(places, outputOf(place))?.from ?? 0;
          return { place, excerpt: excerptOf(read, place, firstItem, this.#sought.text, redact) };
        }),
      );
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
      this.#noteUnread();
    }
  }

  /** What can only be shown in part is no hit: to name its execution would confirm a guess, too. */
  #keep(execution: TracedExecution, excerpts: readonly PlacedExcerpt[]): void {
    const places = excerpts
      .flatMap(({ place, excerpt }) => (excerpt === null ? [] : [toHitPlace(place, excerpt)]))
      .slice(0, MAX_PLACES);
    const { id, workflowId, workflowName, status, startedAt } = execution;
    if (places.length > 0)
      this.hits.push({ executionId: id, workflowId, workflowName, status, startedAt, places });
  }

  /**
   * Which execution it was is not told: nobody has judged yet whether the text stands in a secret there, and a
   * search must not confirm a guess at one.
   */
  #noteUnread(): void {
    if (this.skipped.length > 0) return;
    this.skipped.push({
      executionId: null,
      reason: "n8n was too slow, or failed, when executions were read again to be shown: hits may be missing",
    });
  }
}

interface PlacedExcerpt {
  readonly place: ValuePlace;
  /** Null when there is nothing to show. */
  readonly excerpt: string | null;
}

/** The places, without those that are too far from the first one of their output to be read with it. */
function nearOnes(places: readonly ValuePlace[]): ValuePlace[] {
  const first = new Map<string, number>();
  return places.filter((place) => {
    if (place.item === null) return true;
    const key = JSON.stringify([outputOf(place), place.item.connectionType, place.item.direction]);
    const from = first.get(key) ?? place.item.index;
    first.set(key, from);
    return place.item.index >= from && place.item.index < from + MAX_ITEMS;
  });
}

function toHitPlace({ run, item, path }: ValuePlace, excerpt: string): HitPlace {
  return {
    nodeName: run?.nodeName ?? null,
    run: run?.index ?? null,
    output: item?.output ?? null,
    item: item?.index ?? null,
    path: formatPath(path),
    excerpt,
  };
}

const outputOf = ({ run, item }: ValuePlace): OutputPlace => ({
  nodeName: run?.nodeName ?? "",
  run: run?.index ?? 0,
  output: item?.output ?? 0,
});

/** The items of an output from its first hit to its last, unless that is too far. */
function rangeOf(places: readonly ValuePlace[], wanted: OutputPlace): ItemRange | undefined {
  const items = places.flatMap((place) => {
    const { nodeName, run, output } = outputOf(place);
    const isWanted = nodeName === wanted.nodeName && run === wanted.run && output === wanted.output;
    return isWanted && place.item !== null ? [place.item.index] : [];
  });
  if (items.length === 0) return undefined;
  const from = Math.min(...items);
  return { from, to: Math.min(Math.max(...items) + 1, from + MAX_ITEMS) };
}
