/**
 * Writes the sentence that answers the question. It holds names and ids, never payload: error messages may contain other
 * people's text, so they stay in the data. Pure.
 */
import { WAITS_FOR_SUB_WORKFLOW } from "../../executions/links.ts";
import type { FoundAs, RequestForm } from "../../history/request-ids/request-forms.ts";
import { MAX_MENTIONS } from "../../history/resuming/trace-state.ts";
import { MAX_FAMILY } from "../../history/store/family.ts";
import type { TracedExecution } from "../../history/store/traced-execution.ts";
import type { HistoryCoverage, HistoryTrace } from "../../history/trace/history-trace.ts";
import type { UnsavedWorkflow } from "../../n8n/unsaved-workflows.ts";
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import { isNewer } from "../../platform/id-order.ts";
import { type DeliveriesCoverage, deliveriesSentence, laterSuccess, OUTCOME_WORDS } from "../deliveries.ts";
import { storedNumberSentence } from "../history-scan.ts";
import { countPrefix, queueName } from "../queue-sentence.ts";
import { OUTCOME_OF, type TreeNode } from "../request-node.ts";
import {
  deepestFailure,
  deepestUnfinished,
  isOnlyHandled,
  type RequestTree,
  sameIdNote,
  unsuccessfulCalls,
} from "../request-tree.ts";

interface IdentifiedValue {
  readonly text: string;
  readonly form: RequestForm;
  /** Null when it was not found. */
  readonly foundAs: FoundAs | null;
  /** The execution with this id, whatever the value was identified as. */
  readonly execution: TracedExecution | null;
}

function subjectOf({ text, form, foundAs }: IdentifiedValue): string {
  switch (foundAs) {
    case "executionId":
      return `The request of execution ${form.executionId}`;
    case "sessionId":
      return `The request of session ${quoted(text)}`;
    case "traceId":
      return `The request of trace ${quoted(form.value ?? text)}`;
    case "customData":
      return `The execution with the custom data ${quoted(text)}`;
    default:
      return `Request ${quoted(text)}`;
  }
}

const executionIn = (node: TreeNode): string =>
  `${quoted(node.workflowName ?? node.workflowId)} (execution ${node.id})`;

/** Empty if there are none. */
function count(
  { nodes }: RequestTree,
  isCounted: (node: TreeNode) => boolean,
  one: string,
  many?: string,
): string[] {
  const { length } = nodes.filter(isCounted);
  const atLeast = nodes.length >= MAX_FAMILY ? "at least " : "";
  return length === 0 ? [] : [`${atLeast}${counted(length, one, many)}`];
}

function relatedRuns(tree: RequestTree, doubtfulId: string | null): string {
  const isHandler = (node: TreeNode): boolean => node.role === "error_handler" && concernsRequest(node, tree);
  const failed = count(
    tree,
    (one) => isHandler(one) && OUTCOME_OF[one.status] === "error",
    "failed",
    "failed",
  );
  const parts = [
    ...count(tree, ({ role }) => role === "sub_workflow", "sub-workflow run").map(
      (runs) => `${runs}${unsuccessful(tree)}`,
    ),
    ...count(tree, isHandler, "error-handler run").map((runs) =>
      [runs, ...failed.map((one) => `(${one})`)].join(" "),
    ),
    ...count(tree, (one) => one.role === "retry" && concernsRequest(one, tree), "retry", "retries"),
  ];
  return (parts.length === 0 ? "" : ` With ${parts.join(", ")}.`) + notCounted(tree, doubtfulId);
}

/** False for the retry or error handler of an ancestor, such as a batch, that did not fail because of the request. */
function concernsRequest(node: TreeNode, { isPart, nodes }: RequestTree): boolean {
  const isFailedCall = ({ parentId, role, status, callerContinued }: TreeNode): boolean =>
    parentId === node.parentId && role === "sub_workflow" && status !== "success" && !callerContinued;
  return isPart(node) || nodes.some(isFailedCall);
}

