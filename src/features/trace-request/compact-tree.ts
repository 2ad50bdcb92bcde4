/**
 * Shows the executions of an answer in as few tokens as possible: all in full while they are few, else the ones that
 * matter in full and the others as rows. Pure.
 */
import type { Rendering } from "../../mcp/rendering/render-answer.ts";
import type { N8nUrls } from "../../n8n/n8n-urls.ts";
import { HOLDS_THE_ID, type Match, type TreeNode } from "../request-tree.ts";

/** The executions are best read as a tree, with their times as bars. */
export const TRACE_RENDERING: Rendering = {
  trees: {
    executions: { id: "id", parent: "parentId", bar: { start: "startOffsetMs", duration: "durationMs" } },
  },
};

/** Trees up to this size are shown in full. */
const MAX_IN_FULL = 8;
const MAX_ROWS = 50;
/** Stands above the rows of executions that nothing caused. */
const NO_PARENT = "none";

export const LEGEND =
  "rows by parent: id kind startOffsetMs durationMs; kinds: workflow status role evidence; from 0";

export type ShownTree = ReturnType<typeof showTree>;
export type MoreExecutions = ReturnType<typeof toRows>;

/**
 * @param nodes in tree order
 * @param important ids of the executions that matter most, first the one that matters most
 */
export function showTree(nodes: readonly TreeNode[], important: readonly string[], urls: N8nUrls) {
  const startedAt = earliest(nodes);
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

/** All of a small tree; of a larger one what matters most, else the first. */
function inFull(nodes: readonly TreeNode[], important: readonly string[]): ReadonlySet<string> {
  const ids = nodes.map(({ id }) => id);
  if (ids.length <= MAX_IN_FULL) return new Set(ids);
  const known = important.filter((id) => ids.includes(id));
  return new Set(known.length > 0 ? known : ids.slice(0, 1));
}

function offsetOf({ startedAt }: TreeNode, start: string | null): number | null {
  return startedAt === null || start === null ? null : Date.parse(startedAt) - Date.parse(start);
}

const LINKS = new Set(["parentExecution", "subExecution", "retryOf"]);
/** The link of nearly all: it goes without saying. */
const USUAL_LINK = "parentExecution";

/** Leaves out the evidence where the match says it, and the match of what a link of n8n's brought here. */
function toEntry(node: TreeNode, start: string | null) {
  const { id, workflowId, workflowName, role, parentId, status, durationMs, match, evidence } = node;
  const isSaid = evidence === USUAL_LINK || (evidence === HOLDS_THE_ID && match !== null);
  return {
    ...{ id, workflowId, workflowName, role },
    parentId: parentId ?? undefined,
    ...{ status, startOffsetMs: offsetOf(node, start), durationMs },
    evidence: isSaid ? undefined : evidence,
    match: match === null || LINKS.has(evidence) ? undefined : toMatch(match),
  };
}

/** Without `kind`, the id stands there as such. */
const toMatch = ({ kind, nodeName, path }: Match) => ({
  kind: kind === "exact" ? undefined : kind,
  nodeName,
  path,
});

/** When there are too many, those that did not succeed are kept to the last. */
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
    /** In the same order. With the id of a row they make its address, as `executionUrl` shows. */
    workflowIds,
    /** What many executions have in common: `<index in workflows> <status> <role> <evidence>`. */
    kinds,
    /** Id of the parent → `<id> <index in kinds> <start offset in ms> <duration in ms>`; `-` is unknown. */
    rows,
    notShown: nodes.length - shown.length,
  };
}
