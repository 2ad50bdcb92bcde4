/**
 * Which executions are the request that someone asks for, by whatever they hold of it. A value at a known path
 * is the request id and comes first; then the execution whose id it is; then a value of custom data, for who may
 * see payload. Of an execution, its request is that of the nearest request id: its own, or its callers'.
 */

import type { ComparableIds } from "../request-ids/comparable-ids.ts";
import type { CorrelationDigest } from "../request-ids/correlation-digest.ts";
import { type FoundAs, kindOfPath, type RequestForm } from "../request-ids/request-forms.ts";
import { keysOf } from "../request-ids/request-id-paths.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import { LinkIndex } from "../store/family.ts";
import type { HeldCorrelation, KnownFamily, RememberedMatch, VisibleIds } from "../store/known-requests.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import type { TracedExecution } from "../store/traced-execution.ts";

export interface FoundRequest {
  /** Newest first. */
  readonly matches: readonly RememberedMatch[];
  /** What holds the value as custom data, beside a request that it is the id of. */
  readonly others: readonly RememberedMatch[];
  readonly family: KnownFamily;
  /** Null when nothing was found. */
  readonly foundAs: FoundAs | null;
}

export interface FindOptions {
  readonly store: ExecutionStore;
  readonly digest: CorrelationDigest;
  readonly paths: ComparableIds;
  /** Which ids the caller may learn of. */
  readonly visible: VisibleIds;
  readonly window: TraceWindow;
  readonly form: RequestForm;
  /** The execution that was asked for, once it is known to be there; else null. */
  readonly executionId: string | null;
  /** Reads what is linked to an execution, and gives all of it that is known then. */
  readonly readLinked: (executionId: string) => Promise<readonly TracedExecution[]>;
}

/** In place of a path, where the execution itself was asked for. */
export const ASKED_BY_ID = "execution id";
export const NO_FAMILY: KnownFamily = {
  ids: [],
  missing: [],
  isCut: false,
  executions: [],
  deleted: [],
  swallowing: [],
};

export async function findRequest(options: FindOptions): Promise<FoundRequest> {
  const { store, digest, paths, visible, window, form, executionId } = options;
  const { matches, family } =
    form.value === null
      ? { matches: [], family: NO_FAMILY }
      : store.requests.request(digest(form.value), window, visible);
  const known = matches.filter(({ path }) => isKnownPath(path, paths));
  const custom = visible === "all" ? matches.filter((match) => !known.includes(match)) : [];
  if (known.length > 0) {
    const isAll = known.length === matches.length;
    return {
      matches: known,
      others: custom,
      family: isAll ? family : store.requests.family(known.map(({ executionId: id }) => id)),
      foundAs: kindOf(known, true),
    };
  }
  if (executionId !== null) return { ...(await requestOfExecution(executionId, options)), others: custom };
  if (custom.length === 0) return { matches: [], others: [], family: NO_FAMILY, foundAs: null };
  return { matches: custom, others: [], family, foundAs: kindOf(custom, false) };
}

/** Of more than can be followed, failures come first: none is hidden by posting its id often. */
export function failuresFirst(request: FoundRequest, store: ExecutionStore): FoundRequest {
  if (!request.family.isCut) return request;
  const places = new Map(request.matches.map((match) => [match.executionId, match]));
  const ids = store.requests.failuresFirst([...places.keys()]);
  const matches = ids.flatMap((id) => places.get(id) ?? []);
  return { ...request, matches, family: store.requests.family(ids) };
}

/** What the caller may know of, before it is known what it is. */
export function visibleMatches(
  { store, digest, paths, visible, form }: Omit<FindOptions, "window" | "executionId" | "readLinked">,
  window: TraceWindow,
): readonly RememberedMatch[] {
  if (form.value === null) return [];
  const matches = store.requests.matchesOf(digest(form.value), window, visible);
  return visible === "all" ? matches : matches.filter(({ path }) => isKnownPath(path, paths));
}

const isKnownPath = (path: string, paths: ComparableIds): boolean => paths.matches(keysOf(path));

/** A request id before all: that of a request may be a session's as well. */
function kindOf(matches: readonly RememberedMatch[], isKnown: boolean): FoundAs | null {
  const kinds = matches.map(({ path }) => kindOfPath(path, isKnown));
  return kinds.includes("requestId") ? "requestId" : (kinds[0] ?? null);
}

async function requestOfExecution(
  executionId: string,
  options: FindOptions,
): Promise<Omit<FoundRequest, "others">> {
  const { store, window, visible } = options;
  const chain = causesOf(executionId, await options.readLinked(executionId));
  const { digests, last } = nearestRequestIds(
    chain,
    store.requests.correlationsOf(chain, visible),
    options.paths,
  );
  const found = new Map<string, RememberedMatch>();
  for (const digest of digests)
    for (const match of store.requests.matchesOf(digest, window, visible))
      if (isKnownPath(match.path, options.paths)) found.set(match.executionId, match);
  const matches =
    found.size > 0 ? [...found.values()] : [{ executionId: last, nodeName: null, path: ASKED_BY_ID }];
  const family = store.requests.family(matches.map(({ executionId: id }) => id));
  return { matches, family, foundAs: "executionId" };
}

/** The execution, what caused it, what caused that, and so on. */
function causesOf(executionId: string, executions: readonly TracedExecution[]): string[] {
  const index = new LinkIndex(executions);
  const chain = [executionId];
  for (let id = index.causeOf(executionId); id !== null && !chain.includes(id); id = index.causeOf(id))
    chain.push(id);
  return chain;
}

interface NearestIds {
  readonly digests: readonly string[];
  /** The last execution of the chain that belongs to the one request. */
  readonly last: string;
}

/** Up to the first that has request ids. One that has many is a batch: the request ends below it. */
function nearestRequestIds(
  chain: readonly string[],
  held: readonly HeldCorrelation[],
  paths: ComparableIds,
): NearestIds {
  let [last = ""] = chain;
  for (const id of chain) {
    const own = held.filter(
      ({ executionId, path }) =>
        executionId === id && isKnownPath(path, paths) && kindOfPath(path, true) === "requestId",
    );
    const byPath = Map.groupBy(own, ({ path }) => keysOf(path).join("."));
    const single = [...byPath.values()].flatMap((there) => (there.length === 1 ? there : []));
    if (single.length > 0) return { digests: [...new Set(single.map(({ digest }) => digest))], last: id };
    if (own.length > 0) return { digests: [], last };
    last = id;
  }
  return { digests: [], last };
}
