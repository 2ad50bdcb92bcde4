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

type Nodes = ReadonlyMap<string, TreeNode>;

/** The last retry of an execution, and what n8n says of one that cannot be read. */
function lastRetryOf(carrier: TreeNode, family: readonly TracedExecution[], index: LinkIndex, byId: Nodes) {
  const seen = new Set([carrier.id]);
  let node = carrier;
  for (;;) {
    const retries = index.retriesOf(node.id).filter((retry) => !seen.has(retry));
    const isNamed = (id: string): boolean => family.some(({ retrySuccessId }) => retrySuccessId === id);
    const known = retries.filter((id) => byId.has(id) || isNamed(id));
    if (known.length === 0) return { node, unseenRetryId: null };
    const newest = known.reduce((one, other) => (isNewer(other, one) ? other : one));
    const next = byId.get(newest);
    if (next === undefined) return { node, unseenRetryId: newest };
    node = next;
    seen.add(newest);
  }
}

function outcomeOf({ role, status }: TreeNode, unseenRetryId: string | null): Outcome {
  if (unseenRetryId !== null) return "success";
  // It runs because another execution failed, however it ended itself.
  return role === "error_handler" ? "error" : OUTCOME_OF[status];
}

/**
 * The topmost executions that hold the id decide: a batch above them is not part of the request. Anyone who can post can
 * send an id again, so no delivery changes the outcome of another.
 */
export function deliveriesOf(
  carriers: readonly TreeNode[],
  family: readonly TracedExecution[],
  index: LinkIndex,
  byId: Nodes,
): Delivery[] {
  const sent = carriers.map((carrier): Delivery => {
    const last = lastRetryOf(carrier, family, index, byId);
    return { carrierId: carrier.id, ...last, outcome: outcomeOf(last.node, last.unseenRetryId) };
  });
  const firstFailed = sent.find(({ outcome }) => outcome === "error")?.node.workflowId;
  const isElsewhere = ({ node }: Delivery): number => Number(node.workflowId !== firstFailed);
  sent.sort(
    (a, b) =>
      rankOf(a.outcome) - rankOf(b.outcome) || isElsewhere(a) - isElsewhere(b) || oldestFirst(b.node, a.node),
  );
  return withoutCalls(sent, byId);
}

/**
 * What one execution called several times was sent once: the call that matters most stands for all. If the caller is
 * not kept, or may not be seen, a success is no delivery beside others; any other outcome is, so that nobody can hide it
 * by sending the id again.
 */
function withoutCalls(sent: readonly Delivery[], byId: Nodes): Delivery[] {
  const carrierOf = ({ carrierId }: Delivery): TreeNode | undefined => byId.get(carrierId);
  const isCallUnknown = (delivery: Delivery): boolean => {
    const carrier = carrierOf(delivery);
    const isCalled = carrier?.role === "sub_workflow" || carrier?.role === "error_handler";
    return isCalled && !byId.has(carrier.parentId ?? "");
  };
  const callerOf = (delivery: Delivery): string => {
    const carrier = carrierOf(delivery);
    const isCalled = carrier?.role === "sub_workflow" && carrier.evidence !== INFERRED_CALL;
    return isCalled ? `called by ${carrier.parentId}` : delivery.carrierId;
  };
  const known = sent.filter((delivery) => !isCallUnknown(delivery));
  if (known.length === 0) return sent.slice(0, 1);
  const counted = sent.filter((one) => !isCallUnknown(one) || one.outcome !== "success");
  return [...Map.groupBy(counted, callerOf).values()].flatMap(([first]) => first ?? []);
}

/**
 * The topmost executions that hold the id. The run of an error workflow may list ids of others: of one whose failed
 * execution is known and does not hold the id itself, that execution stands for it, and only where nothing else does.
 */
export function carriersIn(byId: Nodes): TreeNode[] {
  const topmost = [...byId.values()].filter(
    (node) => node.match?.kind === "exact" && !hasMatchAbove(node, byId),
  );
  const failedOf = ({ role, parentId }: TreeNode): TreeNode | undefined =>
    role === "error_handler" ? byId.get(parentId ?? "") : undefined;
  const own = topmost.filter((node) => failedOf(node) === undefined);
  const failed = topmost.flatMap((node) => failedOf(node) ?? []);
  return (own.length > 0 ? own : [...new Set(failed)]).sort(oldestFirst);
}

/** Ids of what is above these: batches that sent the request, among others. */
export function idsAbove(carriers: readonly TreeNode[], byId: Nodes): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const carrier of carriers)
    for (let above = causeAbove(carrier, byId); above !== undefined && !ids.has(above.id); ) {
      ids.add(above.id);
      above = causeAbove(above, byId);
    }
  return ids;
}

/** Anyone who can post can be running when an MCP server is called, so an inferred caller hides only successes. */
function causeAbove({ parentId, evidence, status }: TreeNode, byId: Nodes): TreeNode | undefined {
  const isOnItsOwn = evidence === INFERRED_CALL && OUTCOME_OF[status] !== "success";
  return parentId === null || isOnItsOwn ? undefined : byId.get(parentId);
}

function hasMatchAbove(node: TreeNode, byId: Nodes): boolean {
  const seen = new Set<string>();
  let above = causeAbove(node, byId);
  while (above !== undefined && !seen.has(above.id)) {
    if (above.match?.kind === "exact") return true;
    seen.add(above.id);
    above = causeAbove(above, byId);
  }
  return false;
}
