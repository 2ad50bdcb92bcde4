/**
 * Shows the executions of an answer in few tokens: a small number in full, otherwise the important ones in full and the
 * others as rows. Pure.
 */
import type { Rendering } from "../../mcp/rendering/render-answer.ts";
import type { N8nUrls } from "../../n8n/n8n-urls.ts";
import { HOLDS_THE_ID } from "../request-causes.ts";
import type { Match, TreeNode } from "../request-node.ts";

export const TRACE_RENDERING: Rendering = {
  trees: {
    executions: { id: "id", parent: "parentId", bar: { start: "startOffsetMs", duration: "durationMs" } },
  },
};

const MAX_IN_FULL = 8;
const MAX_ROWS = 50;
/** The parent key of executions without a cause. */
const NO_PARENT = "none";

export const LEGEND =
  "rows by parent: id kind startOffsetMs durationMs; kinds: workflow status role evidence; from 0";

export type ShownTree = ReturnType<typeof showTree>;
export type MoreExecutions = ReturnType<typeof toRows>;

/** @param nodes in tree order @param important ids of important executions, the most important first */
export function showTree(nodes: readonly TreeNode[], important: readonly string[], urls: N8nUrls) {
  const startedAt = earliest(nodes.filter(({ role }) => role !== "related")) ?? earliest(nodes);
  const full = inFull(nodes, important);
  const others = nodes.filter(({ id }) => !full.has(id));
  return {
    /** Start of the first execution, ISO 8601; offsets count from it. */
    startedAt,
    executionUrl: nodes.length === 0 ? undefined : urls.templates.execution,
    executions: nodes.filter(({ id }) => full.has(id)).map((node) => toEntry(node, startedAt)),
    moreExecutions: others.length === 0 ? null : toRows(others, startedAt),
  };
}

function earliest(nodes: readonly TreeNode[]): string | null {
  const starts = nodes.map(({ startedAt }) => startedAt).filter((time) => time !== null);
  return starts.sort()[0] ?? null;
}

/** All nodes of a small tree; otherwise the important ones, or the first ones. */
function inFull(nodes: readonly TreeNode[], important: readonly string[]): ReadonlySet<string> {
  const ids = nodes.map(({ id }) => id);
  if (ids.length <= MAX_IN_FULL) return new Set(ids);
  const known = important.filter((id) => ids.includes(id));
  return new Set(known.length > 0 ? known : ids.slice(0, 1));
}

const offsetOf = ({ startedAt }: TreeNode, start: string | null): number | null =>
  startedAt === null || start === null ? null : Date.parse(startedAt) - Date.parse(start);

const LINKS = new Set(["parentExecution", "subExecution", "retryOf"]);
/** The most common link, which is not shown. */
const USUAL_LINK = "parentExecution";

/** Omits the evidence if the match implies it, and the match if one of n8n's links is the evidence. */
function toEntry(node: TreeNode, start: string | null) {
  const { id, workflowId, workflowName, role, parentId, status, durationMs, match, evidence } = node;
  const isImplied = evidence === USUAL_LINK || (evidence === HOLDS_THE_ID && match !== null);
  return {
    id,
    workflowId,
    workflowName,
    role,
    parentId: parentId ?? undefined,
    status,
    startOffsetMs: offsetOf(node, start),
    durationMs,
    evidence: isImplied ? undefined : evidence,
    match: match === null || LINKS.has(evidence) ? undefined : toMatch(match),
  };
}

/** An absent `kind` means an exact match. */
const toMatch = ({ kind, nodeName, path }: Match) => ({
  kind: kind === "exact" ? undefined : kind,
  nodeName,
  path,
});

/** If there are too many, successes are left out first. */
function toRows(nodes: readonly TreeNode[], start: string | null) {
  const [succeeded, others] = [
    nodes.filter(({ status }) => status === "success"),
    nodes.filter(({ status }) => status !== "success"),
  ];
  const kept = new Set([...others, ...succeeded].slice(0, MAX_ROWS));
  const shown = nodes.filter((node) => kept.has(node));
  const names = new Map(shown.map((node) => [node.workflowId, node.workflowName ?? node.workflowId]));
  const workflowIds = [...names.keys()];
  const kindOf = (node: TreeNode): string =>
    `${workflowIds.indexOf(node.workflowId)} ${node.status} ${node.role} ${node.evidence}`;
  const kinds = [...new Set(shown.map(kindOf))];
  const rowOf = (node: TreeNode): string =>
    [node.id, kinds.indexOf(kindOf(node)), offsetOf(node, start) ?? "-", node.durationMs ?? "-"].join(" ");
  const byParent = Map.groupBy(shown, ({ parentId }) => parentId ?? NO_PARENT);
  const rows: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
    [...byParent].map(([parentId, children]) => [parentId, children.map(rowOf)]),
  );
  return {
    legend: LEGEND,
    workflows: [...names.values()],
    /** In the same order. Together with the id of a row they form its address, as `executionUrl` shows. */
    workflowIds,
    /** Shared by many executions: `<index in workflows> <status> <role> <evidence>`. */
    kinds,
    /** Id of the parent → `<id> <index in kinds> <start offset in ms> <duration in ms>`; `-` is unknown. */
    rows,
    notShown: nodes.length - shown.length,
  };
}