/** Which executions with the id do not count as deliveries, and why the deciding one may be misleading. */
function notCounted(tree: RequestTree, doubtfulId: string | null): string {
  const { deliveries, deciding, outcome } = tree;
  const carriers = new Set(deliveries.map(({ carrierId }) => carrierId));
  const parts = [
    ...count(
      tree,
      (one) => one.isTestRun && tree.isIgnoredTestRun(one),
      "run in n8n's editor",
      "runs in n8n's editor",
    ),
    ...count(
      tree,
      ({ id, holdsSeveralIds }) => holdsSeveralIds && !carriers.has(id),
      "run that lists other ids, too",
      "runs that list other ids, too",
    ),
  ];
  const editor = deciding?.isTestRun === true ? ` Execution ${deciding.id} ran in n8n's editor.` : "";
  const isDoubtful =
    deciding?.match?.isOfSeveral === true && (outcome === "error" || deciding.id === doubtfulId);
  const several = isDoubtful
    ? ` Execution ${deciding.id} lists other ids, too: what went wrong may concern those.`
    : "";
  return editor + several + (parts.length === 0 ? "" : ` Not counted: ${parts.join(", ")}.`);
}

/** Sub-workflows that did not succeed without deciding the outcome; empty if the request failed, which says enough. */
function unsuccessful(tree: RequestTree): string {
  if (tree.outcome === "error") return "";
  const counts = [...unsuccessfulCalls(tree)].flatMap(([outcome, [first, ...others]]) => {
    const more = others.length === 0 ? "" : " and others";
    const count = `${others.length + 1} ${OUTCOME_WORDS[outcome] ?? outcome}`;
    return first === undefined ? [] : [`${count}: ${executionIn(first)}${more}`];
  });
  return counts.length === 0 ? "" : ` (${counts.join("; ")})`;
}

/** n8n links no HTTP request to what it started: only the times suggest that one workflow sent it to another. */
function perhapsSentBy({ nodes, deliveries }: RequestTree): string {
  if (deliveries.length < 2) return "";
  const isDuring = (time: string, { startedAt, stoppedAt }: TreeNode): boolean =>
    startedAt !== null && startedAt <= time && (stoppedAt === null || time <= stoppedAt);
  const carriers = new Set(deliveries.map(({ carrierId }) => carrierId));
  for (const one of nodes.filter(({ id, role }) => role === "entry" && carriers.has(id))) {
    const sender = nodes.findLast(
      (node) =>
        node.workflowId !== one.workflowId && isNewer(one.id, node.id) && isDuring(one.startedAt ?? "", node),
    );
    if (sender !== undefined)
      return ` ${executionIn(one)} began while ${executionIn(sender)} ran, which may have sent it.`;
  }
  return "";
}

const STATUS_WORDS: Readonly<Partial<Record<TreeNode["status"], string>>> = {
  error: "failed",
  crashed: "crashed",
  canceled: "was canceled",
};

/** Names an unsuccessful ancestor: while one runs, it is not known yet whether it is part of the request. */
function startedBy({ ancestors, nodes, outcome }: RequestTree): string {
  const isRetried = (id: string): boolean =>
    nodes.some(({ role, parentId }) => role === "retry" && parentId === id);
  const failed = ancestors.filter(({ id, status }) => status !== "success" && !isRetried(id));
  const node = outcome === "error" ? undefined : failed[0];
  if (node === undefined) return "";
  const state = STATUS_WORDS[node.status] ?? `is not known to have succeeded (${node.status})`;
  return ` ${executionIn(node)}, which started it, ${state}.`;
}

/** Nodes of many kinds wait: for a time, a call, a form or an approval. */
const NOT_RESUMED = "has not been resumed yet";
const WAITING_CLAUSES: Readonly<Record<string, string>> = {
  waiting: `which ${NOT_RESUMED}`,
  new: "which has not begun",
};
function waitsFor(tree: RequestTree, deciding: TreeNode, isExplained: boolean): string {
  const below = deepestUnfinished(tree) ?? deciding;
  const { waitTill } = deciding;
  const isOwnWait = waitTill !== null && waitTill < WAITS_FOR_SUB_WORKFLOW;
  if (below.id !== deciding.id && !isOwnWait)
    return ` for its sub-workflow ${executionIn(below)}, ${WAITING_CLAUSES[below.status] ?? "which is still running"}`;
  if (isExplained) return "";
  // The limit of a wait for a call or an approval looks like the end of a wait for a time.
  if (isOwnWait) return ` until ${waitTill} at the latest`;
  return waitTill?.startsWith(WAITS_FOR_SUB_WORKFLOW) ? " for its sub-workflow" : `: it ${NOT_RESUMED}`;
}

