/** How often a request was sent, and how each sending ended. Pure. */
import type { LinkIndex } from "../history/store/family.ts";
import type { TracedExecution } from "../history/store/traced-execution.ts";
import { isNewer } from "../platform/id-order.ts";
import { INFERRED_CALL } from "./request-causes.ts";
import { OUTCOME_OF, type Outcome, oldestFirst, rankOf, type TreeNode } from "./request-node.ts";

/** One sending of the request: an execution that holds the id, while no execution above it does. */
export interface Delivery {
  /** The execution that holds the id. */
  readonly carrierId: string;
  /** Its last retry, or itself; its status is the delivery's outcome, unless a retry succeeded that cannot be read. */
  readonly node: TreeNode;
  /** That retry, which n8n names. */
  readonly unseenRetryId: string | null;
  readonly outcome: Outcome;
}

export interface Links {
  readonly byId: ReadonlyMap<string, TreeNode>;
  /** Knows the callers of what n8n does not keep, too. */
  readonly index: LinkIndex;
}

/** The newest retry of an execution, or of a retry of it; of one that cannot be read, what n8n says. */
function lastRetryOf(carrier: TreeNode, family: readonly TracedExecution[], { byId, index }: Links) {
  const isNamed = (id: string): boolean => family.some(({ retrySuccessId }) => retrySuccessId === id);
  const tries = new Set([carrier.id]);
  for (const id of tries)
    for (const retry of index.retriesOf(id)) if (byId.has(retry) || isNamed(retry)) tries.add(retry);
  const [newest = carrier.id, ...earlier] = [...tries].sort((a, b) => (isNewer(b, a) ? 1 : -1));
  const node = byId.get(newest);
  if (node !== undefined) return { node, unseenRetryId: null };
  const known = earlier.flatMap((id) => byId.get(id) ?? []);
  return { node: known[0] ?? carrier, unseenRetryId: newest };
}

/**
 * The topmost executions that hold the id decide: a batch above them is not part of the request. Anyone who can post can
 * send an id again, so no delivery changes the outcome of another.
 */
export function deliveriesOf(
  carriers: readonly TreeNode[],
  family: readonly TracedExecution[],
  links: Links,
): Delivery[] {
  const sent = carriers.map((carrier): Delivery => {
    // It ran because another execution failed, however it ended itself.
    if (carrier.role === "error_handler")
      return { carrierId: carrier.id, node: carrier, unseenRetryId: null, outcome: "error" };
    const last = lastRetryOf(carrier, family, links);
    const outcome = last.unseenRetryId === null ? OUTCOME_OF[last.node.status] : "success";
    return { carrierId: carrier.id, ...last, outcome };
  });
  // What failed and is known comes before that of which only the run of an error workflow is.
  const isHandler = ({ node }: Delivery): number => Number(node.role === "error_handler");
  const failed = sent
    .filter(({ outcome }) => outcome === "error")
    .sort((a, b) => isHandler(a) - isHandler(b));
  const firstFailed = failed[0]?.node.workflowId;
  const isElsewhere = ({ node }: Delivery): number => Number(node.workflowId !== firstFailed);
  sent.sort(
    (a, b) =>
      rankOf(a.outcome) - rankOf(b.outcome) || isElsewhere(a) - isElsewhere(b) || oldestFirst(b.node, a.node),
  );
  return withoutCalls(sent, links);
}

/**
 * What one execution called several times was sent once, and so was what its retries called: what the last one called
 * stands for all. If the caller is not kept, or may not be seen, a success is no delivery beside others; any other
 * outcome is, so that nobody can hide it by sending the id again.
 */
function withoutCalls(sent: readonly Delivery[], links: Links): Delivery[] {
  const isCallUnknown = ({ carrierId }: Delivery): boolean => {
    const carrier = links.byId.get(carrierId);
    const isCalled = carrier?.role === "sub_workflow" || carrier?.role === "error_handler";
    return isCalled && parentOf(carrier, links) === undefined;
  };
  if (sent.every(isCallUnknown)) return sent.slice(0, 1);
  const counted = sent.filter((one) => !isCallUnknown(one) || one.outcome !== "success");
  const callerOf = ({ carrierId }: Delivery): string => callerId(links.byId.get(carrierId)) ?? carrierId;
  const tries = counted.map((one) => triesAbove(callerOf(one), links));
  const newest = new Map<string, string>();
  for (const [first, one] of tries.flatMap((own) => [...own]))
    if (isNewer(one, newest.get(first) ?? "0")) newest.set(first, one);
  const isLastTry = (_one: Delivery, index: number): boolean =>
    [...(tries[index] ?? [])].every(([first, one]) => newest.get(first) === one);
  const last = counted.filter(isLastTry);
  const chosen = [...Map.groupBy(last, callerOf)].flatMap(([caller, calls]) => {
    if (links.byId.get(caller)?.status === "success") return newestOf(calls);
    const ofWorkflows = Map.groupBy(calls, ({ node }) => node.workflowId);
    const left = [...ofWorkflows.values()].flatMap((same) => (wentOn(same, links) ? newestOf(same) : same));
    return calls.filter((one) => left.includes(one)).slice(0, 1);
  });
  return counted.filter((one) => chosen.includes(one));
}

