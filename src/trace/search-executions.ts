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
import { type Excerpt, excerptOf, type Redact } from "./hit-excerpt.ts";
import type { Sought, ValuePlace } from "./look.ts";
import { PageSize } from "./page-size.ts";
import type { Reading } from "./read-executions.ts";
import { formatPath, type RequestIdPaths } from "./request-id-paths.ts";
import { type ScanResult, scan } from "./scan.ts";
import { soughtText, soughtValueAt } from "./sought.ts";
import type { TraceMemory } from "./trace-memory.ts";
import { beginTrace, type SkippedExecution, scopeOfTrace, type TraceState } from "./trace-state.ts";
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

const MAX_PLACES = 3;
/** Read of one output for its hits. */
const MAX_ITEMS = 50;
/** As much of a value as a scan looks at. */
const MAX_STRING_BYTES = 1024 * 1024;
/** Kept for reading the hits once the scan has ended. */
const TIME_FOR_HITS_MS = 10_000;
const CONCURRENT_READS = 2;

const toSought = (query: SearchQuery): Sought =>
  "text" in query ? soughtText(query.text) : soughtValueAt(query.path, query.value);

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
  const { memory, clock } = dependencies;
  const state = await openSearch(args, dependencies);
  const searchId = args.searchId ?? dependencies.newSearchId();
  await memory.saveTrace(searchId, state);
  const found: Found[] = [];
  const result = await scanFor(args, state, searchId, dependencies, found);
  if (result.stop.reason === "n8n" && found.length === 0) throw result.stop.error;
  const newestFirst = found.toSorted((a, b) => (isNewer(a.execution.id, b.execution.id) ? -1 : 1));
  const deadline = clock.now() + TIME_FOR_HITS_MS;
  const { hits, skipped } = await readHits(newestFirst, toSought(args.query), deadline, dependencies);
  const all = [...result.skipped, ...skipped];
  return {
    hits,
    coverage: await coverageOf(memory, state.window, result, result.read, all),
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

async function scanFor(
  args: SearchArguments,
  state: TraceState,
  searchId: string,
  { client, memory, digest, paths, clock, progress }: SearchDependencies,
  found: Found[],
): Promise<ScanResult> {
  const note = ({ execution, look }: Reading): void => {
    if (look.hits.length > 0) found.push({ execution, places: look.hits.slice(0, MAX_PLACES) });
  };
  return await scan({
    client,
    memory,
    digest,
    paths,
    clock,
    window: state.window,
    sought: toSought(args.query),
    deadline: clock.now() + args.timeBudgetMs,
    pageSize: new PageSize(),
    limit: args.limit,
    ownScope: scopeOfTrace(searchId),
    isEnough: () => found.length >= args.maxHits,
    onRead: note,
    onPage: async (read, back) => {
      const where = back === null ? "" : `, back to ${back}`;
      await progress(read, `Read ${read} executions${where}; ${found.length} with hits`);
    },
  });
}

interface ReadHits {
  readonly hits: readonly ExecutionHit[];
  readonly skipped: readonly SkippedExecution[];
}

/** Two at a time; in the order in which they were found. */
async function readHits(
  found: readonly Found[],
  sought: Sought,
  deadline: number,
  dependencies: SearchDependencies,
): Promise<ReadHits> {
  const open = [...found.entries()];
  const results = new Map<number, ReadHits>();
  const worker = async (): Promise<void> => {
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const [index, one] = next;
      results.set(index, await readHit(one, sought, deadline, dependencies));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_READS }, worker));
  const inOrder = found.flatMap((_one, index) => results.get(index) ?? []);
  return {
    hits: inOrder.flatMap(({ hits }) => hits),
    skipped: inOrder.flatMap(({ skipped }) => skipped),
  };
}

async function readHit(
  { execution, places }: Found,
  sought: Sought,
  deadline: number,
  { client, clock, redact }: SearchDependencies,
): Promise<ReadHits> {
  const skip = (reason: string): ReadHits => ({
    hits: [],
    skipped: [{ executionId: execution.id, reason }],
  });
  if (clock.now() >= deadline) return skip("it has a hit, but time ran out before it was read again");
  try {
    const bounds = itemsOfNodes((output) => rangeOf(places, output), MAX_STRING_BYTES);
    const read = await client.readExecution(execution.id, bounds, { timeoutMs: timeoutOf(clock, deadline) });
    const excerpts = places.map((place) => {
      const firstItem = rangeOf(places, outputOf(place))?.from ?? 0;
      return { place, excerpt: excerptOf(read, place, firstItem, sought.text, redact) };
    });
    return toHit(execution, excerpts, skip);
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return skip(`it has a hit, but reading it again failed with ${error.code}`);
  }
}

/** A hit that redaction hides is not told at all, not even that it is there. */
function toHit(
  execution: TracedExecution,
  excerpts: readonly { readonly place: ValuePlace; readonly excerpt: Excerpt }[],
  skip: (reason: string) => ReadHits,
): ReadHits {
  const places = excerpts.flatMap(({ place, excerpt }) =>
    typeof excerpt === "string" ? [] : [toHitPlace(place, excerpt.text)],
  );
  if (places.length === 0)
    return excerpts.some(({ excerpt }) => excerpt === "unseen")
      ? skip("it has a hit in a part too large to be shown")
      : { hits: [], skipped: [] };
  const { id, workflowId, workflowName, status, startedAt } = execution;
  return { hits: [{ executionId: id, workflowId, workflowName, status, startedAt, places }], skipped: [] };
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
