/** The executions that an execution led to, from the tree of its request. Pure. */
import type { Relative } from "../../executions/causes/execution-view.ts";
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
    return node.parentId === id && role !== undefined ? [toRelative(node, role)] : [];
  });
  const lineage = lineageOf(tree, id);
  const others = tree.deliveries
    .filter(({ node }) => !lineage.has(node.id) && node.parentId !== id)
    .map(({ node }) => toRelative(node, "again"));
  const ended = (relative: Relative): number => Number(relative.status === "success");
  const callers = callersOf(tree, id).map((node) => toRelative(node, "caller"));
  return [...callers, ...below.toSorted((one, other) => ended(one) - ended(other)), ...others].slice(
    0,
    MAX_RELATIVES,
  );
}

/** The executions that called it, nearest first. What was retried, or had an error workflow, called nothing. */
function callersOf({ nodes }: RequestTree, id: string): TreeNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callers: TreeNode[] = [];
  for (let at = byId.get(id); at?.role === "sub_workflow" && callers.length < MAX_RELATIVES; ) {
    at = byId.get(at.parentId ?? "");
    if (at !== undefined) callers.push(at);
  }
  return callers;
}

/** An execution and all above it, which include the delivery that it belongs to. */
function lineageOf({ nodes }: RequestTree, id: string): Set<string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const lineage = new Set<string>();
  for (let at: string | null = id; at !== null && !lineage.has(at); at = byId.get(at)?.parentId ?? null)
    lineage.add(at);
  return lineage;
}