/** A caller that succeeded went on after each failure but the last. */
const newestOf = (calls: readonly Delivery[]): Delivery[] =>
  calls.toSorted((a, b) => (isNewer(a.carrierId, b.carrierId) ? -1 : 1)).slice(0, 1);

/**
 * So did one that failed elsewhere, was canceled, or has not ended, as far as it called the same workflow: what that one
 * does is not what another does.
 */
function wentOn([worst]: readonly Delivery[], { byId }: Links): boolean {
  const carrier = byId.get(worst?.carrierId ?? "");
  const caller = byId.get(callerId(carrier) ?? "");
  return carrier?.isSurvived === true || (caller !== undefined && OUTCOME_OF[caller.status] !== "error");
}

/** Null where only its inputs and time suggest who called it. */
const callerId = (node: TreeNode | undefined): string | null =>
  node?.role === "sub_workflow" && node.evidence !== INFERRED_CALL ? node.parentId : null;

/**
 * Of an execution and of each that is above it: the first try, and the one of its tries that this belongs to. A retry does
 * not call again what was survived.
 */
function triesAbove(id: string, links: Links): ReadonlyMap<string, string> {
  const tries = new Map<string, string>();
  for (let at: string | null = id; at !== null; ) {
    const first = firstTryOf(at, links);
    // In a circle, which n8n never makes, nothing more is above.
    if (tries.has(first)) break;
    tries.set(first, at);
    const node = links.byId.get(first);
    at = node?.isSurvived === true ? null : callerId(node);
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
 * The topmost executions that hold the id. For the run of an error workflow, and what that calls, stands what had failed,
 * unless it called others of them: it is no part of the request then.
 */
export function carriersIn(links: Links): TreeNode[] {
  const topmost = [...links.byId.values()]
    .filter((node) => node.match?.kind === "exact" && !above(node, links).some(holdsTheId))
    .map((node) => [node, ...above(node, links)].find(({ role }) => role === "error_handler") ?? node);
  const failedOf = ({ role, parentId }: TreeNode): TreeNode | undefined =>
    role === "error_handler" ? links.byId.get(parentId ?? "") : undefined;
  const own = topmost.filter((node) => failedOf(node) === undefined);
  const aboveOwn = allAbove(own, links);
  const failed = topmost.flatMap((node) => failedOf(node) ?? []).filter((node) => !aboveOwn.has(node));
  return [...new Set([...own, ...failed])].sort(oldestFirst);
}

const holdsTheId = ({ match }: TreeNode): boolean => match?.kind === "exact";

/** What is above these: batches that sent the request, among others. */
export const allAbove = (carriers: readonly TreeNode[], links: Links): ReadonlySet<TreeNode> =>
  new Set(carriers.flatMap((carrier) => above(carrier, links)));

/** What caused it, the nearest first. In a circle, which n8n never makes, nothing is above. */
function above(node: TreeNode, links: Links): TreeNode[] {
  const causes: TreeNode[] = [];
  for (let cause = causeAbove(node, links); cause !== undefined; cause = causeAbove(cause, links)) {
    if (cause === node || causes.includes(cause)) return [];
    causes.push(cause);
  }
  return causes;
}

/** Anyone who can post can be running when an MCP server is called, so an inferred caller hides only successes. */
function causeAbove(node: TreeNode, links: Links): TreeNode | undefined {
  const isOnItsOwn = node.evidence === INFERRED_CALL && OUTCOME_OF[node.status] !== "success";
  return isOnItsOwn ? undefined : parentOf(node, links);
}

/** What caused it, or the nearest above that n8n keeps: who calls something names it, also if it is not kept. */
function parentOf({ parentId }: TreeNode, { byId, index }: Links): TreeNode | undefined {
  const passed = new Set<string>();
  let id = parentId;
  while (id !== null && !byId.has(id) && !passed.has(id)) {
    passed.add(id);
    id = index.causeOf(id);
  }
  return id === null ? undefined : byId.get(id);
}
