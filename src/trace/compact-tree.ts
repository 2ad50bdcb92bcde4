/**
 * The executions of an answer in as few tokens as they can be told: all in full while they are few, else the
 * ones that matter in full and the others as rows. Pure.
 */
import type { TimelineEvent } from "./timeline.ts";
import type { Role, TreeNode } from "./tree.ts";

/** Trees up to this size are told in full. */
const MAX_IN_FULL = 8;
/** Of a larger one: the execution that decided, the one that failed, and the first. */
const MAX_IN_FULL_OF_MANY = 3;
/** More rows than this are more than an answer may have. */
const MAX_ROWS = 60;

export const ROW_COLUMNS = [
  "id",
  "workflow",
  "role",
  "parentId",
  "evidence",
  "status",
  "startOffsetMs",
  "durationMs",
] as const;

/** The cells of a row, in the order of `ROW_COLUMNS`. `workflow` counts in `workflows`, from 0. */
export type Row = readonly [
  string,
  number,
  Role,
  string | null,
  string,
  string,
  number | null,
  number | null,
];

export interface ToldExecution extends Omit<TreeNode, "startedAt" | "stoppedAt"> {
  /** Milliseconds since the first execution began. */
  readonly startOffsetMs: number | null;
}

export interface MoreExecutions {
  readonly columns: typeof ROW_COLUMNS;
  readonly workflows: readonly string[];
  readonly rows: readonly Row[];
  /** How many are not told at all. */
  readonly notShown: number;
}

export interface ToldTree {
  /** Start of the first execution, ISO 8601; offsets count from it. */
  readonly startedAt: string | null;
  readonly executions: readonly ToldExecution[];
  readonly moreExecutions: MoreExecutions | null;
  /** Of the executions told in full; those in rows have their offset and duration there. */
  readonly timeline: readonly TimelineEvent[];
}

/**
 * @param nodes in tree order
 * @param important ids of the executions that matter most, first the one that matters most
 */
export function tellTree(
  nodes: readonly TreeNode[],
  timeline: readonly TimelineEvent[],
  important: readonly string[],
): ToldTree {
  const startedAt = earliest(nodes);
  const full = inFull(nodes, important);
  const executions = nodes.filter(({ id }) => full.has(id)).map((node) => toTold(node, startedAt));
  const others = nodes.filter(({ id }) => !full.has(id));
  return {
    startedAt,
    executions,
    moreExecutions: others.length === 0 ? null : toRows(others, startedAt),
    timeline: timeline.filter(({ executionId }) => full.has(executionId)),
  };
}

function earliest(nodes: readonly TreeNode[]): string | null {
  return nodes.reduce<string | null>(
    (first, { startedAt }) =>
      startedAt !== null && (first === null || startedAt < first) ? startedAt : first,
    null,
  );
}

function inFull(nodes: readonly TreeNode[], important: readonly string[]): ReadonlySet<string> {
  if (nodes.length <= MAX_IN_FULL) return new Set(nodes.map(({ id }) => id));
  const ids = new Set(nodes.map(({ id }) => id));
  const ranked = [...important.filter((id) => ids.has(id)), ...ids];
  return new Set([...new Set(ranked)].slice(0, MAX_IN_FULL_OF_MANY));
}

function offsetOf({ startedAt }: TreeNode, start: string | null): number | null {
  return startedAt === null || start === null ? null : Date.parse(startedAt) - Date.parse(start);
}

function toTold(node: TreeNode, start: string | null): ToldExecution {
  const { startedAt: _startedAt, stoppedAt: _stoppedAt, ...told } = node;
  return { ...told, startOffsetMs: offsetOf(node, start) };
}

/** When there are too many, those that did not succeed are kept to the last. */
function toRows(nodes: readonly TreeNode[], start: string | null): MoreExecutions {
  const ranked = [
    ...nodes.filter(({ status }) => status !== "success"),
    ...nodes.filter(({ status }) => status === "success"),
  ];
  const kept = new Set(ranked.slice(0, MAX_ROWS));
  const shown = nodes.filter((node) => kept.has(node));
  const nameOf = (node: TreeNode): string => node.workflowName ?? node.workflowId;
  const workflows = [...new Set(shown.map(nameOf))];
  return {
    columns: ROW_COLUMNS,
    workflows,
    rows: shown.map((node) => [
      node.id,
      workflows.indexOf(nameOf(node)),
      node.role,
      node.parentId,
      node.evidence,
      node.status,
      offsetOf(node, start),
      node.durationMs,
    ]),
    notShown: nodes.length - shown.length,
  };
}
