/** Answers "What happened to requestId X?" from the history and the failed execution in n8n. */
import type { CloserLook } from "../../executions/closer-look.ts";
import { toFailure } from "../../executions/failure.ts";
import type { HistoryQueries } from "../../history/history-queries.ts";
import { formOf } from "../../history/request-ids/request-forms.ts";
import type { RequestIdPaths } from "../../history/request-ids/request-id-paths.ts";
import type { HistoryTrace, KnownRequest, TraceQuery } from "../../history/trace/history-trace.ts";
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import { orElse } from "../../platform/errors.ts";
import { TIME_BUDGET_MS } from "../../platform/time-limits.ts";
import { isCut, laterSuccessOf } from "../deliveries.ts";
import { orNull } from "../n8n-lookup.ts";
import { otherWorkflowsSentence } from "../other-workflows.ts";
import type { TreeNode } from "../request-node.ts";
import {
  deepestFailure,
  deepestUnfinished,
  type RequestTree,
  successesAmong,
  treeOf,
  unsuccessfulCalls,
} from "../request-tree.ts";
import { outcomeSentence } from "./outcome-sentence.ts";
import { continuedQuery, traceWaiting, type WaitDependencies, waitingSentence } from "./waiting.ts";

export interface TraceDependencies extends WaitDependencies {
  readonly paths: RequestIdPaths;
}

export type TraceAnswer = Awaited<ReturnType<typeof traceRequest>>;

/**
 * @throws ObserverError `TRACE_NOT_FOUND`, `VALIDATION_ERROR`, or an `N8N_…` code when n8n failed before the request was
 * found; the details then have a `traceId` to continue with, if anything was read. After the request was found, n8n's
 * failure is part of the answer.
 */
export async function traceRequest(query: TraceQuery, dependencies: TraceDependencies) {
  const { paths, history } = dependencies;
  const waited = await traceWaiting(query, dependencies);
  const withFailure = async (found: HistoryTrace) => {
    const tree = treeOf(found, query.mayReadData ? null : paths);
    return { found, tree, ...(await failureOfTree(tree, new Set(found.deleted), history)) };
  };
  const first = await withFailure(waited.found);
  // A failure does not change, but a retry that succeeded since shows only once its original is read again.
  const { found, tree, failure, ownText, reason, traceparent } = first.isRetried
    ? await orElse(
        async () => {
          const continuation = continuedQuery(query, waited.found, TIME_BUDGET_MS.least);
          return await withFailure(await history.trace(continuation, dependencies.progress));
        },
        () => first,
      )
    : first;
  const doubt = await doubtOf(tree, found, history);
  const isRead = found.coverage.stoppedBy === "complete";
  const coverage = {
    ...found.coverage,
    unsavedWorkflows:
      tree.deciding === null && isRead ? ((await history.unsavedWorkflows())?.named ?? null) : null,
  };
  const foundAs = tree.deciding === null ? null : found.foundAs;
  const { requestId, isAtKnownPathsOnly, requestedExecution, traceId, asOf, stop, queue } = found;
  const { otherWorkflows, endsAt } = found;
  const value = { text: requestId, foundAs, form: formOf(requestId), execution: requestedExecution };
  const { doubtfulId } = doubt;
  const isWaitExplained = reason !== null;
  const searched = {
    ...coverage,
    doubtfulId,
    isAtKnownPathsOnly,
    isCut: isCut(found, tree),
    queue,
    endsAt,
    isWaitExplained,
  };
  const deletedIds = tree.nodes.map(({ id }) => id).filter((id) => found.deleted.includes(id));
  return {
    sentence:
      outcomeSentence(value, tree, failure?.nodeName ?? null, searched) +
      (reason === null ? "" : ` ${reason}`) +
      doubt.sentence +
      otherWorkflowsSentence(otherWorkflows) +
      deletedSince(tree, deletedIds) +
      waitingSentence({ ...waited, found }),
    requestId,
    foundAs,
    traceId,
    scope: found.scope,
    coverage,
    isAtKnownPathsOnly,
    asOf,
    found: tree.deciding !== null,
    // A preliminary answer must not sound final.
    outcome: tree.outcome === "not_found" && !isRead ? ("not_found_yet" as const) : tree.outcome,
    /** Where the failure began: in the deepest failed sub-workflow. */
    failure,
    /** The error's own text: payload, only for callers who may see it. */
    ownText,
    /** n8n's, from an execution that was read anyway: no request is sent for it. */
    traceparent: traceparent ?? doubt.traceparent,
    executions: tree.nodes,
    otherWorkflows,
    deliveries: tree.deliveries,
    deletedIds,
    decidingId: tree.deciding?.id ?? null,
    /** What it waits for in the end: itself, or a sub-workflow. */
    waitingId: tree.outcome === "waiting" ? (deepestUnfinished(tree)?.id ?? null) : null,
    /** A success that is known to be wrong or looks odd. */
    doubtfulId,
    waitedMs: waited.waitedMs,
    stop,
  };
}

