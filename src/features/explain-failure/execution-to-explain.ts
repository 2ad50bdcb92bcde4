/**
 * Chooses which execution of a request to explain: where its failure began (in the first of several deliveries);
 * for a successful request, the first execution with a swallowed error; otherwise the one that decided the outcome.
 */
import { formOf } from "../../history/request-ids/request-forms.ts";
import { ObserverError } from "../../platform/errors.ts";
import { TIME_BUDGET_MS } from "../../platform/time-limits.ts";
import { deliveriesSentence, isCut } from "../deliveries.ts";
import { MAX_SCAN } from "../history-scan.ts";
import { orNull } from "../n8n-lookup.ts";
import { otherWorkflowsSentence } from "../other-workflows.ts";
import {
  buildTree,
  deepestFailure,
  isOnlyHandled,
  type RequestTree,
  sameIdNote,
  successesAmong,
  treeOf,
} from "../request-tree.ts";
import type { ToolContext } from "../tool-context.ts";

const ANY_TIME = { workflowId: null, startedAfter: null, startedBefore: null };

export interface TargetExecution {
  /** The execution to explain, then those to try if nothing is wrong with it. */
  readonly ids: readonly [string, ...string[]];
  /** How digits were interpreted, and how each of several deliveries ended. May be empty. */
  readonly remarks: string;
  /** Null if the history failed. */
  readonly tree: Promise<RequestTree | null>;
}

/** @throws ObserverError `TRACE_NOT_FOUND` if no execution holds the id, or an `N8N_…` code */
export async function executionOfRequest(requestId: string, context: ToolContext): Promise<TargetExecution> {
  const target = context.n8nUrls().executionIdIn(requestId);
  if (target !== undefined) return executionById(target, context);
  const found = await context.history().trace(
    {
      requestId,
      window: ANY_TIME,
      limit: MAX_SCAN,
      traceId: undefined,
      newTraceId: context.newTraceId,
      deep: false,
      timeBudgetMs: TIME_BUDGET_MS.usual,
      mayReadData: await context.maySeeData(null),
    },
    async (scanned, message) => await context.progress(scanned, message),
  );
  const tree = treeOf(found);
  const isKept = (executionId: string): boolean => !found.deleted.includes(executionId);
  const [swallowing] = successesAmong(tree, found.swallowing.filter(isKept));
  const id = (deepestFailure(tree) ?? swallowing ?? tree.deciding)?.id;
  if (id === undefined) throw notFound(requestId, found.coverage.complete);
  if (isOnlyHandled(tree.deciding)) throw onlyHandled(id);
  const isNumber = found.foundAs === "executionId" && formOf(requestId).value !== null;
  const taken = isNumber ? ` ${requestId} was taken as an execution id: no request id matches it.` : "";
  const other = sameIdNote(found.foundAs, found.requestedExecution, tree);
  const sent = deliveriesSentence(tree, found.foundAs, { ...found.coverage, isCut: isCut(found, tree) });
  return {
    ids: [id, ...otherSuccesses(tree, id).filter(isKept)],
    remarks: unseenRetrySentence(tree) + sent + otherWorkflowsSentence(found.otherWorkflows) + taken + other,
    tree: Promise.resolve(tree),
  };
}

export const executionById = (id: string, context: ToolContext): TargetExecution => ({
  ids: [id],
  remarks: "",
  tree: treeOfExecution(id, context),
});

/** Null if the history fails: the execution itself can still be explained. */
const treeOfExecution = async (id: string, { history }: ToolContext): Promise<RequestTree | null> =>
  await orNull(async () =>
    buildTree({ family: await history().familyOf(id), mentioning: [], matches: new Map() }),
  );

/** Other executions of a successful request that are examined: any of them may have gone wrong. */
const MAX_OTHERS = 3;

function otherSuccesses(tree: RequestTree, id: string): string[] {
  if (tree.outcome !== "success") return [];
  const retried = new Set(tree.nodes.flatMap(({ role, parentId }) => (role === "retry" ? parentId : [])));
  const others = tree.nodes.filter(
    (node) =>
      !tree.isIgnoredTestRun(node) && node.role !== "related" && node.id !== id && !retried.has(node.id),
  );
  return others.slice(0, MAX_OTHERS).map((node) => node.id);
}

function unseenRetrySentence({ deliveries: [first] }: RequestTree): string {
  const retryId = first?.unseenRetryId ?? null;
  if (retryId === null) return "";
  return ` n8n says that a retry of it succeeded (execution ${retryId}), which cannot be read.`;
}

const onlyHandled = (id: string): ObserverError =>
  new ObserverError(
    "EXECUTION_NOT_FOUND",
    "What failed is not kept, or may not be seen: only the run of its error workflow is known.",
    {
      field: "requestId",
      solution: `See what that run was told of the failure: get_execution(${JSON.stringify({ id })}).`,
    },
  );

function notFound(requestId: string, isWhole: boolean): ObserverError {
  const example = `trace_request(${JSON.stringify({ requestId })})`;
  return new ObserverError(
    "TRACE_NOT_FOUND",
    isWhole
      ? "No execution in n8n contains this request id."
      : "No execution with this request id was found yet.",
    { field: "requestId", solution: `See how far it looked, and continue from there: ${example}.` },
  );
}
