/**
 * Finds the executions that belong to the requested id. A value at a known path is the request id and takes precedence;
 * then the execution with that id; then a value in custom data, for callers who may see payload. The request of an
 * execution is that of the nearest request id: its own or its callers'.
 */
import { keysOf } from "../../json/path-text.ts";
import { newestFirst } from "../../platform/id-order.ts";
import type { ComparableIds } from "../request-ids/comparable-ids.ts";
import { type FoundAs, kindOfPath } from "../request-ids/request-forms.ts";
import type { ScanSources } from "../scan/shared-scans.ts";
import { LinkIndex } from "../store/family.ts";
import {
  type HeldCorrelation,
  type KnownFamily,
  MAX_MATCHES,
  type RememberedCall,
  type RememberedMatch,
} from "../store/known-requests.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import type { TracedExecution } from "../store/traced-execution.ts";
import type { VisibleHistory } from "../store/visible-history.ts";
import type { TraceTarget } from "./trace-target.ts";

export interface FoundRequest {
  /** Newest first. */
  readonly matches: readonly RememberedMatch[];
  /** Executions that hold the value as custom data although it is the id of another request. */
  readonly others: readonly RememberedMatch[];
  readonly family: KnownFamily;
  /** Null when nothing was found. */
  readonly foundAs: FoundAs | null;
  /** Digests of the ids that the matches hold. */
  readonly digests: readonly string[];
  /** Whether the ids are at known paths. */
  readonly isAtKnownPath: boolean;
}

export interface Finder {
  readonly known: VisibleHistory;
  readonly sources: Pick<ScanSources, "digest" | "paths">;
  readonly target: TraceTarget;
  /** Digest of the requested id; null if only an execution was requested. */
  readonly digest: string | null;
}

/** Replaces the path if the caller requested the execution by its id. */
export const ASKED_BY_ID = "execution id";
export const NO_FAMILY: KnownFamily = {
  ids: [],
  missing: [],
  isCut: false,
  executions: [],
  deleted: [],
  swallowing: [],
  unjudged: [],
};

/**
 * @param executionId the requested execution, once it is known to exist; else null
 * @param readLinked reads the executions linked to one, and returns all that are known then
 */
export async function findRequest(
  finder: Finder,
  window: TraceWindow,
  executionId: string | null,
  readLinked: (executionId: string) => Promise<readonly TracedExecution[]>,
): Promise<FoundRequest> {
  const { known } = finder;
  const request = requestWithId(finder, window);
  if (request.isAtKnownPath || executionId === null) return request;
  const chain = causesOf(executionId, await readLinked(executionId), known);
  const { matches, digests } = matchesOfChain(chain, finder, window);
  const others = request.matches;
  return { ...withFamily(matches, known), others, foundAs: "executionId", digests, isAtKnownPath: true };
}

/** The request that the id itself leads to, as far as known. */
export function requestWithId(finder: Finder, window: TraceWindow): FoundRequest {
  const { known, sources, target, digest } = finder;
  const all = matchesOf(finder, window);
  const exact = all.filter(({ path }) => isKnownPath(path, sources.paths));
  const custom = target.visible === "all" ? all.filter((match) => !exact.includes(match)) : [];
  const isAtKnownPath = exact.length > 0;
  const [matches, others] = isAtKnownPath ? [exact, custom] : [custom, []];
  const foundAs = kindOf(matches, isAtKnownPath);
  const digests = digest === null ? [] : [digest];
  return { ...withFamily(matches, known), others, foundAs, digests, isAtKnownPath };
}

/** Adds other family members that hold the id: a window or limit selects the request, not the executions in it. */
export function withHolders(request: FoundRequest, finder: Finder): FoundRequest {
  const { matches, family, digests, isAtKnownPath } = request;
  const { known, sources, target } = finder;
  const found = new Set(matches.map(({ executionId }) => executionId));
  const more = known.requests
    .holdersAmong(family.ids, digests, target.visible)
    .filter(({ executionId }) => !found.has(executionId))
    .filter(({ path }) => isKnownPath(path, sources.paths) === isAtKnownPath);
  const all = withoutBatches([...matches, ...more], known);
  const isSame = all.length === matches.length && all.every(({ executionId }) => found.has(executionId));
  return isSame ? request : refreshed({ ...request, matches: all }, finder);
}

