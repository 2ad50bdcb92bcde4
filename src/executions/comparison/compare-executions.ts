/**
 * The differences between two executions of a workflow, node by node, in the order in which the nodes ran. They hold
 * names, types and counts, but no payload values. Field names come from the payload: anyone who may not see payload is
 * shown only those that `known-fields.ts` allows.
 *
 * If ordinary executions are given, anything that also varies among them does not count as a difference: fields that
 * are sometimes present, outputs that are sometimes used. Linear in what was read. Pure.
 */
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { sumOf } from "../../platform/sum-of.ts";
import type { IsKnownField } from "../known-fields.ts";
import { lacksRuns, runsByNode } from "../node-runs.ts";
import { isWithheldByN8n } from "../withheld.ts";
import {
  compareShapes,
  differInKeys,
  type KeyDifferences,
  NO_KEYS,
  withoutHeaders,
} from "./compare-shapes.ts";
import { changesOf, editedNodes, type NodePairs, pairNodes } from "./node-pairs.ts";
import { type NodePlace, type NodeTrace, ofName, placesOf } from "./node-places.ts";
import { emptyShape, mergeInto, type Shape } from "./shape.ts";

/** How one node's runs differ. An absent member means no difference. */
export interface NodeDifference {
  /** Its name now; for a removed node, its name before. */
  readonly nodeName: string;
  readonly nameBefore?: string | undefined;
  /** Whether it was removed from the workflow; another node may have its name now. */
  readonly isRemoved?: boolean;
  readonly nodeType: string | null;
  /** If the earlier execution did not run the node: the id of the other success that it is compared with. */
  readonly comparedWith?: string | undefined;
  /** The number of runs, if it ran in only one of the two; then only its status is reported besides. */
  readonly ran?: Change<number> | undefined;
  /** How its runs ended: `success`, `error`, …; null if it did not run. */
  readonly status?: Change<string | null> | undefined;
  /** The outputs that sent anything, counted from 0. */
  readonly outputs?: Change<readonly number[]> | undefined;
  /** `at least 200` if some runs were not read. */
  readonly items?: Change<ItemCount> | undefined;
  /** By output: sent fields that differ by presence or type, without headers. */
  readonly keys: readonly OutputKeys[];
  /** The same for HTTP headers in an item, which differ from client to client. */
  readonly headers: readonly OutputKeys[];
  /** Total milliseconds of all runs, if they differ much. */
  readonly durationMs?: Change<number> | undefined;
  /** Paths that were edited: `parameters.url`, `credentials.httpBasicAuth.name`, `onError`. */
  readonly edited: readonly string[];
}

export type ItemCount = number | `at least ${number}`;

export interface Change<Value> {
  readonly before: Value;
  readonly now: Value;
}

export interface OutputKeys extends KeyDifferences {
  readonly output: number;
  /** `3 of 5`, if not all items were read: the others may hold what is missing. */
  readonly itemsRead?: Change<string> | undefined;
}

/** Kinds of differences, most informative first. */
export const DIFFERENCE_KINDS = [
  "keys",
  "status",
  "outputs",
  "ran",
  "items",
  "edited",
  "durationMs",
  "headers",
] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

export function kindsOf(node: NodeDifference): DifferenceKind[] {
  return DIFFERENCE_KINDS.filter((kind) => {
    const difference = node[kind];
    return Array.isArray(difference) ? difference.length > 0 : difference !== undefined;
  });
}

interface Comparable {
  /** False if n8n withholds the items of either execution. */
  readonly shapes: boolean;
  /** False if either execution has no data. */
  readonly runs: boolean;
  /** Nodes that have not run yet may still run. */
  readonly mayContinue: Change<boolean>;
}

const NOT_COMPARED = [
  "withheld",
  /** n8n kept no data of it. */
  "no_data",
  "unfinished",
  /** There are too many runs to read them all. */
  "many_runs",
] as const;
export type NotCompared = (typeof NOT_COMPARED)[number];

