/** Builds the tree of a request from the history: roles, evidence, order, outcome. Pure. */
import { durationMs } from "../executions/node-runs.ts";
import { executionRequestId, type FoundAs } from "../history/request-ids/request-forms.ts";
import { LinkIndex } from "../history/store/family.ts";
import type { TracedExecution } from "../history/store/traced-execution.ts";
import { ASKED_BY_ID } from "../history/trace/find-matches.ts";
import type { ExecutionStatus } from "../n8n/schemas.ts";
import { isNewer } from "../platform/id-order.ts";

/** Where an execution holds the request id. */
export interface Match {
  /** `exact`: at a known request-id path. `mentioned`: elsewhere. */
  readonly kind: "exact" | "mentioned";
  /** The node whose output holds the id; null for the execution's custom data. */
  readonly nodeName: string | null;
  readonly path: string;
}

interface TreeParts {
  readonly family: readonly TracedExecution[];
  /** Executions that only mention the id; members of the family are ignored. */
  readonly mentioning: readonly TracedExecution[];
  readonly matches: ReadonlyMap<string, Match>;
}

export const ROLES = ["entry", "sub_workflow", "error_handler", "retry", "related"] as const;
export type Role = (typeof ROLES)[number];

/** By importance: a failure comes before any success. `queued`: it was accepted, and has not begun to run. `not_found_yet`: the window was not read to its end. */
export const OUTCOMES = [
  "error",
  "running",
  "queued",
  "waiting",
  "unknown",
  "canceled",
  "success",
  "not_found_yet",
  "not_found",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const rankOf = (outcome: Outcome): number => OUTCOMES.indexOf(outcome);

export interface TreeNode
  extends Pick<
    TracedExecution,
    "id" | "workflowId" | "workflowName" | "status" | "startedAt" | "stoppedAt" | "queuedAt" | "waitTill"
  > {
  readonly role: Role;
  /** The execution that caused this one; null for an entry. */
  readonly parentId: string | null;
  /** Null while it runs. */
  readonly durationMs: number | null;
  readonly match: Match | null;
  /** Why it belongs to the request: n8n's link to the execution `parentId`, or the id itself. */
  readonly evidence: string;
  /** True if the execution that called it failed elsewhere: it went on after this one's failure. */
  readonly isSurvived: boolean;
  /** The retry that n8n says succeeded, whether it is kept or not. */
  readonly retrySuccessId: string | null;
}

/** One sending of the request: an execution that holds the id, while no execution above it does. */
export interface Delivery {
  /** The execution that holds the id. */
  readonly carrierId: string;
  /** Its last retry, or itself; its status is the delivery's outcome. */
  readonly node: TreeNode;
  readonly outcome: Outcome;
}

export interface RequestTree {
  /** Each execution follows the one that caused it, oldest first; mentions come last. */
  readonly nodes: readonly TreeNode[];
  /** Failures first; within an outcome, the newest delivery to the workflow that failed first. */
  readonly deliveries: readonly Delivery[];
  /** The execution that decides the outcome: that of the first delivery. */
  readonly deciding: TreeNode | null;
  readonly outcome: Outcome;
  /** False for a batch that sent the request, and for what came of the batch: they are no part of it. */
  readonly isPart: (node: TreeNode) => boolean;
}

const OUTCOME_OF: Record<ExecutionStatus, Outcome> = {
  success: "success",
  error: "error",
  crashed: "error",
  canceled: "canceled",
  waiting: "waiting",
  running: "running",
  new: "queued",
  // It may have ended: `stoppedAt` says whether.
  unknown: "unknown",
};

function roleOf(execution: TracedExecution, causeId: string | null): Role {
  if (execution.retryOf !== null) return "retry";
  if (execution.mode === "error") return "error_handler";
  return causeId !== null || execution.mode === "integrated" ? "sub_workflow" : "entry";
}

export const HOLDS_THE_ID = "holds the request id";

function evidenceOf(
  role: Role,
  execution: TracedExecution,
  causeId: string | null,
  match: Match | null,
): string {
  switch (role) {
    case "retry":
      return "retryOf";
    case "error_handler":
    case "sub_workflow":
      if (causeId === null) return "its parent is not known";
      return execution.parentId === causeId ? "parentExecution" : "subExecution";
    default:
      if (match?.path === ASKED_BY_ID) return "was asked for by its id";
      return match?.kind === "exact" ? HOLDS_THE_ID : "started what holds the request id";
  }
}

/**
 * Whether an agent passed the id on in the arguments of a call to an MCP server of this n8n (n8n's MCP Client Tool),
 * which is a run of an MCP trigger that holds the id in its arguments.
 */
const isHandedOn = ({ id, mcpTrigger }: TracedExecution, matches: TreeParts["matches"]): boolean => {
  const match = matches.get(id);
  return match?.kind === "exact" && mcpTrigger !== null && match.nodeName === mcpTrigger;
};

/** Both executions share a clock, but an agent's last call may end together with its own execution. */
const CALL_TOLERANCE_MS = 1_000;

/**
 * Finds who called an MCP server with the id: the newest execution that received the id itself and ran at that time.
 * Null if there is none: then the caller is outside n8n, and the request entered with this call.
 */
function callerOf(
  execution: TracedExecution,
  { family, matches }: TreeParts,
  index: LinkIndex,
): TracedExecution | null {
  if (!isHandedOn(execution, matches) || execution.startedAt === null) return null;
  const began = Date.parse(execution.startedAt);
  const callers = family.filter((each) => {
    const { id, startedAt, stoppedAt, unknownParentWorkflowId } = each;
    // A tool of the server that ended just before was called by it, so it is not the caller.
    if (unknownParentWorkflowId === execution.workflowId || index.causeOf(id) === execution.id) return false;
    if (matches.get(id)?.kind !== "exact" || isHandedOn(each, matches) || startedAt === null) return false;
    const ended = stoppedAt === null ? Number.POSITIVE_INFINITY : Date.parse(stoppedAt);
    return Date.parse(startedAt) <= began && began <= ended + CALL_TOLERANCE_MS;
  });
  return callers.sort(oldestFirst).at(-1) ?? null;
}

/** n8n stores the execution of the server after its tool has ended. */
const SERVER_TOLERANCE_MS = 5_000;

/**
 * Finds the server execution of a failed tool call, for which n8n stores only the parent's workflow: executions of the
 * server with the same id that began when the tool ended, nearest first. Their ids are higher than the tool's.
 */
function serversOf(execution: TracedExecution, { family, matches }: TreeParts): TracedExecution[] {
  const { unknownParentWorkflowId: workflowId, stoppedAt } = execution;
  if (workflowId === null || stoppedAt === null || matches.get(execution.id)?.kind !== "exact") return [];
  const ended = Date.parse(stoppedAt);
  const fits = ({ startedAt }: TracedExecution): boolean =>
    startedAt !== null && Math.abs(Date.parse(startedAt) - ended) <= SERVER_TOLERANCE_MS;
  return family
    .filter((each) => each.workflowId === workflowId && isNewer(each.id, execution.id) && fits(each))
    .filter((each) => isHandedOn(each, matches))
    .sort(oldestFirst);
}

const INFERRED = "inferred: ";
const INFERRED_CALL = "inferred: called as an MCP tool with the request id, at that time";
const INFERRED_TOOL = "inferred: a tool of this MCP server, called with the request id, at that time";

type Cause = Pick<TreeNode, "role" | "parentId" | "evidence">;

/**
 * n8n names the call at which an execution failed, so a failure below any other node did not end it. Of a crash, and of a
 * failure without an error, the last node that ran is all that is known.
 */
function isSurvived(id: string, { parentId, evidence }: Cause, { family }: TreeParts): boolean {
  const caller = evidence.startsWith(INFERRED) ? undefined : family.find((each) => each.id === parentId);
  if (caller?.status !== "error" || !caller.failingNode || !caller.errorFingerprint) return false;
  return !caller.subExecutions.some(
    (call) => call.executionId === id && call.nodeName === caller.failingNode,
  );
}

/** Uses n8n's links; where there are none, it compares inputs and times. */
function causeOf(execution: TracedExecution, parts: TreeParts, index: LinkIndex, match: Match | null): Cause {
  const parentId = index.causeOf(execution.id);
  if (parentId === null) {
    const caller = callerOf(execution, parts, index);
    if (caller !== null) return { role: "sub_workflow", parentId: caller.id, evidence: INFERRED_CALL };
    const [server, ...others] = serversOf(execution, parts);
    const evidence = `${INFERRED_TOOL} (${others.length + 1} possible)`;
    if (server !== undefined) return { role: "sub_workflow", parentId: server.id, evidence };
  }
  const role = roleOf(execution, parentId);
  return { role, parentId, evidence: evidenceOf(role, execution, parentId, match) };
}

function toNode(execution: TracedExecution, parts: TreeParts, index: LinkIndex): TreeNode {
  const { id, workflowId, workflowName, status, startedAt, stoppedAt, queuedAt, waitTill } = execution;
  const match = parts.matches.get(id) ?? null;
  const cause = causeOf(execution, parts, index, match);
  return {
    id,
    workflowId,
    workflowName,
    status,
    startedAt,
    stoppedAt,
    queuedAt,
    waitTill,
    match,
    ...cause,
    isSurvived: isSurvived(id, cause, parts),
    retrySuccessId: execution.retrySuccessId,
    durationMs: durationMs(execution),
  };
}

const oldestFirst = (a: { readonly id: string }, b: { readonly id: string }): number =>
  isNewer(a.id, b.id) ? 1 : -1;

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

function lastRetryOf(id: string, index: LinkIndex, byId: ReadonlyMap<string, TreeNode>): string {
  const seen = new Set([id]);
  let last = id;
  for (;;) {
    const retries = index.retriesOf(last).filter((retry) => byId.has(retry) && !seen.has(retry));
    if (retries.length === 0) return last;
    last = retries.reduce((newest, retry) => (isNewer(retry, newest) ? retry : newest));
    seen.add(last);
  }
}

/** What is known of its end: n8n may say that a retry succeeded, and not keep it. */
function outcomeOf({ role, status, retrySuccessId }: TreeNode): Outcome {
  if (retrySuccessId !== null) return "success";
  // It runs because another execution failed, however it ended itself.
  return role === "error_handler" ? "error" : OUTCOME_OF[status];
}

/**
 * The topmost executions that hold the id decide: a batch above them is not part of the request. Anyone who can post can
 * send an id again, so no delivery changes the outcome of another.
 */
function deliveriesOf(carriers: readonly TreeNode[], byId: ReadonlyMap<string, TreeNode>, index: LinkIndex) {
  const sent = carriers.map(({ id, ...carrier }): Delivery => {
    const node = byId.get(lastRetryOf(id, index, byId)) ?? { id, ...carrier };
    return { carrierId: id, node, outcome: outcomeOf(node) };
  });
  const firstFailed = sent.find(({ outcome }) => outcome === "error")?.node.workflowId;
  const isElsewhere = ({ node }: Delivery): number => Number(node.workflowId !== firstFailed);
  const byImportance = sent.sort(
    (a, b) =>
      rankOf(a.outcome) - rankOf(b.outcome) || isElsewhere(a) - isElsewhere(b) || oldestFirst(b.node, a.node),
  );
  const known = byImportance.filter(({ carrierId }) => !isCallUnknown(byId.get(carrierId), byId));
  // All of them may be calls of one delivery.
  return known.length > 0 ? known : byImportance.slice(0, 1);
}

/** Whether something in n8n started it that n8n does not keep, or that the asker may not see: then nobody sent it. */
const isCallUnknown = (node: TreeNode | undefined, byId: ReadonlyMap<string, TreeNode>): boolean =>
  (node?.role === "sub_workflow" || node?.role === "error_handler") && !byId.has(node.parentId ?? "");

/** The topmost executions that hold the id; in place of the run of an error workflow, what had failed, if it is known. */
function carriersIn(byId: ReadonlyMap<string, TreeNode>): TreeNode[] {
  const topmost = [...byId.values()].filter(
    (node) => node.match?.kind === "exact" && !hasMatchAbove(node, byId),
  );
  const failed = ({ role, parentId }: TreeNode) =>
    role === "error_handler" ? byId.get(parentId ?? "") : undefined;
  return [...new Set(topmost.map((node) => failed(node) ?? node))].sort(oldestFirst);
}

/** Ids of what is above these: batches that sent the request, among others. */
function idsAbove(carriers: readonly TreeNode[], byId: ReadonlyMap<string, TreeNode>): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const carrier of carriers)
    for (let above = causeAbove(carrier, byId); above !== undefined && !ids.has(above.id); ) {
      ids.add(above.id);
      above = causeAbove(above, byId);
    }
  return ids;
}

