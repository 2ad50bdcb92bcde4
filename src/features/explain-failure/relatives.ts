/** The executions that an execution led to, from the tree of its request. Pure. */
import type { Relative } from "../../executions/causes/execution-view.ts";
import { closureOf } from "../../platform/closure.ts";
import { isNewer } from "../../platform/id-order.ts";
import type { TreeNode } from "../request-node.ts";
import type { RequestTree } from "../request-tree.ts";

/** Enough to show the outcome; a batch may have started hundreds. */
const MAX_RELATIVES = 6;

const ROLES = ["sub_workflow", "error_handler", "retry"] as const;

export function relativesIn(tree: RequestTree, id: string): Relative[] {
  const toRelative = (node: TreeNode, role: Relative["role"]): Relative => ({
    role,
    id: node.id,
    workflowName: node.workflowName ?? node.workflowId,
    status: node.status,
    isLater: isNewer(node.id, id),
  });
  const below = tree.nodes.flatMap((node) => {
    const role = ROLES.find((one) => one === node.role);
    const isBelow = node.parentId === id || (role === "retry" && isRetryOf(tree, node, id));
    return isBelow && role !== undefined ? [toRelative(node, role)] : [];
  });
  const lineage = lineageOf(tree, id);
  const isAbove = (one: string): boolean => lineage.some((node) => node.id === one);
  const others = tree.deliveries
    .filter(({ node }) => !isAbove(node.id) && !below.some((one) => one.id === node.id))
    .map(({ node }) => toRelative(node, "again"));
  const ended = (relative: Relative): number => Number(relative.status === "success");
  // What was retried, or had an error workflow, called nothing.
  const end = lineage.findIndex(({ role }) => role !== "sub_workflow");
  const callers = lineage
    .slice(1, end === -1 ? undefined : end + 1)
    .map((node) => toRelative(node, "caller"));
  return [...callers, ...below.toSorted((one, other) => ended(one) - ended(other)), ...others].slice(
    0,
    MAX_RELATIVES,
  );
}

/** Of the execution, of its retry, or of a retry of that: n8n names only the last success, at the retry that it retried. */
function isRetryOf(tree: RequestTree, { id }: TreeNode, original: string): boolean {
  const lineage = lineageOf(tree, id);
  const at = lineage.findIndex((node) => node.id === original);
  return at > 0 && lineage.slice(0, at).every(({ role }) => role === "retry");
}

/** An execution and all above it, nearest first, which include the delivery that it belongs to. */
function lineageOf({ nodes }: RequestTree, id: string): TreeNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const lineage = closureOf([id], (one) => [byId.get(one)?.parentId ?? []].flat());
  return [...lineage].flatMap((one) => byId.get(one) ?? []);
}