/**
 * The first node in the order of execution that differs in keys and types, else the first in outputs, status or items,
 * else the first that was edited. On real failures, the first one that differed in keys was the root in 38 of 54.
 */
type FirstDifference = { readonly nodeName: string; readonly by: DifferenceKind } | null;

export type ExecutionComparison = Readonly<ReturnType<typeof compareExecutions>>;

/**
 * @param now the execution in question
 * @param before the execution that it is compared with
 * @param ordinary others like `before`: only differences from all of them are reported
 * @param isKnown which field names are compared; by default all. Anyone who may not see a name must not be able to
 * learn it by sending a payload with the same name
 */
export function compareExecutions(
  now: ExecutionWithData,
  before: ExecutionWithData,
  ordinary: readonly ExecutionWithData[] = [],
  isKnown?: IsKnownField,
) {
  const paired = pairNodes(before, now);
  const places = placesOf(now, before, ordinary, isKnown);
  const differences = differencesOf(places, paired, {
    shapes: !isWithheldByN8n(now) && !isWithheldByN8n(before),
    runs: hasRun(now) && hasRun(before),
    mayContinue: { before: isUnfinished(before), now: isUnfinished(now) },
  });
  const nodes = differences.filter((node) => kindsOf(node).length > 0 || node.nameBefore !== undefined);
  return {
    /** The nodes that differ, in the order in which they ran; those that did not run now are at their previous position. */
    nodes,
    firstDifference: firstDifferenceOf(nodes),
    trigger: triggerOf(places, nodes),
    ranBeforeNotNow: nodes.filter(({ ran }) => ran?.now === 0).map(({ nodeName }) => nodeName),
    ranNowNotBefore: nodes.filter(({ ran }) => ran?.before === 0).map(({ nodeName }) => nodeName),
    /** Whether any node was compared with another success, since the earlier execution did not run it. */
    hasOtherBranch: differences.some(({ comparedWith }) => comparedWith !== undefined),
    workflow: {
      isSame: now.workflowId === before.workflowId,
      versionBefore: versionOf(before),
      versionNow: versionOf(now),
      added: paired.added.map(({ name }) => name),
      removed: paired.removed.map(({ name }) => name),
      renamed: paired.pairs
        .filter((pair) => pair.before.name !== pair.now.name)
        .map((pair) => ({ before: pair.before.name, now: pair.now.name })),
      shared: paired.pairs.length,
    },
    notCompared: [...limitsOf("before", before), ...limitsOf("now", now)],
  };
}

function differencesOf(
  places: readonly NodePlace[],
  paired: NodePairs,
  comparable: Comparable,
): NodeDifference[] {
  const ran = new Set(places.map(({ nameNow }) => nameNow));
  const edited = new Map(
    editedNodes(paired).map((node) => [node.nodeName, changesOf(node).map(({ path }) => path)]),
  );
  const pairOf = new Map(paired.pairs.map((pair) => [pair.now.name, pair]));
  const others = [...edited].filter(([nodeName]) => !ran.has(nodeName));
  return [
    ...places.map((place) => compareNode(place, ofName(edited, place.nameNow) ?? [], comparable)),
    ...others.map(([nodeName, paths]) => {
      const { before, now } = pairOf.get(nodeName) ?? {};
      return onlyEdited({ nodeName, nameBefore: before?.name, nodeType: now?.type ?? null }, paths);
    }),
  ];
}

export function versionOf({ workflowVersionId, workflowData }: ExecutionWithData): string | null {
  const kept = workflowData?.versionId;
  return workflowVersionId ?? (typeof kept === "string" ? kept : null);
}

/** In this order, so that the least informative kinds only count if there is nothing else. */
const FIRST_BY: readonly (readonly DifferenceKind[])[] = [
  ["keys"],
  ["outputs", "status", "ran"],
  ["items"],
  ["edited"],
  ["durationMs"],
];

/** Two nodes may have that name: a removed one, and the one that was given its name. */
export const isFirst = (node: NodeDifference, first: FirstDifference): boolean =>
  first !== null && node.nodeName === first.nodeName && kindsOf(node).includes(first.by);

