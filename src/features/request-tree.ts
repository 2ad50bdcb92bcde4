/** Builds the tree of a request from the history, and answers questions about it: order, outcome, what failed. Pure. */
import { executionRequestId, type FoundAs } from "../history/request-ids/request-forms.ts";
import type { RequestIdPaths } from "../history/request-ids/request-id-paths.ts";
import { LinkIndex } from "../history/store/family.ts";
import type { TracedExecution } from "../history/store/traced-execution.ts";
import { ASKED_BY_ID } from "../history/trace/find-matches.ts";
import type { HistoryTrace } from "../history/trace/history-trace.ts";
import { INFERRED_CALL, toNode } from "./request-causes.ts";
import {
  ancestorsOfAll,
  carriersIn,
  type Delivery,
  deliveriesOf,
  isInTestRun,
} from "./request-deliveries.ts";
import {
  type Match,
  OUTCOME_OF,
  type Outcome,
  oldestFirst,
  type TreeNode,
  type TreeParts,
} from "./request-node.ts";

export interface RequestTree {
  /** Each execution follows the one that caused it, oldest first; mentions come last. */
  readonly nodes: readonly TreeNode[];
  /** Failures first; within an outcome, the newest delivery to the workflow that failed first. */
  readonly deliveries: readonly Delivery[];
  /** The execution that decides the outcome: that of the first delivery. */
  readonly deciding: TreeNode | null;
  readonly outcome: Outcome;
  /** False for a batch that sent the request, for the batch's other executions, and for what was only tried out. */
  readonly isPart: (node: TreeNode) => boolean;
  /** Executions that started the request without being part of it. */
  readonly ancestors: readonly TreeNode[];
  /** True for runs in n8n's editor and what they called, which do not count beside production runs. */
  readonly isIgnoredTestRun: (node: TreeNode) => boolean;
}

/** Puts each node after its cause. A cycle of links, which n8n never makes, begins with its oldest execution. */
function inTreeOrder(nodes: readonly TreeNode[]): TreeNode[] {
  const ids = new Set(nodes.map((node) => node.id));
  const hasCauseHere = (node: TreeNode): boolean => node.parentId !== null && ids.has(node.parentId);
  const children = Map.groupBy(nodes, (node) => (hasCauseHere(node) ? node.parentId : null));
  const childrenOf = (id: string | null): TreeNode[] => (children.get(id) ?? []).sort(oldestFirst).reverse();
  const ordered = new Map<string, TreeNode>();
  const open = [...nodes.toSorted(oldestFirst).reverse(), ...childrenOf(null)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (ordered.has(node.id)) continue;
    ordered.set(node.id, node);
    open.push(...childrenOf(node.id));
  }
  return [...ordered.values()];
}

/** Finds where a failure began: the deepest failed sub-workflow below the failed execution. */
export const deepestFailure = (tree: RequestTree): TreeNode | null =>
  tree.outcome === "error" && !isOnlyHandled(tree.deciding) ? deepestOf(tree, ["error"]) : null;

/** Whether a failure is known only by its error workflow's run. */
export const isOnlyHandled = (deciding: TreeNode | null): boolean => deciding?.role === "error_handler";

/** Finds what a waiting execution waits for: the deepest sub-workflow below it that has not ended. */
export const deepestUnfinished = (tree: RequestTree): TreeNode | null =>
  deepestOf(tree, ["waiting", "running", "queued"]);

function deepestOf(tree: RequestTree, outcomes: readonly Outcome[]): TreeNode | null {
  if (tree.deciding === null) return null;
  let deepest = tree.deciding;
  const seen = new Set([deepest.id]);
  for (;;) {
    const below = tree.nodes
      .filter((node) => node.parentId === deepest.id && node.role === "sub_workflow" && !seen.has(node.id))
      // An agent continues when one of its tools fails, so the result of a called server does not decide.
      .filter((node) => node.evidence !== INFERRED_CALL && outcomes.includes(OUTCOME_OF[node.status]))
      .filter((node) => !node.callerContinued)
      .sort(oldestFirst)
      .at(-1);
    if (below === undefined) return deepest;
    deepest = below;
    seen.add(deepest.id);
  }
}

/** A successful request's own executions among `ids`, such as those that swallowed an error. */
export function successesAmong({ nodes, outcome, isPart }: RequestTree, ids: readonly string[]): TreeNode[] {
  if (outcome !== "success") return [];
  return nodes.filter((node) => isPart(node) && ids.includes(node.id));
}