/** Anyone who can post can be running when an MCP server is called, so an inferred caller hides only successes. */
function causeAbove({ parentId, evidence, status }: TreeNode, byId: ReadonlyMap<string, TreeNode>) {
  const isOnItsOwn = evidence === INFERRED_CALL && OUTCOME_OF[status] !== "success";
  return parentId === null || isOnItsOwn ? undefined : byId.get(parentId);
}

function hasMatchAbove(node: TreeNode, byId: ReadonlyMap<string, TreeNode>): boolean {
  const seen = new Set<string>();
  let above = causeAbove(node, byId);
  while (above !== undefined && !seen.has(above.id)) {
    if (above.match?.kind === "exact") return true;
    seen.add(above.id);
    above = causeAbove(above, byId);
  }
  return false;
}

/** Finds where a failure began: the deepest failed sub-workflow below the failed execution. */
export const deepestFailure = (tree: RequestTree): TreeNode | null =>
  tree.outcome === "error" && !isOnlyHandled(tree.deciding) ? deepestOf(tree, ["error"]) : null;

/** Whether only the error workflow's run is known of what failed. */
export const isOnlyHandled = (deciding: TreeNode | null): boolean => deciding?.role === "error_handler";

/** Finds what a waiting execution waits for: the deepest sub-workflow below it that has not ended. */
export const deepestUnended = (tree: RequestTree): TreeNode | null =>
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
      .filter((node) => !node.isSurvived)
      .sort(oldestFirst)
      .at(-1);
    if (below === undefined) return deepest;
    deepest = below;
    seen.add(deepest.id);
  }
}