function firstDifferenceOf(nodes: readonly NodeDifference[]): FirstDifference {
  for (const kinds of FIRST_BY) {
    for (const node of nodes) {
      const by = kindsOf(node).find((kind) => kinds.includes(kind));
      if (by !== undefined) return { nodeName: node.nodeName, by };
    }
  }
  return null;
}

function triggerOf(places: readonly NodePlace[], differences: readonly NodeDifference[]) {
  const trigger = places.find(({ now }) => now !== undefined);
  if (trigger === undefined) return null;
  const { nodeName } = trigger;
  const first = places.find(({ before }) => before !== undefined);
  const { missing, added, changedTypes } =
    differences.find((one) => one.nodeName === nodeName && one.isRemoved !== true)?.keys[0] ?? NO_KEYS;
  // Another node may have started the earlier execution.
  return { nodeName, isSame: first === trigger, keys: { missing, added, changedTypes } };
}

const UNFINISHED = new Set(["new", "running", "waiting", "unknown"]);

const isUnfinished = ({ status }: ExecutionWithData): boolean => UNFINISHED.has(status);
const hasRun = (execution: ExecutionWithData): boolean => runsByNode(execution).size > 0;
const hasTooManyRuns = (execution: ExecutionWithData): boolean =>
  [...runsByNode(execution).keys()].some((nodeName) => lacksRuns(execution, nodeName));

function limitsOf(of: "before" | "now", execution: ExecutionWithData) {
  const isLimited: Readonly<Record<NotCompared, boolean>> = {
    withheld: isWithheldByN8n(execution),
    no_data: !hasRun(execution) && !isUnfinished(execution),
    unfinished: isUnfinished(execution),
    many_runs: hasTooManyRuns(execution),
  };
  return NOT_COMPARED.filter((why) => isLimited[why]).map((why) => ({ of, why }));
}

function compareNode(place: NodePlace, edited: readonly string[], comparable: Comparable): NodeDifference {
  const { isRemoved, now, before, others } = place;
  const common = { ...onlyEdited(place, edited), isRemoved };
  const { runs, mayContinue } = comparable;
  const mayYetRun = (now === undefined && mayContinue.now) || (before === undefined && mayContinue.before);
  if (!runs) return common;
  // A failure is final, whatever may still run.
  if (mayYetRun)
    return now?.status === "error" ? { ...common, status: { before: null, now: "error" } } : common;
  // If only another success ran the node, it is the reference: the earlier execution took another branch.
  const ordinary = [...(before === undefined ? [] : [before]), ...others];
  const [reference, ...rest] = ordinary;
  if (now === undefined || reference === undefined) return { ...common, ...comparePresence(place) };
  const change = <Value>(of: (trace: NodeTrace) => Value, isUsual: IsUsual) =>
    isUsual(now, ordinary) ? undefined : { before: of(reference), now: of(now) };
  return {
    ...common,
    comparedWith: before === undefined ? reference.executionId : undefined,
    status: change(({ status }) => status, endsAsOneOf),
    outputs: change(usedOutputs, usesOutputsAs),
    items: change(itemCount, sendsAsManyAs),
    durationMs: change(({ durationMs }) => durationMs, takesAsLongAs),
    ...(comparable.shapes ? compareKeys(now, [reference, ...rest]) : {}),
  };
}

/** Whether a node behaved as usual, judged by the runs that were read: unread ones may have done anything. */
type IsUsual = (now: NodeTrace, ordinary: readonly NodeTrace[]) => boolean;

const areWhole = (traces: readonly NodeTrace[]): boolean => traces.every(({ hasEveryRun }) => hasEveryRun);

const endsAsOneOf: IsUsual = (now, ordinary) =>
  ordinary.some(({ status }) => status === now.status) || (now.status !== "error" && !now.hasEveryRun);

const sendsAsManyAs: IsUsual = (now, ordinary) => {
  const [count, counts] = [sumOfItems(now), ordinary.map(sumOfItems)];
  const isFewer = now.hasEveryRun && count < Math.min(...counts);
  return !isFewer && !(areWhole(ordinary) && count > Math.max(...counts));
};

