/**
 * The one sentence that already answers. It holds names and ids, never payload: error messages may
 * carry other people's text, and stay in the data. Pure.
 */

import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import { aboutDeliveries, type DeliveriesReach, sentAgain } from "../deliveries.ts";
import { deepestFailure, otherMeaning, type RequestTree, type TreeNode } from "../request-tree.ts";
import type { UnsavedWorkflow } from "../unsaved-workflows.ts";
import { type Asked, noExecution, subjectOf } from "./asked-words.ts";

const place = (node: TreeNode): string =>
  `${quoted(node.workflowName ?? node.workflowId)} (execution ${node.id})`;

function also(tree: RequestTree): string {
  const count = (role: TreeNode["role"]): number => tree.nodes.filter((node) => node.role === role).length;
  const parts = [
    count("sub_workflow") > 0 ? counted(count("sub_workflow"), "sub-workflow run") : "",
    count("error_handler") > 0 ? counted(count("error_handler"), "error-handler run") : "",
    count("retry") > 0 ? counted(count("retry"), "retry", "retries") : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : ` With ${parts.join(", ")}.`;
}

function decided(tree: RequestTree, deciding: TreeNode, failedNode: string | null): string {
  const where = place(deciding);
  const again = deciding.role === "retry" ? " on its last retry" : "";
  switch (tree.outcome) {
    case "success":
      return `succeeded${again} in ${where} after ${deciding.durationMs ?? 0} ms`;
    case "error": {
      const origin = deepestFailure(tree) ?? deciding;
      const node = failedNode === null ? "" : ` at node ${quoted(failedNode)}`;
      const through = origin.id === deciding.id ? "" : `, called from ${where}`;
      return `failed${again}${node} in ${place(origin)}${through}`;
    }
    case "waiting":
      return `is waiting in ${where}: a Wait node has not been resumed yet`;
    case "running":
      return `is still running in ${where}`;
    default:
      return `was canceled in ${where}`;
  }
}

/** How far it looked. */
export interface Reach extends DeliveriesReach {
  readonly scannedExecutions: number;
  /** Ids of the span under which n8n has nothing; null where it is not known. */
  readonly gaps: number | null;
  /** The oldest execution that n8n still has; null where it is not known. */
  readonly oldestId: string | null;
  /** Workflows that do not keep all executions; null where it was not asked. */
  readonly unsavedWorkflows: readonly UnsavedWorkflow[] | null;
  /** In how many the id was looked for beyond the known paths. */
  readonly searchedForMentions: number;
  /** Where the id may stand unseen. */
  readonly skipped: readonly unknown[];
  /** True when the caller may see no payload: then the id is compared with values at known paths, and nothing else. */
  readonly isAtKnownPathsOnly: boolean;
}

function searched(reach: Reach): string {
  const { scannedExecutions, from, to, skipped } = reach;
  const isRead = reach.stoppedBy === "complete";
  if (scannedExecutions === 0 && isRead) return `There are no executions in this window.${missing(reach)}`;
  const window = from === null ? "" : ` from ${from} to ${to}`;
  const end = isRead
    ? "the whole window was read"
    : "the rest of the window was not read yet; call again with the traceId to go on";
  const unseen =
    skipped.length > 0 ? ` Not everything could be looked at: coverage.skipped says what, and why.` : "";
  const notThere = isRead ? missing(reach) : "";
  return `Looked at ${counted(scannedExecutions, "execution")}${window}; ${end}.${unseen}${notThere}${mentionReach(reach)}`;
}

/** What n8n does not have, by its cause. */
function missing(reach: Reach): string {
  return `${pruned(reach)}${unkept(reach)} What waits in n8n's queue, and runs of its Agents module, are in no list.`;
}

function pruned({ oldestId, from }: Reach): string {
  if (oldestId === null || oldestId === "1") return "";
  const since = from === null ? "" : ` of ${from}`;
  return ` n8n keeps nothing before execution ${oldestId}${since}.`;
}

function unkept({ gaps, unsavedWorkflows }: Reach): string {
  const holes =
    gaps === null || gaps === 0
      ? ""
      : ` ${counted(gaps, "id")} in between ${gaps === 1 ? "is a gap" : "are gaps"}: executions that were deleted, pruned or never saved, or that this key may not see.`;
  const [first, ...others] = unsavedWorkflows ?? [];
  if (first === undefined) return holes;
  const which = first.unsaved === "all" ? "no" : `no ${first.unsaved}`;
  const more = others.length === 0 ? "" : `, and ${others.length} more (coverage.unsavedWorkflows)`;
  const its = gaps === null || gaps === 0 ? "" : ": gaps may be its";
  return `${holes} Workflow ${quoted(first.workflowName)} saves ${which} executions${more}${its}.`;
}

function mentionReach({ scannedExecutions, searchedForMentions, isAtKnownPathsOnly }: Reach): string {
  if (isAtKnownPathsOnly)
    return " Only values at known request-id paths were compared: elsewhere takes the scope n8n:data.";
  const left = scannedExecutions - searchedForMentions;
  if (left <= 0) return "";
  return ` In ${counted(left, "execution")} only values at known request-id paths were compared; deep: true looks everywhere.`;
}

export function outcomeSentence(
  asked: Asked,
  tree: RequestTree,
  failedNode: string | null,
  reach: Reach,
): string {
  const id = subjectOf(asked);
  if (tree.deciding === null) {
    const mentions = tree.nodes.length;
    const elsewhere =
      mentions === 0
        ? ""
        : ` It is mentioned in ${counted(mentions, "execution")}, not at a known request-id path (setting REQUEST_ID_PATHS).`;
    const yet = reach.stoppedBy === "complete" ? "" : " yet";
    return `${id} was not found${yet}.${noExecution(asked)}${elsewhere} ${searched(reach)}`;
  }
  const what = `${decided(tree, tree.deciding, failedNode)}${sentAgain(tree.deliveries)}.`;
  return `${id} ${what}${also(tree)}${aboutDeliveries(tree, asked.foundAs, reach)}${otherMeaning(asked.foundAs, asked.execution, tree)}`;
}
