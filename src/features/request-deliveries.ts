/** How often a request was sent, and how each sending ended. Pure. */
import type { LinkIndex } from "../history/store/family.ts";
import type { TracedExecution } from "../history/store/traced-execution.ts";
import { isNewer } from "../platform/id-order.ts";
import { INFERRED_CALL } from "./request-causes.ts";
import { OUTCOME_OF, type Outcome, oldestFirst, rankOf, type TreeNode } from "./request-node.ts";

/** One sending of the request: an execution that holds the id, while none of its ancestors does. */
export interface Delivery {
  /** The execution that holds the id. */
  readonly carrierId: string;
  /** The carrier's last retry, or the carrier. Its status is the outcome, unless an unreadable retry succeeded. */
  readonly node: TreeNode;
  /** The unreadable retry that succeeded, whose id n8n names. */
  readonly unseenRetryId: string | null;
  readonly outcome: Outcome;
}

interface Links {
  readonly byId: ReadonlyMap<string, TreeNode>;
  /** Also knows the callers of executions that n8n did not keep. */
  readonly index: LinkIndex;
  /** @see TreeParts.askedId */
  readonly askedId: string | undefined;
}

/**
 * The newest retry of an execution or of its retries; for an unreadable one, the id that n8n names as its success. An
 * error workflow's run stands for the execution that failed.
 */
function lastRetryOf(carrier: TreeNode, family: readonly TracedExecution[], { byId, index }: Links) {
  const isNamedAsSuccess = (id: string): boolean =>
    family.some(({ retrySuccessId }) => retrySuccessId === id);
  const tries = new Set([failedIdOf(carrier) ?? carrier.id]);
  for (const id of tries)
    for (const retry of index.retriesOf(id)) if (byId.has(retry) || isNamedAsSuccess(retry)) tries.add(retry);
  const [newest = carrier.id, ...earlier] = [...tries].sort((a, b) => (isNewer(b, a) ? 1 : -1));
  const node = byId.get(newest) ?? (earlier.length === 0 ? carrier : undefined);
  if (node !== undefined) return { node, unseenRetryId: null };
  const known = earlier.flatMap((id) => byId.get(id) ?? []);
  return { node: known[0] ?? carrier, unseenRetryId: newest };
}

/**
 * The topmost executions that hold the id decide: a batch that started them is not part of the request. Anyone who can post can
 * send an id again, so no delivery changes the outcome of another.
 */
export function deliveriesOf(
  carriers: readonly TreeNode[],
  family: readonly TracedExecution[],
  links: Links,
): Delivery[] {
  const all = carriers.map((carrier): Delivery => {
    const last = lastRetryOf(carrier, family, links);
    const outcome = last.unseenRetryId === null ? OUTCOME_OF[last.node.status] : "success";
    // An error workflow runs because another execution failed, however its own run ends.
    const isFailed = last.node.role === "error_handler";
    return { carrierId: carrier.id, ...last, outcome: isFailed ? "error" : outcome };
  });
  const sent = withoutReports(all, links);
  // Last come failures that only an error workflow's run shows, and those that may concern another id.
  const isDoubtful = ({ carrierId, node }: Delivery): number =>
    Number(node.role === "error_handler" || links.byId.get(carrierId)?.holdsSeveralIds === true);
  const failed = sent
    .filter(({ outcome }) => outcome === "error")
    .sort((a, b) => isDoubtful(a) - isDoubtful(b));
  const firstFailed = failed[0]?.node.workflowId;
  const isElsewhere = ({ node }: Delivery): number => Number(node.workflowId !== firstFailed);
  sent.sort(
    (a, b) =>
      rankOf(a.outcome) - rankOf(b.outcome) || isElsewhere(a) - isElsewhere(b) || oldestFirst(b.node, a.node),
  );
  return withoutRepeatedCalls(sent, links);
}

/** Whether it is a test run or was started by one. The requested execution and its ancestors do not count as test runs. */
export const isInTestRun = (node: TreeNode, links: Links): boolean => {
  const asked = links.byId.get(links.askedId ?? "");
  const own = asked === undefined ? [] : [asked, ...ancestorsOf(asked, links)];
  return [node, ...ancestorsOf(node, links)].some((one) => one.isTestRun && !own.includes(one));
};

/** Beside other deliveries, successes of other workflows' reports do not count. */
function withoutReports(all: readonly Delivery[], { byId }: Links): Delivery[] {
  const isReport = ({ carrierId, outcome }: Delivery): boolean =>
    outcome === "success" && byId.get(carrierId)?.holdsSeveralIds === true;
  const others = all.filter((one) => !isReport(one));
  const workflows = new Set(others.map(({ node }) => node.workflowId));
  return all.filter((one) => others.length === 0 || !isReport(one) || workflows.has(one.node.workflowId));
}

/**
 * Several calls by one execution or by its retries count as one delivery: that of the last retry. If the caller is not
 * kept or not visible, a success does not count beside other deliveries; any other outcome does, so that nobody can hide
 * it by sending the id again.
 */