const unknownEnd = ({ stoppedAt }: TreeNode, where: string): string =>
  stoppedAt === null
    ? `has not ended in ${where}: its status is unknown to this server`
    : `ended at ${stoppedAt} in ${where}, with a status that is unknown to this server: whether it succeeded is not known`;

function outcomeClause(
  tree: RequestTree,
  deciding: TreeNode,
  failedNode: string | null,
  { isWaitExplained, queue }: TraceCoverage,
): string {
  const where = executionIn(deciding);
  const unseenRetryId = tree.deliveries[0]?.unseenRetryId ?? null;
  const again = deciding.role === "retry" ? " on its last retry" : "";
  switch (tree.outcome) {
    case "success":
      if (unseenRetryId !== null)
        return `${STATUS_WORDS[deciding.status] ?? "failed"} in ${where}, and n8n says that a retry of it succeeded (execution ${unseenRetryId}), which cannot be read`;
      return `succeeded${again} in ${where}${afterMs(deciding)}`;
    case "error": {
      if (isOnlyHandled(deciding))
        return `failed: its error workflow ran in ${where}, and what failed is not kept or may not be seen`;
      const origin = deepestFailure(tree) ?? deciding;
      const node = failedNode === null ? "" : ` at node ${quoted(failedNode)}`;
      const through = origin.id === deciding.id ? "" : `, called from ${where}`;
      return `failed${again}${node} in ${executionIn(origin)}${through}`;
    }
    case "waiting":
      return `is waiting in ${where}${waitsFor(tree, deciding, isWaitExplained)}`;
    case "queued":
      return `has not begun in ${where}: ${queued(deciding, queue)}`;
    case "unknown":
      return unknownEnd(deciding, where);
    case "running":
      return `is still running in ${where}`;
    default:
      return `was canceled in ${where}`;
  }
}

/** n8n retries what waits, too: then both may go on, and what follows is done twice. */
function retriedOriginalClause({ nodes }: Pick<RequestTree, "nodes">, { role, parentId }: TreeNode): string {
  const original = role === "retry" ? nodes.find(({ id }) => id === parentId) : undefined;
  if (original === undefined) return "";
  const state = { success: "succeeded, too", waiting: "still waits, and may continue, too" }[
    String(original.status)
  ];
  return state === undefined
    ? retriedOriginalClause({ nodes }, original)
    : `; execution ${original.id}, which it retries, ${state}`;
}

const afterMs = ({ durationMs }: TreeNode): string => (durationMs === null ? "" : ` after ${durationMs} ms`);

function queued({ id, acceptedAt }: TreeNode, queue: HistoryTrace["queue"]): string {
  const where = queueName(queue ?? { seenAt: null });
  const waits = acceptedAt ? `has been waiting ${where} since ${acceptedAt}` : `waits ${where}`;
  const before = queue === null || queue.seenAt === null ? 0 : (queue.before[id] ?? 0);
  const others = before === 0 ? "" : `, with ${counted(before, "execution")} ahead of it`;
  return `it ${waits}${others}`;
}

interface TraceCoverage
  extends DeliveriesCoverage,
    Pick<HistoryCoverage, "scannedExecutions" | "gaps" | "oldestId" | "searchedForMentions"> {
  /** Places that were not searched. */
  readonly skipped: readonly unknown[];
  /** Published workflows that do not save all executions; null if unknown. */
  readonly unsavedWorkflows: readonly UnsavedWorkflow[] | null;
  /** A success in which something went wrong. */
  readonly doubtfulId: string | null;
  /** True when the caller may not see payload: then the id is only compared with values at known paths. */
  readonly isAtKnownPathsOnly: boolean;
  /** Executions that wait to start; null when none does. */
  readonly queue: HistoryTrace["queue"];
  /** True when a sentence follows that says what the request waits for, and until when. */
  readonly isWaitExplained: boolean;
}

