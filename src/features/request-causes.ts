/** An execution's role in its request, and its cause: from n8n's links, otherwise inferred from inputs and times. Pure. */
import { durationMs } from "../executions/node-runs.ts";
import type { LinkIndex } from "../history/store/family.ts";
import type { TracedExecution } from "../history/store/traced-execution.ts";
import { ASKED_BY_ID } from "../history/trace/find-matches.ts";
import { keptName } from "../platform/display-name.ts";
import { isNewer } from "../platform/id-order.ts";
import { type Match, oldestFirst, type Role, type TreeNode, type TreeParts } from "./request-node.ts";

function roleOf(execution: TracedExecution, causeId: string | null): Role {
  if (execution.retryOf !== null) return "retry";
  if (execution.mode === "error") return "error_handler";
  return causeId !== null || execution.mode === "integrated" ? "sub_workflow" : "entry";
}

export const HOLDS_THE_ID = "holds the request id";

function evidenceOf(role: Role, execution: TracedExecution, causeId: string | null, match: Match | null) {
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
 * Whether this is a run of an MCP trigger that received the id in its arguments: an agent passed the id on to an MCP
 * server of this n8n (n8n's MCP Client Tool).
 */
const isMcpCall = ({ id, mcpTrigger }: TracedExecution, matches: TreeParts["matches"]): boolean => {
  const match = matches.get(id);
  return match?.kind === "exact" && mcpTrigger !== null && match.nodeName === mcpTrigger;
};

/** Both executions share a clock, but an agent's last call may end together with its own execution. */
const CALL_TOLERANCE_MS = 1_000;

/**
 * Finds who called an MCP server with the id: the newest execution that received the id itself and ran at that time.
 * Null if there is none: then the caller is outside n8n, and the request entered with this call.
 */
function callerOf(execution: TracedExecution, { family, matches }: TreeParts, index: LinkIndex) {
  if (!isMcpCall(execution, matches) || execution.startedAt === null) return null;
  const began = Date.parse(execution.startedAt);
  const callers = family.filter((each) => {
    const { id, startedAt, stoppedAt, unknownParentWorkflowId } = each;
    // The server itself called this one as a tool, so it is not the caller.
    if (unknownParentWorkflowId === execution.workflowId || index.causeOf(id) === execution.id) return false;
    if (matches.get(id)?.kind !== "exact" || isMcpCall(each, matches) || startedAt === null) return false;
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
    .filter((each) => isMcpCall(each, matches))
    .sort(oldestFirst);
}

const INFERRED = "inferred: ";
export const INFERRED_CALL = "inferred: called as an MCP tool with the request id, at that time";
const INFERRED_TOOL = "inferred: a tool of this MCP server, called with the request id, at that time";

type Cause = Pick<TreeNode, "role" | "parentId" | "evidence">;

/** Once a call has failed, its caller ends within the time that n8n needs to store both. */
const STORING_MS = 200;
/** For a busy n8n: when the failing node calls workflows, hardly anything but a call ends the caller there. */
const STORING_AT_CALL_MS = 10_000;

/**
 * Whether the caller went on after this execution: it failed at another node than the calling one. If n8n did not keep
 * which node called, the caller went on if it failed at a node that calls no workflow, called something afterwards, or
 * did not end right after this execution. A failed call does not crash its caller. When a caller failed without an
 * error, its failing node is only the last one that ran, and proves nothing.
 */
function callerContinued(
  execution: TracedExecution,
  { role, parentId, evidence }: Cause,
  { family }: TreeParts,
) {
  // Neither a retry nor an error workflow's run has a caller that could go on.
  if (role !== "sub_workflow") return false;
  const caller = evidence.startsWith(INFERRED) ? undefined : family.find(({ id }) => id === parentId);
  if (caller?.status === "crashed") return execution.status === "error" || execution.status === "canceled";
  if (caller?.status !== "error" || !caller.failingNode || !caller.errorFingerprint) return false;
  const call = caller.subExecutions.find(({ executionId }) => executionId === execution.id);
  if (call !== undefined) return keptName(call.nodeName) !== caller.failingNode;
  return caller.failedAtCall === false || wentOn(caller, execution, family);
}

function wentOn(caller: TracedExecution, called: TracedExecution, family: readonly TracedExecution[]) {
  if (called.stoppedAt === null || caller.stoppedAt === null) return false;
  const ended = Date.parse(called.stoppedAt);
  // A retry names the caller of its original.
  const isCall = ({ parentId, mode, retryOf }: TracedExecution): boolean =>
    parentId === caller.id && mode !== "error" && retryOf === null;
  const isLater = (one: TracedExecution): boolean =>
    isCall(one) && one.startedAt !== null && Date.parse(one.startedAt) >= ended;
  // Also a call whose execution n8n did not keep.
  const isLaterNamed = caller.subExecutions.some(({ executionId }) => isNewer(executionId, called.id));
  const storingMs = caller.failedAtCall === true ? STORING_AT_CALL_MS : STORING_MS;
  return Date.parse(caller.stoppedAt) - ended > storingMs || isLaterNamed || family.some(isLater);
}

/** Uses n8n's links; if there are none, it compares inputs and times. */
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

/** Modes of runs that an author of the workflow starts. */
const TEST_MODES: ReadonlySet<string> = new Set(["manual", "evaluation"]);

export function toNode(execution: TracedExecution, parts: TreeParts, index: LinkIndex): TreeNode {
  const { id, workflowId, workflowName, status, stoppedAt, acceptedAt, waitTill, retrySuccessId } = execution;
  const startedAt = execution.startedAt && (acceptedAt ?? execution.startedAt);
  const match = parts.matches.get(id) ?? null;
  const cause = causeOf(execution, parts, index, match);
  return {
    id,
    workflowId,
    workflowName,
    status,
    startedAt,
    stoppedAt,
    acceptedAt,
    waitTill,
    retrySuccessId,
    match,
    ...cause,
    isTestRun: TEST_MODES.has(execution.mode),
    holdsSeveralIds: execution.mode === "trigger" && match?.isOfSeveral === true,
    callerContinued: callerContinued(execution, cause, parts),
    durationMs: durationMs({ status, startedAt, stoppedAt }),
  };
}