/** Sub-workflows that did not succeed, although their callers went on or did not wait for them, by outcome. */
export function unsuccessfulCalls(tree: RequestTree): ReadonlyMap<Outcome, readonly TreeNode[]> {
  const byId = new Map(tree.nodes.map((node) => [node.id, node]));
  const deciding = new Set(tree.deliveries.flatMap(({ node, carrierId }) => [node.id, carrierId]));
  const isRetried = (id: string): boolean =>
    tree.nodes.some((node) => node.role === "retry" && node.parentId === id && node.status === "success");
  const isCauseOfFailure = ({ parentId, callerContinued }: TreeNode): boolean => {
    const caller = byId.get(parentId ?? "");
    const ancestorContinued = callerContinued && caller !== undefined && tree.ancestors.includes(caller);
    return OUTCOME_OF[caller?.status ?? "success"] === "error" && !ancestorContinued;
  };
  const isReported = (node: TreeNode): boolean =>
    deciding.has(node.id) || isRetried(node.id) || isCauseOfFailure(node);
  const calls = tree.nodes.filter((node) => node.role === "sub_workflow" && node.status !== "success");
  return Map.groupBy(
    calls.filter((node) => tree.isPart(node) && !isReported(node)),
    ({ status }) => OUTCOME_OF[status],
  );
}

/**
 * Builds the tree from the matches of a trace.
 * @param paths hides payload keys from a caller who may not see payload; otherwise null
 */
export function treeOf(
  found: Pick<HistoryTrace, "family" | "mentioning" | "matches" | "mentions"> &
    Partial<Pick<HistoryTrace, "foundAs" | "requestedExecution">>,
  paths: RequestIdPaths | null = null,
): RequestTree {
  const toMatch = (kind: Match["kind"], { nodeName, path, isOfSeveral }: Omit<Match, "kind">): Match => ({
    kind,
    nodeName,
    ...(isOfSeveral === true ? { isOfSeveral } : {}),
    path: path === ASKED_BY_ID || paths === null ? path : paths.withoutPayload(path),
  });
  const matches = new Map<string, Match>([
    ...found.mentions.map((place) => [place.executionId, toMatch("mentioned", place)] as const),
    ...found.matches.map((place) => [place.executionId, toMatch("exact", place)] as const),
  ]);
  const askedId = found.foundAs === "executionId" ? found.requestedExecution?.id : undefined;
  return buildTree({ ...found, matches, askedId });
}

export function buildTree(parts: TreeParts): RequestTree {
  const index = new LinkIndex([...parts.mentioning, ...parts.family]);
  const nodes = inTreeOrder(parts.family.map((execution) => toNode(execution, parts, index)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const links = { byId, index, askedId: parts.askedId };
  const all = carriersIn(links);
  const hasOnlyTestRuns = all.every((node) => isInTestRun(node, links));
  const isIgnoredTestRun = (node: TreeNode): boolean =>
    !hasOnlyTestRuns && byId.has(node.id) && isInTestRun(node, links);
  const carriers = all.filter((node) => !isIgnoredTestRun(node));
  const deliveries = deliveriesOf(carriers, parts.family, links);
  const ancestors = ancestorsOfAll(carriers, links);
  const ancestorIds = new Set([...ancestors].map(({ id }) => id));
  const related = { role: "related", parentId: null, evidence: "mentions the request id" } as const;
  const mentions = parts.mentioning
    .filter(({ id }) => !byId.has(id))
    .map((execution): TreeNode => ({ ...toNode(execution, parts, index), ...related }))
    .sort(oldestFirst);
  return {
    nodes: [...nodes, ...mentions],
    deliveries,
    deciding: deliveries[0]?.node ?? null,
    outcome: deliveries[0]?.outcome ?? "not_found",
    ancestors: [...ancestors],
    isIgnoredTestRun,
    isPart: (node) =>
      node.role !== "related" &&
      !ancestorIds.has(node.id) &&
      !isIgnoredTestRun(node) &&
      (node.match?.kind === "exact" || node.role === "sub_workflow" || !ancestorIds.has(node.parentId ?? "")),
  };
}

/** A sentence about an unrelated execution whose own id equals the request id. */
export function sameIdNote(
  foundAs: FoundAs | null,
  execution: TracedExecution | null,
  { nodes }: RequestTree,
): string {
  if (execution === null || foundAs === "executionId" || nodes.some(({ id }) => id === execution.id))
    return "";
  return ` Execution ${execution.id} is something else: "${executionRequestId(execution.id)}" asks for it.`;
}
