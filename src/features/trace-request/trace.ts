/**
 * "What happened to requestId X?", in words: what the history knows of it, with the failure that n8n tells, as a tree
 * and a sentence.
 */

import { reasonOf } from "../../executions/causes/explain.ts";
import { type Failure, failureOf, type OwnText, ownTextOf, toFailure } from "../../executions/failure.ts";
import { type FoundAs, formOf } from "../../history/request-ids/request-forms.ts";
import type { RequestIdPaths } from "../../history/request-ids/request-id-paths.ts";
import type { ErrorFacts } from "../../history/scan/stop-facts.ts";
import { ASKED_BY_ID } from "../../history/trace/find-matches.ts";
import type { HistoryCoverage, HistoryTrace, TraceQuery } from "../../history/trace/history-trace.ts";
import type { N8nClient } from "../../n8n/client.ts";
import { explanation } from "../../n8n/explanation-plans.ts";
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import { ObserverError } from "../../platform/errors.ts";
import { OVERTIME_MS } from "../../platform/time-limits.ts";
import { isCut } from "../deliveries.ts";
import {
  buildTree,
  type Delivery,
  deepestFailure,
  type Match,
  type Outcome,
  type RequestTree,
  swallowingOf,
  type TreeNode,
} from "../request-tree.ts";
import { type UnsavedWorkflow, unsavedWorkflows } from "../unsaved-workflows.ts";
import { outcomeSentence } from "./outcome-sentence.ts";
import { aboutWaiting, traceWaiting, type WaitDependencies } from "./waiting.ts";

export interface TraceDependencies extends WaitDependencies {
  readonly client: N8nClient;
  readonly paths: RequestIdPaths;
}

export interface TraceFailure extends Failure {
  readonly executionId: string;
  readonly workflowName: string | null;
}

/** A failure, and beside it what its error says in its own words: payload, to be shown to who may see it alone. */
interface ReadFailure {
  readonly failure: TraceFailure | null;
  readonly ownText: OwnText | null;
  /** Why, in one sentence; null where that is not known. */
  readonly reason: string | null;
}

export interface TraceCoverage extends HistoryCoverage {
  /** Published workflows that do not keep all executions; null where it was not asked, or n8n does not tell. */
  readonly unsavedWorkflows: readonly UnsavedWorkflow[] | null;
}

export interface TraceAnswer {
  readonly sentence: string;
  readonly requestId: string;
  readonly found: boolean;
  /** As what the id was found; null when it was not. */
  readonly foundAs: FoundAs | null;
  readonly outcome: Outcome;
  /** Where it began: the deepest sub-workflow that failed. */
  readonly failure: TraceFailure | null;
  /** What its error says in its own words: payload. */
  readonly ownText: OwnText | null;
  /** Each execution after the one that caused it. */
  readonly executions: readonly TreeNode[];
  /** Each time that it was sent, failures first. */
  readonly deliveries: readonly Delivery[];
  /** The execution whose status is the request's. */
  readonly decidingId: string | null;
  /** Ids of those of them that n8n has deleted since: what is told is what was known. */
  readonly deletedIds: readonly string[];
  readonly coverage: TraceCoverage;
  /** @see Reach */
  readonly isAtKnownPathsOnly: boolean;
  readonly waitedMs: number;
  readonly traceId: string;
  /** n8n's failure, when it ended the scan early. */
  readonly scanError: ErrorFacts | null;
  /** When all that was new was looked at last, ISO 8601; null before. */
  readonly asOf: string | null;
}

/**
 * @throws ObserverError `TRACE_NOT_FOUND`, `VALIDATION_ERROR`, or an `N8N_…` code when n8n failed before the
 * request was found; its details then have a `traceId` to go on with, if anything was read. Once the request
 * was found, n8n's failure is a part of the answer.
 */