/** Those of a successful request's own executions that are among `ids`: which swallowed an error, or were not judged. */
export function successesAmong({ nodes, outcome, isPart }: RequestTree, ids: readonly string[]): TreeNode[] {
  if (outcome !== "success") return [];
  return nodes.filter((node) => isPart(node) && ids.includes(node.id));
}

/** Its runs of sub-workflows that did not succeed, by how they ended. */
export const unsuccessfulCalls = ({ nodes }: RequestTree): ReadonlyMap<Outcome, readonly TreeNode[]> =>
  Map.groupBy(
    nodes.filter(({ role, status }) => role === "sub_workflow" && status !== "success"),
    ({ status }) => OUTCOME_OF[status],
  );

export function buildTree(parts: TreeParts): RequestTree {
  const index = new LinkIndex([...parts.mentioning, ...parts.family]);
  const nodes = inTreeOrder(parts.family.map((execution) => toNode(execution, parts, index)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const carriers = carriersIn(byId);
  const deliveries = deliveriesOf(carriers, byId, index);
  const above = idsAbove(carriers, byId);
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
    isPart: ({ id, parentId, role, match }) =>
      role !== "related" &&
      !above.has(id) &&
      (match?.kind === "exact" || role === "sub_workflow" || !above.has(parentId ?? "")),
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