interface Doubt {
  readonly sentence: string;
  /** The execution in doubt. */
  readonly doubtfulId: string | null;
  readonly traceparent?: string | undefined;
}

/** Those of `ids` that are part of a successful request; if the request failed, only its later success. */
function doubtfulAmong(tree: RequestTree, ids: readonly string[]): readonly TreeNode[] {
  const later = laterSuccessOf(tree.deliveries)?.node;
  return later === undefined ? successesAmong(tree, ids) : [later].filter(({ id }) => ids.includes(id));
}

/**
 * Finds what went wrong in a success: in an execution known to have swallowed an error or to be wrong; if there is none,
 * in the first of a few that were not judged yet. The sentence is empty if nothing is found.
 */
async function doubtOf(tree: RequestTree, found: HistoryTrace, history: HistoryQueries): Promise<Doubt> {
  const isGone = ({ id }: TreeNode): boolean => found.deleted.includes(id);
  const [first, ...others] = doubtfulAmong(tree, found.swallowing).toSorted(
    (a, b) => Number(isGone(a)) - Number(isGone(b)),
  );
  if (first === undefined) {
    const unjudged = await unjudgedDoubt(doubtfulAmong(tree, found.unjudged), history);
    return { ...unjudged, doubtfulId: unjudged.doubtfulId ?? failedCallOf(tree)?.id ?? null };
  }
  const more =
    others.length === 0
      ? ""
      : ` Something went wrong in ${counted(others.length, "more execution")}, too: ${ids(others)}.`;
  const doubtfulId = isGone(first) ? null : first.id;
  const look = isGone(first) ? null : await orNull(async () => await history.lookCloser(first.id));
  const what =
    look === null
      ? " something went wrong; it could not be read again."
      : `: ${look.reason ?? "something in it may be wrong; its explanation says what is known."}`;
  return { sentence: ` But in ${placeOf(first)}${what}${more}`, doubtfulId, traceparent: look?.traceparent };
}

/** A failed sub-workflow of a successful request, whose caller went on or did not wait for it. */
const failedCallOf = (tree: RequestTree): TreeNode | undefined =>
  tree.outcome === "success" ? unsuccessfulCalls(tree).get("error")?.[0] : undefined;

const MAX_IDS = 3;
const ids = (nodes: readonly TreeNode[]): string => {
  const shown = nodes.slice(0, MAX_IDS).map(({ id }) => id);
  return shown.join(", ") + (nodes.length > MAX_IDS ? ", …" : "");
};

/** Each costs a request the first time. They are sent in parallel, as far as the limiter allows. */
const MAX_JUDGED = 3;

/** Ids of the executions that an answer about this request looks closer at, if n8n has nothing new about it. */
export function idsToLookAt(known: KnownRequest): string[] {
  const tree = treeOf({ ...known, mentioning: [], mentions: [] });
  const failed = deepestFailure(tree);
  if (failed !== null && known.deleted.includes(failed.id)) return [];
  if (failed !== null) return [failed, ...decidingAbove(failed, tree, known.deleted)].map(({ id }) => id);
  const swallowing = successesAmong(tree, known.swallowing);
  const doubtful =
    swallowing.length === 0
      ? successesAmong(tree, known.unjudged).slice(0, MAX_JUDGED)
      : swallowing.filter(({ id }) => !known.deleted.includes(id)).slice(0, 1);
  return doubtful.map(({ id }) => id);
}