function searchedSentence(coverage: TraceCoverage): string {
  const { scannedExecutions, from, to, skipped } = coverage;
  const isRead = coverage.stoppedBy === "complete";
  if (scannedExecutions === 0 && isRead)
    return `There are no executions in this window that this key may see (since n8n 2.41, its role needs execution:read in the project).${missing(coverage)}`;
  const window = from === null ? "" : ` from ${from} to ${to}`;
  const end = isRead
    ? "the whole window was read"
    : coverage.stoppedBy === "queue"
      ? `all that began was read, but ${unreadOf(coverage)} in n8n's queue not yet`
      : coverage.stoppedBy === "running"
        ? "not all running executions were read yet"
        : "the rest of the window was not read yet";
  const unseen = skipped.length > 0 ? " Not everything could be read." : "";
  const notThere = isRead ? missing(coverage) : "";
  return `Looked at ${counted(scannedExecutions, "execution")}${window}; ${end}.${unseen}${notThere}${mentionCoverage(coverage)}`;
}

const unreadOf = ({ queue }: TraceCoverage): string =>
  queue === null ? "executions" : `${countPrefix(queue)}${counted(queue.unread, "execution")}`;

const missing = (coverage: TraceCoverage): string =>
  `${pruned(coverage)}${unkept(coverage)} Runs of n8n's Agents module are in no list.`;

function pruned({ oldestId, from }: TraceCoverage): string {
  if (oldestId === null || oldestId === "1") return "";
  const since = from === null ? "" : ` of ${from}`;
  return ` n8n keeps nothing before execution ${oldestId}${since}.`;
}

function unkept({ gaps, unsavedWorkflows }: TraceCoverage): string {
  const holes =
    gaps === null || gaps === 0
      ? ""
      : ` ${counted(gaps, "id")} in between ${gaps === 1 ? "is a gap" : "are gaps"}: executions that were deleted, pruned or never saved, or that this key may not see.`;
  const [first, ...others] = unsavedWorkflows ?? [];
  if (first === undefined) return holes;
  const which = first.unsaved === "all" ? "saves no" : `saves no ${first.unsaved}`;
  const keeps =
    first.unsaved === "engine_v2" ? "runs on engine v2, and n8n's public API shows none of its" : which;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  const its = gaps === null || gaps === 0 ? "" : ": gaps may be its";
  return `${holes} Workflow ${quoted(first.workflowName)} ${keeps} executions${more}${its}.`;
}

function mentionCoverage({
  scannedExecutions,
  searchedForMentions,
  isAtKnownPathsOnly,
}: TraceCoverage): string {
  if (isAtKnownPathsOnly)
    return " Only values at known request-id paths were compared: searching elsewhere needs access to data.";
  const left = scannedExecutions - searchedForMentions;
  if (left <= 0) return "";
  return ` In ${counted(left, "execution")} only values at known request-id paths were compared, not all data.`;
}

export function outcomeSentence(
  value: IdentifiedValue,
  tree: RequestTree,
  failedNode: string | null,
  coverage: TraceCoverage,
): string {
  const { foundAs, form, execution } = value;
  const id = subjectOf(value);
  if (tree.deciding === null) {
    const mentions = tree.nodes.length;
    // Digits may also be the id of an execution.
    const noExecution =
      form.executionId === null || execution !== null
        ? ""
        : ` Nor is there an execution ${form.executionId}.`;
    const elsewhere =
      mentions === 0
        ? ""
        : ` It is mentioned in ${mentions < MAX_MENTIONS ? "" : "at least "}${counted(mentions, "execution")}, not at a known request-id path (setting REQUEST_ID_PATHS).`;
    const yet = coverage.stoppedBy === "complete" ? "" : " yet";
    return `${id} was not found${yet}.${storedNumberSentence(value.text)}${noExecution}${elsewhere} ${searchedSentence(coverage)}`;
  }
  const what = `${outcomeClause(tree, tree.deciding, failedNode, coverage)}${laterSuccess(tree.deliveries, foundAs)}${retriedOriginalClause(tree, tree.deciding)}.`;
  return `${id} ${what}${relatedRuns(tree, coverage.doubtfulId)}${startedBy(tree)}${deliveriesSentence(tree, foundAs, coverage)}${perhapsSentBy(tree)}${sameIdNote(foundAs, execution, tree)}`;
}