function withoutRepeatedCalls(sent: readonly Delivery[], links: Links): Delivery[] {
  const isCallUnknown = ({ carrierId }: Delivery): boolean => {
    const carrier = links.byId.get(carrierId);
    const isCalled = carrier?.role === "sub_workflow" || carrier?.role === "error_handler";
    return isCalled && parentOf(carrier, links) === undefined;
  };
  if (sent.every(isCallUnknown)) return sent.slice(0, 1);
  const deliveries = sent.filter((one) => !isCallUnknown(one) || one.outcome !== "success");
  const callerOf = ({ carrierId }: Delivery): string => {
    const carrier = links.byId.get(carrierId);
    return callerId(carrier) ?? failedIdOf(carrier) ?? carrierId;
  };
  const tries = deliveries.map((one) => triesOfLineage(callerOf(one), links));
  const newestTry = new Map<string, string>();
  for (const [first, one] of tries.flatMap((own) => [...own]))
    if (isNewer(one, newestTry.get(first) ?? "0")) newestTry.set(first, one);
  const isLastTry = (_one: Delivery, index: number): boolean =>
    [...(tries[index] ?? [])].every(([first, one]) => newestTry.get(first) === one);
  const last = deliveries.filter(isLastTry);
  const chosen = [...Map.groupBy(last, callerOf)].flatMap(([caller, calls]) => {
    if (links.byId.get(caller)?.status === "success") return newestOf(calls);
    const ofWorkflows = Map.groupBy(calls, ({ node }) => node.workflowId);
    const remaining = [...ofWorkflows.values()].flatMap((same) =>
      wentOn(same, links) ? newestOf(same) : same,
    );
    return calls.filter((one) => remaining.includes(one)).slice(0, 1);
  });
  return deliveries.filter((one) => chosen.includes(one));
}

/** A caller that succeeded went on after every failure, so its last call counts. */
const newestOf = (calls: readonly Delivery[]): Delivery[] =>
  calls.toSorted((a, b) => (isNewer(a.carrierId, b.carrierId) ? -1 : 1)).slice(0, 1);

/**
 * Whether the caller went on after the worst of these calls of one workflow: it failed elsewhere, was canceled or has
 * not ended. A later call of another workflow does not make up for a failed one.
 */
function wentOn([worst]: readonly Delivery[], { byId }: Links): boolean {
  const carrier = byId.get(worst?.carrierId ?? "");
  const caller = byId.get(callerId(carrier) ?? "");
  return carrier?.callerContinued === true || (caller !== undefined && OUTCOME_OF[caller.status] !== "error");
}

/** The execution of which this is the error workflow's run; else null. */
const failedIdOf = (node: TreeNode | undefined): string | null =>
  node?.role === "error_handler" ? node.parentId : null;

/** Null if the caller is unknown, or only inferred from inputs and times. */
const callerId = (node: TreeNode | undefined): string | null =>
  node?.role === "sub_workflow" && node.evidence !== INFERRED_CALL ? node.parentId : null;

/**
 * Maps the first try of an execution and of each ancestor to the try in this chain. Ends at a call after which the
 * caller continued: a retry of the caller does not repeat it.
 */
function triesOfLineage(id: string, links: Links): ReadonlyMap<string, string> {
  const tries = new Map<string, string>();
  for (let at: string | null = id; at !== null; ) {
    const first = firstTryOf(at, links);
    // A cycle, which n8n never makes.
    if (tries.has(first)) break;
    tries.set(first, at);
    const node = links.byId.get(first);
    at = node?.callerContinued === true ? null : callerId(node);
  }
  return tries;
}

/** The execution of which this one is a retry, or a retry of a retry; itself if it is none. */
function firstTryOf(id: string, links: Links): string {
  const node = links.byId.get(id);
  const isRetry = node?.role === "retry" && node.parentId !== null && isNewer(id, node.parentId);
  return isRetry ? firstTryOf(node.parentId, links) : id;
}

/**
 * The topmost executions that hold the id. The run of an error workflow, and what it calls, is replaced by the execution
 * that failed, unless that one called another carrier: then it is no part of the request.
 */
export function carriersIn(links: Links): TreeNode[] {
  const topmost = [...links.byId.values()]
    .filter((node) => holdsTheId(node) && !ancestorsOf(node, links).some(holdsTheId))
    .map((node) => [node, ...ancestorsOf(node, links)].find(({ role }) => role === "error_handler") ?? node);
  const failedOf = (node: TreeNode): TreeNode | undefined => links.byId.get(failedIdOf(node) ?? "");
  const own = topmost.filter((node) => failedOf(node) === undefined);
  const ancestorsOfOwn = ancestorsOfAll(own, links);
  const failed = topmost.flatMap((node) => failedOf(node) ?? []).filter((node) => !ancestorsOfOwn.has(node));
  return [...new Set([...own, ...failed])].sort(oldestFirst);
}

const holdsTheId = ({ match }: TreeNode): boolean => match?.kind === "exact";

/** The ancestors of all carriers, such as a batch that sent the request. */
export const ancestorsOfAll = (carriers: readonly TreeNode[], links: Links): ReadonlySet<TreeNode> =>
  new Set(carriers.flatMap((carrier) => ancestorsOf(carrier, links)));

/** The chain of causes, nearest first; empty in a cycle, which n8n never makes. */
function ancestorsOf(node: TreeNode, links: Links): TreeNode[] {
  const causes: TreeNode[] = [];
  for (let cause = trustedParentOf(node, links); cause !== undefined; cause = trustedParentOf(cause, links)) {
    if (cause === node || causes.includes(cause)) return [];
    causes.push(cause);
  }
  return causes;
}

/** Anyone who can post may run while an MCP server is called, so an inferred caller may hide only successes. */
function trustedParentOf(node: TreeNode, links: Links): TreeNode | undefined {
  const isDoubtful = node.evidence === INFERRED_CALL && OUTCOME_OF[node.status] !== "success";
  return isDoubtful ? undefined : parentOf(node, links);
}

/**
 * The parent, or the nearest ancestor that n8n kept: callers name their calls, and what was retried its successful
 * retry, even those that n8n did not keep.
 */
function parentOf({ parentId }: TreeNode, { byId, index }: Links): TreeNode | undefined {
  const passed = new Set<string>();
  let id = parentId;
  while (id !== null && !byId.has(id) && !passed.has(id)) {
    passed.add(id);
    id = index.causeOf(id) ?? index.originalOf(id);
  }
  return id === null ? undefined : byId.get(id);
}
