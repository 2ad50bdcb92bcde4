/**
 * What an answer tells of a comparison: few words, the most telling first. A difference that a later node only hands
 * on is told once, at the node that first sends it. Pure.
 */
import {
  DIFFERENCE_KINDS,
  type ExecutionComparison,
  kindsOf,
  type NodeDifference,
  type OutputKeys,
} from "../../executions/comparison/compare-executions.ts";
import { maskKeys } from "../../executions/comparison/compare-shapes.ts";

export interface ShownNode {
  readonly nodeName: string;
  readonly [fact: string]: unknown;
}

export interface Report {
  readonly nodes: readonly ShownNode[];
  /** Names. */
  readonly ranBeforeNotNow: readonly string[];
  readonly ranNowNotBefore: readonly string[];
}

/** More of one kind say no more than their number. */
const MAX_PATHS = 10;
const MAX_PATH = 120;

interface Bounded {
  readonly shown: readonly string[];
  readonly more: number;
}

function bounded(paths: readonly string[]): Bounded {
  const shown = paths
    .slice(0, MAX_PATHS)
    .map((path) => (path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path));
  return { shown, more: paths.length - shown.length };
}

const listed = (name: string, { shown, more }: Bounded): Record<string, unknown> =>
  shown.length === 0 ? {} : { [name]: more === 0 ? shown : [...shown, `… ${more} more`] };

const types = (all: readonly string[]): string => all.join("|") || "?";

function showKeys({ output, missing, added, changedTypes }: OutputKeys): Record<string, unknown> {
  const changes = changedTypes.map(
    ({ path, before, now }) => `${path === "" ? "item" : path}: ${types(before)} → ${types(now)}`,
  );
  return {
    ...(output === 0 ? {} : { output }),
    ...listed("missing", bounded(missing)),
    ...listed("added", bounded(added)),
    ...listed("changedTypes", bounded(changes)),
  };
}

/** The last key of each path, and what happened to it: how a difference is known again further on. */
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

/** Each with the nodes that hand its differences on and do nothing else otherwise. */
function withHandedOn(nodes: readonly NodeDifference[]): { node: NodeDifference; alsoIn: string[] }[] {
  const told = new Map<string, { node: NodeDifference; alsoIn: string[] }>();
  return nodes.flatMap((node) => {
    const marks = marksOf(node.keys);
    const [first] = marks.map((mark) => told.get(mark));
    const isHandedOn = first !== undefined && marks.every((mark) => told.has(mark));
    if (isHandedOn && kindsOf(node).every((kind) => kind === "keys" || kind === "headers")) {
      first.alsoIn.push(node.nodeName);
      return [];
    }
    const entry = { node, alsoIn: [] };
    for (const mark of marks) if (!told.has(mark)) told.set(mark, entry);
    return [entry];
  });
}

function showNode(node: NodeDifference, alsoIn: readonly string[]): ShownNode {
  const { nodeName, nameBefore, nodeType, status, outputs, items, keys, headers, durationMs, edited, ran } =
    node;
  const hasFailed = status?.now === "error";
  return {
    nodeName,
    ...(nameBefore === undefined ? {} : { nameBefore }),
    nodeType,
    ...(ran === undefined ? {} : { ran }),
    ...(status === undefined ? {} : { status }),
    // Of a node that failed nobody expects items.
    ...(outputs === undefined || hasFailed ? {} : { outputs }),
    ...(items === undefined || hasFailed ? {} : { items }),
    ...(keys.length === 0 ? {} : { fields: keys.map(showKeys) }),
    ...(headers.length === 0 || keys.length > 0 ? {} : { headers: headers.map(showKeys) }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...listed("edited", bounded(edited)),
    ...(alsoIn.length === 0 ? {} : { alsoIn: [...bounded(alsoIn).shown] }),
  };
}

/** The kind of a node's most telling difference, as a number: the less the more telling. */
function rankOf(node: NodeDifference): number {
  const [kind] = kindsOf(node);
  return kind === undefined ? DIFFERENCE_KINDS.length : DIFFERENCE_KINDS.indexOf(kind);
}

/** A node of which no more is to be told than that it ran in one of the two. */
const onlyRan = (node: NodeDifference): boolean =>
  kindsOf(node).every((kind) => kind === "ran") && node.ran !== undefined;

/** @param isKnown which names of fields may be shown; undefined when all may */
export function toReport(comparison: ExecutionComparison, isKnown?: (key: string) => boolean): Report {
  const { firstDifference, nodes, ranBeforeNotNow, ranNowNotBefore } = comparison;
  const told = withHandedOn(nodes.filter((node) => !onlyRan(node)));
  const isFirst = ({ node }: { node: NodeDifference }): boolean =>
    node.nodeName === firstDifference?.nodeName;
  const ranked = told
    .map((entry, index) => ({ ...entry, index }))
    .sort(
      (a, b) =>
        Number(isFirst(b)) - Number(isFirst(a)) || rankOf(a.node) - rankOf(b.node) || a.index - b.index,
    );
  return {
    nodes: ranked.map(({ node, alsoIn }) => showNode(masked(node, isKnown), alsoIn)),
    ranBeforeNotNow,
    ranNowNotBefore,
  };
}

function masked(node: NodeDifference, isKnown: ((key: string) => boolean) | undefined): NodeDifference {
  if (isKnown === undefined) return node;
  const mask = (keys: OutputKeys): OutputKeys => maskKeys(keys, isKnown);
  return { ...node, keys: node.keys.map(mask), headers: node.headers.map(mask) };
}
