/**
 * Finds where a text, or a value at a path, stands in the data of executions: the trace's scan, with an excerpt
 * of each hit. Nothing that it finds is kept. Only what redaction leaves is a hit, counts, or costs anything.
 */

import type { CorrelationDigest } from "../../history/correlation-digest.ts";
import { type Coverage, coverageOf } from "../../history/coverage.ts";
import { newSingleAsks } from "../../history/hidden.ts";
import { PageSize } from "../../history/page-size.ts";
import { type Hit, PayloadSearch, type Redact, type RedactLarge } from "../../history/payload-search.ts";
import type { Reading } from "../../history/read-executions.ts";
import { formatPath, type RequestIdPaths } from "../../history/request-id-paths.ts";
import { type ScanResult, scan } from "../../history/scan.ts";
import { soughtText, soughtValueAt } from "../../history/sought.ts";
import type { TraceMemory } from "../../history/trace-memory.ts";
import {
  beginTrace,
  type SkippedExecution,
  scopesOfTrace,
  type TraceState,
} from "../../history/trace-state.ts";
import type { TraceWindow } from "../../history/trace-window.ts";
import { isNewer } from "../../history/traced-execution.ts";
import type { KnownCapabilities } from "../../n8n/capabilities/store.ts";
import type { N8nClient } from "../../n8n/client.ts";
import type { Clock } from "../../platform/clock.ts";
import { ObserverError } from "../../platform/errors.ts";

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
  readonly capabilities: KnownCapabilities;
  readonly memory: TraceMemory;
  readonly digest: CorrelationDigest;
  readonly paths: RequestIdPaths;
  readonly clock: Clock;
  readonly newSearchId: () => string;
  /** For what is shown. */
  readonly redact: Redact;
  /** For all that is looked at: keeps nothing. */
  readonly redactLarge: RedactLarge;
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

/** Executions that are named for what could not be looked at in them; of others there is a count. */
const MAX_NAMED = 20;

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
  let result = await search.scan();
  const isNothing = result.stop.reason === "complete" && search.hits.length === 0;
  if (isNothing && (await dependencies.capabilities.hasChanged(dependencies.client)))
    result = await search.scan();
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
  readonly hits: ExecutionHit[] = [];
  readonly #args: SearchArguments;
  readonly #state: TraceState;
  readonly #searchId: string;
  readonly #dependencies: SearchDependencies;
  /** In which something was too large. */
  readonly #partial = new Set<string>();

  constructor(args: SearchArguments, state: TraceState, searchId: string, dependencies: SearchDependencies) {
    this.#args = args;
    this.#state = state;
    this.#searchId = searchId;
    this.#dependencies = dependencies;
  }

  /** What could not be looked at, which has nothing to do with what is sought. */
  get skipped(): readonly SkippedExecution[] {
    const reason = "a part of it is too large to be redacted, so it was not searched";
    const named = [...this.#partial].slice(0, MAX_NAMED).map((executionId) => ({ executionId, reason }));
    const more = this.#partial.size - named.length;
    if (more === 0) return named;
    return [...named, { executionId: null, reason: `${more} more have parts too large to be searched` }];
  }

  async scan(): Promise<ScanResult> {
    const { client, capabilities, memory, digest, paths, redactLarge, clock } = this.#dependencies;
    return await scan({
      client,
      capabilities,
      asks: newSingleAsks(),
      memory,
      digest,
      paths,
      redactLarge,
      clock,
      window: this.#state.window,
      search: this.#newSearch(),
      deadline: clock.now() + this.#args.timeBudgetMs,
      pageSize: new PageSize(),
      limit: this.#args.limit,
      ownScopes: scopesOfTrace(this.#searchId),
      isEnough: () => this.hits.length >= this.#args.maxHits,
      onRead: (reading) => this.#note(reading),
      onPage: async (read, back) => await this.#tellPage(read, back),
    });
  }

  #newSearch(): PayloadSearch {
    const { query } = this.#args;
    const { redact, redactLarge } = this.#dependencies;
    return new PayloadSearch({
      sought: "text" in query ? soughtText(query.text) : soughtValueAt(query.path, query.value),
      redact: redactLarge,
      redactShown: redact,
      maxBytes: Number.POSITIVE_INFINITY,
    });
  }

  #note({ execution, searched }: Reading): void {
    if (searched === null) return;
    if (searched.isPartial) this.#partial.add(execution.id);
    const places = searched.hits.map(toHitPlace);
    const { id, workflowId, workflowName, status, startedAt } = execution;
    if (places.length > 0)
      this.hits.push({ executionId: id, workflowId, workflowName, status, startedAt, places });
  }

  async #tellPage(read: number, back: string | null): Promise<void> {
    const where = back === null ? "" : `, back to ${back}`;
    await this.#dependencies.progress(read, `Read ${read} executions${where}; ${this.hits.length} with hits`);
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