/** The request after more executions were read. */
export const refreshed = (request: FoundRequest, finder: Finder): FoundRequest =>
  withHolders({ ...request, ...withFamily(request.matches, finder.known) }, finder);

function withFamily(
  all: readonly RememberedMatch[],
  known: VisibleHistory,
): Pick<FoundRequest, "matches" | "family"> {
  const matches = withoutBatches(all, known);
  const ids = matches.map(({ executionId }) => executionId);
  return { matches, family: ids.length === 0 ? NO_FAMILY : known.requests.family(ids.slice(0, MAX_MATCHES)) };
}

/** Where in a workflow an id is, ignoring positions in lists. */
const placeInWorkflow = ({ nodeName, path }: RememberedMatch): string =>
  [nodeName, ...keysOf(path)].join("\n");
/** Where in an execution an id is, ignoring positions in lists. */
const placeOf = (match: RememberedMatch): string => `${match.executionId}\n${placeInWorkflow(match)}`;
const idsOf = (matches: readonly RememberedMatch[]): string[] =>
  matches.map(({ executionId }) => executionId);

/**
 * Removes batches if the request continues below them: executions that hold several ids at the place of this one, or
 * got it back from what they called. Also removes a run of an error workflow that lists several ids, if others remain.
 */
function withoutBatches(
  found: readonly RememberedMatch[],
  known: VisibleHistory,
): readonly RememberedMatch[] {
  const { requests, executions } = known;
  const held = Map.groupBy(requests.correlationsOf(idsOf(found), "all"), placeOf);
  const matches = found.map((match) =>
    (held.get(placeOf(match))?.length ?? 0) > 1 ? { ...match, isOfSeveral: true } : match,
  );
  if (matches.length < 2) return matches;
  const gotBack = holdersOfAnswers(matches, known);
  const isBatch = ({ executionId, isOfSeveral = false }: RememberedMatch): boolean =>
    isOfSeveral || gotBack.has(executionId);
  const below = matches.filter((match) => !isBatch(match));
  if (below.length === 0 || below.length === matches.length) return matches;
  const above = new Set(requests.family(idsOf(below).slice(0, MAX_MATCHES)).ids);
  const batches = executions.withIds(idsOf(matches.filter(isBatch)));
  for (const { id, mode } of batches) if (mode === "error") above.add(id);
  return matches.filter((match) => !isBatch(match) || !above.has(match.executionId));
}

/**
 * Executions that hold the id only in the result of a node that called several executions, each for another id at the
 * same place: the answer of a sub-workflow often repeats its id. n8n names no node for a canceled call that was caught.
 */
function holdersOfAnswers(
  matches: readonly RememberedMatch[],
  { requests, executions }: VisibleHistory,
): ReadonlySet<string> {
  const places = new Map(matches.map((match) => [match.executionId, placeInWorkflow(match)]));
  const calls = Map.groupBy(requests.callsAt(matches), ({ callerId }) => callerId);
  const isAnswered = ([, called]: [string, readonly RememberedCall[]]): boolean => {
    const there = called.filter(({ isNamed }) => isNamed === 1);
    const asked = new Set(there.flatMap(({ childId }) => places.get(childId) ?? []));
    const others = called
      .map(({ childId }) => childId)
      .filter((id) => !places.has(id))
      .slice(0, MAX_MATCHES);
    if (asked.size === 0 || others.length === 0) return false;
    return requests.correlationsOf(others, "all").some((one) => asked.has(placeInWorkflow(one)));
  };
  const holding = new Set([...calls].filter(isAnswered).map(([callerId]) => callerId));
  if (holding.size === 0) return holding;
  // A retry inherits returned results, but for a caught call only the retried execution names the node.
  const tries = executions.withIds([...places.keys()]).sort((a, b) => newestFirst(b.id, a.id));
  for (const { id, retryOf } of tries) if (retryOf !== null && holding.has(retryOf)) holding.add(id);
  return holding;
}