export async function traceRequest(query: TraceQuery, dependencies: TraceDependencies): Promise<TraceAnswer> {
  const { client, paths } = dependencies;
  const waited = await traceWaiting(query, dependencies);
  const { found } = waited;
  const tree = treeOf(found, query.mayReadData ? null : paths);
  const deleted = new Set(found.deleted);
  const { failure, ownText, reason } = await failureOfTree(tree, deleted, client);
  const swallowed = await swallowedIn(tree, found.swallowing, client);
  const isRead = found.stop.reason === "complete";
  const coverage = {
    ...found.coverage,
    unsavedWorkflows: tree.deciding === null && isRead ? await unsavedWorkflows(client) : null,
  };
  const foundAs = tree.deciding === null ? null : found.foundAs;
  const { requestId, isAtKnownPathsOnly, askedExecution } = found;
  const asked = { text: requestId, foundAs, form: formOf(requestId), execution: askedExecution };
  const deletedIds = tree.nodes.map(({ id }) => id).filter((id) => deleted.has(id));
  return {
    sentence:
      outcomeSentence(asked, tree, failure?.nodeName ?? null, {
        ...coverage,
        isAtKnownPathsOnly,
        isCut: isCut(found, tree),
      }) +
      (reason === null ? "" : ` ${reason}`) +
      swallowed +
      deletedSince(tree, deletedIds) +
      aboutWaiting(waited),
    requestId,
    foundAs,
    found: tree.deciding !== null,
    // An answer that is not the last word does not sound like it.
    outcome: tree.outcome === "not_found" && !isRead ? "not_found_yet" : tree.outcome,
    failure,
    ownText,
    executions: tree.nodes,
    deliveries: tree.deliveries,
    deletedIds,
    decidingId: tree.deciding?.id ?? null,
    coverage,
    isAtKnownPathsOnly,
    waitedMs: waited.waitedMs,
    traceId: found.traceId,
    scanError: found.stop.reason === "n8n" ? found.stop.error : null,
    asOf: found.asOf,
  };
}

/** Of a request that succeeded: what failed in it all the same. One execution is read for it, and none where all went well. */
async function swallowedIn(
  tree: RequestTree,
  swallowing: readonly string[],
  client: N8nClient,
): Promise<string> {
  const [first, ...others] = swallowingOf(tree, swallowing);
  if (first === undefined) return "";
  const more = others.length === 0 ? "" : ` So it was in ${counted(others.length, "more execution")}.`;
  const where = `execution ${first.id} of ${quoted(first.workflowName ?? first.workflowId)}`;
  try {
    const execution = await client.readExecution(first.id, explanation(), {
      timeoutMs: OVERTIME_MS.failingNode,
    });
    return ` But in ${where}: ${reasonOf(execution) ?? "what a node sent holds an error, which may be ordinary data."}${more}`;
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return ` But in ${where} an error was swallowed; it could not be read again.${more}`;
  }
}

/** @param paths of a caller who may see no payload, in which keys of it are hidden; else null */
function treeOf(found: HistoryTrace, paths: RequestIdPaths | null): RequestTree {
  const toMatch = (kind: Match["kind"], { nodeName, path }: Omit<Match, "kind">): Match => ({
    kind,
    nodeName,
    path: path === ASKED_BY_ID || paths === null ? path : paths.withoutPayload(path),
  });
  const matches = new Map<string, Match>([
    ...found.mentions.map((place) => [place.executionId, toMatch("mentioned", place)] as const),
    ...found.matches.map((place) => [place.executionId, toMatch("exact", place)] as const),
  ]);
  return buildTree({ family: found.family, mentioning: found.mentioning, matches });
}

function deletedSince(tree: RequestTree, deletedIds: readonly string[]): string {
  if (deletedIds.length === 0) return "";
  const all = tree.nodes.length === deletedIds.length;
  return all
    ? " n8n has deleted it since: this is what was known, its data is gone."
    : ` n8n has deleted ${deletedIds.length} of its executions since: their data is gone.`;
}

async function failureOfTree(
  tree: RequestTree,
  deleted: ReadonlySet<string>,
  client: N8nClient,
): Promise<ReadFailure> {
  const node = deepestFailure(tree);
  if (node === null) return { failure: null, ownText: null, reason: null };
  const { id: executionId, workflowName } = node;
  const unread = (sentence: string): ReadFailure => ({
    failure: { executionId, workflowName, ...toFailure(null, undefined, sentence) },
    ownText: null,
    reason: null,
  });
  if (deleted.has(executionId)) return unread("The execution failed; n8n has deleted its data since.");
  try {
    const execution = await client.readExecution(executionId, explanation(), {
      timeoutMs: OVERTIME_MS.failingNode,
    });
    const failure = failureOf(execution);
    if (failure === null) return unread("The execution failed; n8n has no error for it.");
    return {
      failure: { executionId, workflowName, ...failure },
      ownText: ownTextOf(execution),
      reason: reasonOf(execution),
    };
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return unread(`The failed execution could not be read again: ${error.message}`);
  }
}
