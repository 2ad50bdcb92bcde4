/**
 * The one sentence that already answers. It holds names and ids, never payload: error messages may
 * carry other people's text, and stay in the data. Pure.
 */
import { displayName, quoted } from "../executions/display-name.ts";
import { deepestFailure, type RequestTree, type TreeNode } from "./tree.ts";

const place = (node: TreeNode): string =>
  `${quoted(node.workflowName ?? node.workflowId)} (execution ${node.id})`;

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function also(tree: RequestTree): string {
  const count = (role: TreeNode["role"]): number => tree.nodes.filter((node) => node.role === role).length;
  const parts = [
    count("sub_workflow") > 0 ? plural(count("sub_workflow"), "sub-workflow run") : "",
    count("error_handler") > 0 ? plural(count("error_handler"), "error-handler run") : "",
    count("retry") > 0 ? plural(count("retry"), "retry", "retries") : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : ` With ${parts.join(", ")}.`;
}

function decided(tree: RequestTree, deciding: TreeNode, failedNode: string | null): string {
  const where = place(deciding);
  const again = deciding.role === "retry" ? " on its last retry" : "";
  switch (tree.outcome) {
    case "success":
      return `succeeded${again} in ${where} after ${deciding.durationMs ?? 0} ms.`;
    case "error": {
      const origin = deepestFailure(tree) ?? deciding;
      const node = failedNode === null ? "" : ` at node ${quoted(failedNode)}`;
      const through = origin.id === deciding.id ? "" : `, called from ${where}`;
      return `failed${again}${node} in ${place(origin)}${through}.`;
    }
    case "waiting":
      return `is waiting in ${where}: a Wait node has not been resumed yet.`;
    case "running":
      return `is still running in ${where}.`;
    default:
      return `was canceled in ${where}.`;
  }
}

/** How far it looked. */
export interface Reach {
  readonly scannedExecutions: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly complete: boolean;
  /** In how many the id was looked for beyond the known paths. */
  readonly searchedForMentions: number;
  /** Where the id may stand unseen. */
  readonly skipped: readonly unknown[];
  /** True when the id was looked for at known paths alone, for how easily it is guessed. */
  readonly isAtKnownPathsOnly: boolean;
}

function searched(reach: Reach): string {
  const { scannedExecutions, from, to, complete, skipped } = reach;
  if (scannedExecutions === 0 && complete) return "There are no executions in this window.";
  const window = from === null ? "" : ` from ${from} to ${to}`;
  const end = complete
    ? "the whole window was read"
    : "the window was not read to its end; call again with the traceId to go on";
  const unseen =
    skipped.length > 0 ? ` Not everything could be looked at: coverage.skipped says what, and why.` : "";
  return `Looked at ${plural(scannedExecutions, "execution")}${window}; ${end}.${unseen}${mentionReach(reach)}`;
}

function mentionReach({ scannedExecutions, searchedForMentions, isAtKnownPathsOnly }: Reach): string {
  const left = scannedExecutions - searchedForMentions;
  if (left <= 0) return "";
  const where = ` In ${plural(left, "execution")} only values at known request-id paths were compared`;
  return isAtKnownPathsOnly
    ? `${where}: so short an id is easily guessed.`
    : `${where}; deep: true looks everywhere.`;
}

export function outcomeSentence(
  requestId: string,
  tree: RequestTree,
  failedNode: string | null,
  reach: Reach,
): string {
  const id = `Request "${displayName(requestId).replaceAll('"', "'")}"`;
  if (tree.deciding === null) {
    const mentions = tree.nodes.length;
    const elsewhere =
      mentions === 0
        ? ""
        : ` It is mentioned in ${plural(mentions, "execution")}, not at a known request-id path (setting REQUEST_ID_PATHS).`;
    return `${id} was not found.${elsewhere} ${searched(reach)}`;
  }
  const sent = tree.nodes.filter((node) => node.role === "entry" && node.match?.kind === "exact").length;
  const times = sent > 1 ? ` It was sent ${sent} times; this is the last.` : "";
  return `${id} ${decided(tree, tree.deciding, failedNode)}${also(tree)}${times}`;
}
