/**
 * The executions of an answer in as few tokens as they can be told: all in full while they are few, else the
 * ones that matter in full and the others as rows. Pure.
 */
import type { N8nUrls } from "../../n8n/n8n-urls.ts";
import { HOLDS_THE_ID, type Match, type TreeNode } from "../request-tree.ts";

/** Trees up to this size are told in full. */
const MAX_IN_FULL = 8;
/** As many rows as an answer has room for. */
const MAX_ROWS = 50;
/** Above the rows of executions that nothing caused. */
const NO_PARENT = "none";

/** How to read the rows, for whoever reads the answer. */
export const LEGEND =
  "rows by parent: id kind startOffsetMs durationMs; kinds: workflow status role evidence; from 0";

/** What there is none of is left out. */
export interface TraceEntry
  extends Pick<TreeNode, "id" | "workflowId" | "workflowName" | "role" | "status" | "durationMs"> {
  /** Milliseconds since the first execution began. */
  readonly startOffsetMs: number | null;
  /** The execution that caused this one. */
  readonly parentId?: string;
  /** Why it belongs here. Where `match` says it, that alone. */
  readonly evidence?: string;
  /** Where the request id stands. Of an execution that a link of n8n's brought here, the link says enough. */
  readonly match?: ToldMatch;
}

/** Without `kind`, the id stands there as such. */
type ToldMatch = Omit<Match, "kind"> & { readonly kind?: "mentioned" };

export interface MoreExecutions {
  readonly legend: typeof LEGEND;
  /** Names. */
  readonly workflows: readonly string[];
  /** In the same order. With the id of a row they make its address, as `executionUrl` shows. */
  readonly workflowIds: readonly string[];
  /** What many executions have in common: `<index in workflows> <status> <role> <evidence>`. */
  readonly kinds: readonly string[];
  /** Id of the parent → `<id> <index in kinds> <start offset in ms> <duration in ms>`, `-` for what is not known. */
  readonly rows: Readonly<Record<string, readonly string[]>>;
  /** How many there are besides. */
  readonly notShown: number;
}

export interface ToldTree {
  /** Start of the first execution, ISO 8601; offsets count from it. */
  readonly startedAt: string | null;
  /** Where each opens in n8n; not there when there is none. */
  readonly executionUrl?: string;
  readonly executions: readonly TraceEntry[];
  readonly moreExecutions: MoreExecutions | null;
}

/**
 * @param nodes in tree order
 * @param important ids of the executions that matter most, first the one that matters most
 */
export function tellTree(nodes: readonly TreeNode[], important: readonly string[], urls: N8nUrls): ToldTree {
  const startedAt = earliest(nodes);
  const full = inFull(nodes, important);
  const executions = nodes.filter(({ id }) => full.has(id)).map((node) => toTold(node, startedAt));
  const others = nodes.filter(({ id }) => !full.has(id));
  return {
    startedAt,
    ...(nodes.length === 0 ? {} : { executionUrl: urls.templates.execution }),
    executions,
    moreExecutions: others.length === 0 ? null : toRows(others, startedAt),
  };
}

function earliest(nodes: readonly TreeNode[]): string | null {
  return nodes.reduce<string | null>(
    (first, { startedAt }) =>
      startedAt !== null && (first === null || startedAt < first) ? startedAt : first,
    null,
  );
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

/** Links of n8n's between two executions. */
const LINKS = new Set(["parentExecution", "subExecution", "retryOf"]);
/** By which nearly all hang together: told where it is another. */
const USUAL_LINK = "parentExecution";

function toTold(node: TreeNode, start: string | null): TraceEntry {
  const { id, workflowId, workflowName, role, parentId, status, durationMs, match, evidence } = node;
  return {
    ...{ id, workflowId, workflowName, role },
    ...(parentId === null ? {} : { parentId }),
    ...{ status, startOffsetMs: offsetOf(node, start), durationMs },
    ...(evidence === USUAL_LINK || (evidence === HOLDS_THE_ID && match !== null) ? {} : { evidence }),
    ...(match === null || LINKS.has(evidence) ? {} : { match: toldMatch(match) }),
  };
}

const toldMatch = ({ kind, nodeName, path }: Match): ToldMatch =>
  kind === "exact" ? { nodeName, path } : { kind, nodeName, path };

/** When there are too many, those that did not succeed are kept to the last. */
function toRows(nodes: readonly TreeNode[], start: string | null): MoreExecutions {
  const ranked = [
    ...nodes.filter(({ status }) => status !== "success"),
    ...nodes.filter(({ status }) => status === "success"),
  ];
  const kept = new Set(ranked.slice(0, MAX_ROWS));
  const shown = nodes.filter((node) => kept.has(node));
  const names = new Map(shown.map((node) => [node.workflowId, node.workflowName ?? node.workflowId]));
  const workflowIds = [...names.keys()];
  const kindOf = (node: TreeNode): string =>
    `${workflowIds.indexOf(node.workflowId)} ${node.status} ${node.role} ${node.evidence}`;
  const kinds = [...new Set(shown.map(kindOf))];
  const rowOf = (node: TreeNode): string =>
    [node.id, kinds.indexOf(kindOf(node)), offsetOf(node, start) ?? "-", node.durationMs ?? "-"].join(" ");
  const byParent = Map.groupBy(shown, ({ parentId }) => parentId ?? NO_PARENT);
  return {
    legend: LEGEND,
    workflows: [...names.values()],
    workflowIds,
    kinds,
    rows: Object.fromEntries([...byParent].map(([parentId, children]) => [parentId, children.map(rowOf)])),
    notShown: nodes.length - shown.length,
  };
}