async function unjudgedDoubt(unjudged: readonly TreeNode[], history: HistoryQueries): Promise<Doubt> {
  const lookAt = async ({ id }: TreeNode): Promise<Pick<CloserLook, "reason" | "observed">> =>
    await orElse(
      async () => await history.lookCloser(id),
      // It still counts as a success.
      () => ({ reason: null, observed: null }),
    );
  const seen = await Promise.all(
    unjudged.slice(0, MAX_JUDGED).map(async (node) => ({ node, ...(await lookAt(node)) })),
  );
  const wrong = seen.find(({ reason }) => reason !== null);
  if (wrong !== undefined)
    return { sentence: ` But in ${placeOf(wrong.node)}: ${wrong.reason}`, doubtfulId: wrong.node.id };
  const odd = seen.find(({ observed }) => observed !== null);
  if (odd === undefined) return { sentence: "", doubtfulId: null };
  const sentence = ` Observed in ${placeOf(odd.node)}, and perhaps intended: ${odd.observed}`;
  return { sentence, doubtfulId: odd.node.id };
}

const placeOf = ({ id, workflowName, workflowId }: TreeNode): string =>
  `execution ${id} of ${quoted(workflowName ?? workflowId)}`;

function deletedSince(tree: RequestTree, deletedIds: readonly string[]): string {
  if (deletedIds.length === 0) return "";
  return tree.nodes.length === deletedIds.length
    ? " n8n has deleted it since: this is what was known, its data is gone."
    : ` n8n has deleted ${deletedIds.length} of its executions since: their data is gone.`;
}

/** The deciding execution, if the failure began below it: n8n stores on it that a retry of it succeeded. */
const decidingAbove = (origin: TreeNode, { deciding }: RequestTree, deleted: readonly string[]) =>
  deciding === null || deciding.id === origin.id || deleted.includes(deciding.id) ? [] : [deciding];

const isRetriedSince = (node?: TreeNode, look?: Pick<CloserLook, "retrySuccessId"> | null): boolean =>
  node?.retrySuccessId === null && look != null && look.retrySuccessId !== null;

/** The failure, its own text, and a sentence about the cause, if known. */
async function failureOfTree(tree: RequestTree, deleted: ReadonlySet<string>, history: HistoryQueries) {
  const node = deepestFailure(tree);
  const unknown = { ownText: null, reason: null, isRetried: false, traceparent: undefined };
  const canceledId = tree.outcome === "canceled" ? tree.deciding?.id : undefined;
  if (node === null && canceledId !== undefined && !deleted.has(canceledId)) {
    const look = await orNull(async () => await history.lookCloser(canceledId));
    return { ...unknown, failure: null, reason: look?.reason ?? null };
  }
  const waiting = tree.outcome === "waiting" ? deepestUnfinished(tree) : null;
  if (waiting?.status === "waiting" && !deleted.has(waiting.id)) {
    const look = await orNull(async () => await history.lookCloser(waiting.id, waiting.stoppedAt ?? ""));
    const reason = look?.status === "waiting" ? look.reason : null;
    const where = waiting.id === tree.deciding?.id || reason === null ? "" : `In ${placeOf(waiting)}: `;
    return { ...unknown, failure: null, reason: reason && where + reason };
  }
  if (node === null) return { ...unknown, failure: null };
  const { id: executionId, workflowName } = node;
  const unread = (sentence: string) => ({
    ...unknown,
    failure: { executionId, workflowName, ...toFailure(null, undefined), message: sentence },
  });
  if (deleted.has(executionId)) return unread("The execution failed; n8n has deleted its data since.");
  return await orElse(
    async () => {
      const [caller] = decidingAbove(node, tree, [...deleted]);
      const [{ failure, observed, ...look }, ofCaller] = await Promise.all([
        history.lookCloser(executionId),
        caller && orNull(async () => await history.lookCloser(caller.id)),
      ]);
      const isRetried = isRetriedSince(node, look) || isRetriedSince(caller, ofCaller);
      if (failure === null) return unread("The execution failed; n8n has no error for it.");
      // An error's author may imitate n8n's own texts, so this is only a suggestion.
      const reason = observed === null ? look.reason : `Its data suggests: ${observed}`;
      return { ...look, reason, isRetried, failure: { executionId, workflowName, ...failure } };
    },
    ({ message }) => unread(`The failed execution could not be read again: ${message}`),
  );
}
