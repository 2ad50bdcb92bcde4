/**
 * Lists the differences briefly, the most significant first. A difference that later nodes only pass on is shown once, at
 * the node that first sends it. Pure.
 */
import {
  DIFFERENCE_KINDS,
  type ExecutionComparison,
  isFirst,
  kindsOf,
  type NodeDifference,
  type OutputKeys,
} from "../../executions/comparison/compare-executions.ts";
import { maskKeys } from "../../executions/comparison/compare-shapes.ts";

/** Beyond this, only the count is given. */
const MAX_PATHS = 10;
const MAX_PATH = 120;

const shortPath = (path: string): string => (path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path);

/** The first ones, and how many more there are; undefined if there are none. */
export function firstAndMore<One>(all: readonly One[], most: number): (One | string)[] | undefined {
  if (all.length === 0) return undefined;
  const more = all.length - most;
  return [...all.slice(0, most), ...(more > 0 ? [`… ${more} more`] : [])];
}

const listed = (paths: readonly string[]) => firstAndMore(paths.map(shortPath), MAX_PATHS);

const types = (all: readonly string[]): string => all.join("|") || "?";

function showKeys({ output, itemsRead, missing, added, changedTypes }: OutputKeys) {
  const changes = changedTypes.map(
    ({ path, before, now }) => `${path === "" ? "item" : path}: ${types(before)} → ${types(now)}`,
  );
  return {
    output: output === 0 ? undefined : output,
    itemsRead,
    missing: listed(missing),
    added: listed(added),
    changedTypes: listed(changes),
  };
}

/** Marks that identify the same difference in later nodes: the last key of each path, and what changed. */
function marksOf(keys: readonly OutputKeys[]): string[] {
  const last = (path: string): string =>
    path
      .split(/[.[\]]+/)
      .filter((part) => part !== "")
      .at(-1) ?? "";
  return keys.flatMap(({ missing, added, changedTypes }) => [
    ...missing.map((path) => `missing ${last(path)}`),
    ...added.map((path) => `added ${last(path)}`),
    ...changedTypes.map(({ path, now }) => `${last(path)} ${types(now)}`),
  ]);
}

interface ReportedNode {
  readonly node: NodeDifference;
  /** Nodes that only pass its differences on. */
  readonly alsoIn: string[];
}

function mergePassedOn(nodes: readonly NodeDifference[]): ReportedNode[] {
  const reported = new Map<string, ReportedNode>();
  return nodes.flatMap((node) => {
    const marks = marksOf(node.keys);
    const [first] = marks.map((mark) => reported.get(mark));
    const isPassedOn = first !== undefined && marks.every((mark) => reported.has(mark));
    if (isPassedOn && kindsOf(node).every((kind) => kind === "keys" || kind === "headers")) {
      first.alsoIn.push(node.nodeName);
      return [];
    }
    const entry = { node, alsoIn: [] };
    for (const mark of marks) if (!reported.has(mark)) reported.set(mark, entry);
    return [entry];
  });
}

function showNode({ keys, headers, ...node }: NodeDifference, alsoIn: readonly string[]) {
  // A failed node is not expected to send items.
  const hasFailed = node.status?.now === "error";
  return {
    nodeName: node.nodeName,
    nameBefore: node.nameBefore,
    nodeType: node.nodeType,
    comparedWith: node.comparedWith,
    ran: node.ran,
    status: node.status,
    outputs: hasFailed ? undefined : node.outputs,
    items: hasFailed ? undefined : node.items,
    fields: keys.length === 0 ? undefined : keys.map(showKeys),
    headers: headers.length === 0 || keys.length > 0 ? undefined : headers.map(showKeys),
    durationMs: node.durationMs,
    edited: listed(node.edited),
    alsoIn: alsoIn.length === 0 ? undefined : alsoIn.slice(0, MAX_PATHS).map(shortPath),
  };
}

function rankOf(node: NodeDifference): number {
  const [kind] = kindsOf(node);
  return kind === undefined ? DIFFERENCE_KINDS.length : DIFFERENCE_KINDS.indexOf(kind);
}

/** Whether a node ran in only one of the two executions; such nodes are listed separately. */
const onlyRan = (node: NodeDifference): boolean =>
  node.ran !== undefined && kindsOf(node).every((kind) => kind === "ran");

/** @param isKnown whether a field name may be shown; undefined when all may */
export function reportNodes(
  { firstDifference, nodes }: ExecutionComparison,
  isKnown: ((key: string) => boolean) | undefined,
) {
  const first = (node: NodeDifference): number => Number(isFirst(node, firstDifference));
  return mergePassedOn(nodes.filter((node) => !onlyRan(node)))
    .sort((a, b) => first(b.node) - first(a.node) || rankOf(a.node) - rankOf(b.node))
    .map(({ node, alsoIn }) => showNode(masked(node, isKnown), alsoIn));
}

function masked(node: NodeDifference, isKnown: ((key: string) => boolean) | undefined): NodeDifference {
  if (isKnown === undefined) return node;
  const mask = (keys: OutputKeys): OutputKeys => maskKeys(keys, isKnown);
  return { ...node, keys: node.keys.map(mask), headers: node.headers.map(mask) };
}