/** An output that only some successes use is optional, but some output must be used if each success uses one. */
const usesOutputsAs: IsUsual = (trace, others) => {
  const [now, ordinary] = [usedOutputs(trace), others.map(usedOutputs)];
  const known = new Set(ordinary.flat());
  const isUsedByAll = (output: number): boolean => ordinary.every((used) => used.includes(output));
  const lacksAny = now.length === 0 && ordinary.every(({ length }) => length > 0);
  const lacksOne = [...known].some((output) => !now.includes(output) && isUsedByAll(output));
  const hasNew = now.some((output) => !known.has(output));
  return !(trace.hasEveryRun && (lacksAny || lacksOne)) && !(areWhole(others) && hasNew);
};

type Named = Pick<NodeDifference, "nodeName" | "nameBefore" | "nodeType">;

const onlyEdited = (
  { nodeName, nameBefore, nodeType }: Named,
  edited: readonly string[],
): NodeDifference => ({
  nodeName,
  nameBefore: nameBefore === nodeName ? undefined : nameBefore,
  nodeType,
  keys: [],
  headers: [],
  edited,
});

/** For a node that ran in only one of the two executions. */
function comparePresence({ now, before, isOftenIdle }: NodePlace): Pick<NodeDifference, "ran" | "status"> {
  if (now === undefined && isOftenIdle) return {};
  return {
    ran: { before: before?.runs ?? 0, now: now?.runs ?? 0 },
    ...(now?.status === "error" ? { status: { before: null, now: now.status } } : {}),
  };
}

const sumOfItems = ({ items }: NodeTrace): number => sumOf(items, (count) => count);

const itemCount = (trace: NodeTrace): ItemCount =>
  trace.hasEveryRun ? sumOfItems(trace) : `at least ${sumOfItems(trace)}`;

const usedOutputs = ({ items }: NodeTrace): number[] =>
  items.flatMap((count, output) => (count > 0 ? [output] : []));

const FAR_OFF_FACTOR = 3;
const FAR_OFF_MS = 1_000;

/** Ignores small differences in duration, which are random. */
const takesAsLongAs: IsUsual = (now, ordinary) =>
  ![now, ...ordinary].every(({ hasEveryRun, hasOwnTimes }) => hasEveryRun && hasOwnTimes) ||
  ordinary.some(({ durationMs }) => {
    const [shorter = 0, longer = 0] = [now.durationMs, durationMs].sort((a, b) => a - b);
    return longer - shorter <= FAR_OFF_MS || longer <= FAR_OFF_FACTOR * shorter;
  });

function compareKeys(now: NodeTrace, ordinary: readonly [NodeTrace, ...NodeTrace[]]) {
  const keys: OutputKeys[] = [];
  const headers: OutputKeys[] = [];
  for (const [output, shape] of now.shapes.entries()) {
    const { own, ofHeaders } = withoutHeaders(compareShapes(mergedShape(ordinary, output), shape));
    const before = ordinary.find((one) => !isWholeIn(one, output)) ?? ordinary[0];
    const isWhole = isWholeIn(before, output) && isWholeIn(now, output);
    const itemsRead = isWhole ? undefined : { before: partRead(before, output), now: partRead(now, output) };
    if (differInKeys(own)) keys.push({ output, itemsRead, ...own });
    if (differInKeys(ofHeaders)) headers.push({ output, itemsRead, ...ofHeaders });
  }
  return { keys, headers };
}

const isWholeIn = ({ items, itemsRead }: NodeTrace, output: number): boolean =>
  items[output] === itemsRead[output];

const partRead = ({ items, itemsRead }: NodeTrace, output: number): string =>
  `${itemsRead[output] ?? 0} of ${items[output] ?? 0}`;

function mergedShape(traces: readonly NodeTrace[], output: number): Shape {
  const whole = emptyShape();
  for (const { shapes } of traces) {
    const shape = shapes[output];
    if (shape !== undefined) mergeInto(whole, shape);
  }
  return whole;
}