/** If there are more matches than can be followed, failures come first: sending an id often cannot hide one. */
export function failuresFirst(request: FoundRequest, known: VisibleHistory): FoundRequest {
  if (!request.family.isCut) return request;
  const places = new Map(request.matches.map((match) => [match.executionId, match]));
  const ids = known.requests.failuresFirst([...places.keys()]);
  const matches = ids.flatMap((id) => places.get(id) ?? []);
  return { ...request, matches, family: known.requests.family(ids) };
}

/** Executions that hold the value, as far as the caller may know. */
export function visibleMatches(finder: Finder, window: TraceWindow): readonly RememberedMatch[] {
  const matches = matchesOf(finder, window);
  const isShown = ({ path }: RememberedMatch): boolean => isKnownPath(path, finder.sources.paths);
  return finder.target.visible === "all" ? matches : matches.filter(isShown);
}

const matchesOf = ({ known, digest, target }: Finder, window: TraceWindow): readonly RememberedMatch[] =>
  digest === null ? [] : known.requests.matchesOf(digest, window, target.visible);

const isKnownPath = (path: string, paths: ComparableIds): boolean => paths.matches(keysOf(path));

/** A request id takes precedence: the same value may also be a session id. */
function kindOf(matches: readonly RememberedMatch[], isKnown: boolean): FoundAs | null {
  const kinds = matches.map(({ path }) => kindOfPath(path, isKnown));
  return kinds.includes("requestId") ? "requestId" : (kinds[0] ?? null);
}

/** @param chain the requested execution and what caused it */
function matchesOfChain(
  chain: readonly string[],
  { known, sources: { paths }, target }: Finder,
  window: TraceWindow,
): Pick<FoundRequest, "matches" | "digests"> {
  const held = known.requests
    .correlationsOf(chain, target.visible)
    .filter(({ path }) => isKnownPath(path, paths) && kindOfPath(path, true) === "requestId");
  const gotBack = held.filter((one) =>
    holdersOfAnswers(known.requests.matchesOf(one.digest, window, target.visible), known).has(
      one.executionId,
    ),
  );
  const { digests, last } = nearestRequestIds(chain, held, gotBack);
  const found = digests
    .flatMap((digest) => known.requests.matchesOf(digest, window, target.visible))
    .filter(({ path }) => isKnownPath(path, paths));
  const asked = { executionId: last, nodeName: null, path: ASKED_BY_ID };
  const matches = new Map(found.map((match) => [match.executionId, match]));
  return { matches: found.length === 0 ? [asked] : [...matches.values()], digests };
}

/** The execution and what caused it, up to one that n8n does not keep, where nothing can be found. */
function causesOf(
  executionId: string,
  executions: readonly TracedExecution[],
  known: VisibleHistory,
): string[] {
  const index = new LinkIndex(executions);
  const chain = [executionId];
  const isNext = (id: string): boolean => !chain.includes(id) && !known.executions.isUnknown(id);
  for (let id = index.causeOf(executionId); id !== null && isNext(id); id = index.causeOf(id)) chain.push(id);
  return chain;
}

/**
 * The request ids of the first execution in the chain that has any, and the last execution that belongs to this one
 * request. An execution with many ids, or that got one of several back, is a batch: the request ends below it.
 * @param held request ids at known paths
 */
function nearestRequestIds(
  chain: readonly string[],
  held: readonly HeldCorrelation[],
  gotBack: readonly HeldCorrelation[],
): { readonly digests: readonly string[]; readonly last: string } {
  let [last = ""] = chain;
  for (const id of chain) {
    const own = held.filter(({ executionId }) => executionId === id);
    const byPath = Map.groupBy(own, placeOf);
    const single = [...byPath.values()]
      .flatMap((there) => (there.length === 1 ? there : []))
      .filter((one) => !gotBack.includes(one));
    if (single.length > 0) return { digests: [...new Set(single.map(({ digest }) => digest))], last: id };
    if (own.length > 0) break;
    last = id;
  }
  return { digests: [], last };
}
