/**
 * What differs between two executions of a workflow, node by node, in the order in which the nodes ran. It holds
 * names, types and counts, and no value of a payload. Names of fields come from the payload: whoever may not see that
 * is shown only those that `known-fields.ts` lets through.
 *
 * What also varies between ordinary executions is no difference, where such are given: fields that are there
 * sometimes, outputs that are used sometimes. Linear in what was read. Pure.
 */
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { nodesByName } from "../node-runs.ts";
import { isWithheldByN8n } from "../withheld.ts";
import { compareShapes, differInKeys, type KeyDifferences, withoutHeaders } from "./compare-shapes.ts";
import { changesOf, editedNodes, type PairedNodes, pairNodes } from "./node-pairs.ts";
import { type NodeTrace, nodeTraces } from "./node-traces.ts";
import { emptyShape, mergeInto, type Shape } from "./shape.ts";

/** What one node did otherwise. A member that is absent does not differ. */
export interface NodeDifference {
  /** Its name now; of a node that is gone, its name before. */
  readonly nodeName: string;
  /** Where it had another. */
  readonly nameBefore?: string;
  readonly nodeType: string | null;
  /** How often it ran, where it ran in one of the two alone. Then nothing else is told of it but how it ended. */
  readonly ran?: Change<number>;
  /** How its runs ended: `success`, `error`, …; null where it did not run. */
  readonly status?: Change<string | null>;
  /** The outputs through which it sent anything, from 0. */
  readonly outputs?: Change<readonly number[]>;
  /** Items sent through all outputs. */
  readonly items?: Change<number>;
  /** By output: what it sends, of other fields or other types. Headers aside. */
  readonly keys: readonly OutputKeys[];
  /** The same of HTTP headers in an item, which differ from client to client. */
  readonly headers: readonly OutputKeys[];
  /** Milliseconds of all runs, where far off. */
  readonly durationMs?: Change<number>;
  /** Paths of what was edited: `parameters.url`, `credentials.httpBasicAuth.name`, `onError`. */
  readonly edited: readonly string[];
}

export interface Change<Value> {
  readonly before: Value;
  readonly now: Value;
}

export interface OutputKeys extends KeyDifferences {
  readonly output: number;
}

/** Kinds of differences, the most telling first. */
export const DIFFERENCE_KINDS = [
  "keys",
  "outputs",
  "status",
  "ran",
  "items",
  "edited",
  "durationMs",
  "headers",
] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** Why something was not compared. */
export type NotCompared =
  | "withheld"
  /** n8n kept no data of it, or it has not begun. */
  | "no_data"
  | "unfinished";

export interface ExecutionComparison {
  /** The nodes that differ, in the order in which they ran; those that did not run now at their place before. */
  readonly nodes: readonly NodeDifference[];
  /**
   * The first node in the order of execution that differs in keys and types, else the first in outputs, status or
   * items, else the first that was edited. On real failures the first in keys was the root in 38 of 54.
   */
  readonly firstDifference: { readonly nodeName: string; readonly by: DifferenceKind } | null;
  /** What started it, and how its item differs; null when nothing ran. */
  readonly trigger: {
    readonly nodeName: string;
    /** False when another node started it before. */
    readonly isSame: boolean;
    readonly keys: KeyDifferences;
  } | null;
  readonly ranBeforeNotNow: readonly string[];
  readonly ranNowNotBefore: readonly string[];
  readonly workflow: {
    readonly isSame: boolean;
    readonly versionBefore: string | null;
    readonly versionNow: string | null;
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly renamed: readonly Change<string>[];
    /** How many nodes both have. */
    readonly shared: number;
  };
  /** What could not be compared, of which of the two. */
  readonly notCompared: readonly { readonly of: "before" | "now"; readonly why: NotCompared }[];
}

const NO_KEYS: KeyDifferences = { missing: [], added: [], changedTypes: [] };

/**
 * @param now the execution that is asked about
 * @param before the one it is compared with
 * @param ordinary others like `before`: what differs from one of them, but not from another, is not told
 */
export function compareExecutions(
  now: ExecutionWithData,
  before: ExecutionWithData,
  ordinary: readonly ExecutionWithData[] = [],
): ExecutionComparison {
  const paired = pairNodes(before, now);
  const traces = { now: nodeTraces(now), before: nodeTraces(before) };
  const others = ordinary.map((one) => ({
    traces: nodeTraces(one),
    namesBefore: namesBefore(pairNodes(one, now)),
  }));
  const hasShapes = !isWithheldByN8n(now) && !isWithheldByN8n(before);
  const oldNames = namesBefore(paired);
  const edited = new Map(
    editedNodes(paired).map((node) => [node.nodeName, changesOf(node).map(({ path }) => path)]),
  );
  const types = { now: nodesByName(now), before: nodesByName(before) };

  const places: NodePlace[] = orderedNames(traces, oldNames).map(({ nodeName, nameBefore }) => ({
    nodeName,
    nameBefore,
    nodeType: (types.now.get(nodeName) ?? types.before.get(nameBefore))?.type ?? null,
    now: traces.now.get(nodeName),
    before: traces.before.get(nameBefore),
    others: others.map((other) => other.traces.get(other.namesBefore.get(nodeName) ?? nodeName)),
    edited: edited.get(nodeName) ?? [],
  }));
  const ran = new Set(places.map(({ nodeName }) => nodeName));
  const differences = [
    ...places.map((place) => compareNode(place, hasShapes)),
    ...[...edited]
      .filter(([nodeName]) => !ran.has(nodeName))
      .map(([nodeName, paths]) => onlyEdited(nodeName, paths, types.now.get(nodeName)?.type ?? null)),
  ];
  const nodes = differences.filter((node) => kindsOf(node).length > 0 || node.nameBefore !== undefined);
  return {
    nodes,
    firstDifference: firstDifferenceOf(nodes),
    trigger: triggerOf(traces, oldNames, differences),
    ranBeforeNotNow: nodes.filter(({ ran: runs }) => runs?.now === 0).map(({ nodeName }) => nodeName),
    ranNowNotBefore: nodes.filter(({ ran: runs }) => runs?.before === 0).map(({ nodeName }) => nodeName),
    workflow: {
      isSame: now.workflowId === before.workflowId,
      versionBefore: versionOf(before),
      versionNow: versionOf(now),
      added: paired.added,
      removed: paired.removed,
      renamed: paired.pairs
        .filter((pair) => pair.before.name !== pair.now.name)
        .map((pair) => ({ before: pair.before.name, now: pair.now.name })),
      shared: paired.pairs.length,
    },
    notCompared: [...limitsOf("before", before), ...limitsOf("now", now)],
  };
}

/** Which kinds of differences a node has, the most telling first. */
export function kindsOf(node: NodeDifference): DifferenceKind[] {
  return DIFFERENCE_KINDS.filter((kind) => {
    const difference = node[kind];
    return Array.isArray(difference) ? difference.length > 0 : difference !== undefined;
  });
}

/** Its version, where n8n keeps versions. */
export function versionOf({ workflowVersionId, workflowData }: ExecutionWithData): string | null {
  const kept = workflowData?.versionId;
  return workflowVersionId ?? (typeof kept === "string" ? kept : null);
}

/** Name now → name before, of nodes that were renamed. */
const namesBefore = ({ pairs }: PairedNodes): Map<string, string> =>
  new Map(pairs.map(({ before, now }) => [now.name, before.name]));

interface Traces {
  readonly now: ReadonlyMap<string, NodeTrace>;
  readonly before: ReadonlyMap<string, NodeTrace>;
}

/** In the order of execution now; what ran before alone stands after what it followed then. */
function orderedNames(traces: Traces, oldNames: ReadonlyMap<string, string>) {
  const nameBeforeOf = (name: string): string => oldNames.get(name) ?? name;
  const named = [...traces.now.keys()].map((nodeName) => ({ nodeName, nameBefore: nameBeforeOf(nodeName) }));
  const newNames = new Map([...oldNames].map(([name, old]) => [old, name]));
  const placeOf = new Map(named.map(({ nameBefore }, index) => [nameBefore, index]));
  let after = -1;
  const gone: { readonly after: number; readonly nodeName: string; readonly nameBefore: string }[] = [];
  for (const nameBefore of traces.before.keys()) {
    const place = placeOf.get(nameBefore);
    if (place === undefined)
      gone.push({ after, nodeName: newNames.get(nameBefore) ?? nameBefore, nameBefore });
    else after = Math.max(after, place);
  }
  const at = (index: number) => gone.filter((one) => one.after === index);
  return [...at(-1), ...named.flatMap((one, index) => [one, ...at(index)])];
}

interface NodePlace {
  readonly nodeName: string;
  readonly nameBefore: string;
  readonly nodeType: string | null;
  readonly now: NodeTrace | undefined;
  readonly before: NodeTrace | undefined;
  readonly others: readonly (NodeTrace | undefined)[];
  readonly edited: readonly string[];
}

function onlyEdited(nodeName: string, edited: readonly string[], nodeType: string | null): NodeDifference {
  return { nodeName, nodeType, keys: [], headers: [], edited };
}

function compareNode(place: NodePlace, hasShapes: boolean): NodeDifference {
  const { nodeName, nameBefore, nodeType, edited, now, before, others } = place;
  const common = {
    ...onlyEdited(nodeName, edited, nodeType),
    ...(nameBefore === nodeName ? {} : { nameBefore }),
  };
  if (now === undefined || before === undefined) return { ...common, ...comparePresence(place) };
  const ordinary = [before, ...others.filter((other) => other !== undefined)];
  return {
    ...common,
    ...change(
      "status",
      before.status,
      now.status,
      ordinary.map(({ status }) => status),
    ),
    ...change("outputs", usedOutputs(before), usedOutputs(now), ordinary.map(usedOutputs)),
    ...change(
      "items",
      sum(before.items),
      sum(now.items),
      ordinary.map(({ items }) => sum(items)),
    ),
    ...(isFarOff(now.durationMs, ordinary)
      ? { durationMs: { before: before.durationMs, now: now.durationMs } }
      : {}),
    ...(hasShapes ? compareKeys(now, ordinary) : {}),
  };
}

/** Of a node that ran in one of the two alone. */
function comparePresence({ now, before, others }: NodePlace): Pick<NodeDifference, "ran" | "status"> {
  const ran = (trace: NodeTrace | undefined): boolean => trace !== undefined;
  if (others.some((other) => ran(other) === ran(now))) return {};
  return {
    ran: { before: before?.runs ?? 0, now: now?.runs ?? 0 },
    ...(now?.status === "error" ? { status: { before: null, now: now.status } } : {}),
  };
}

/** Nothing, unless it is otherwise than it ever was. */
function change<Key extends string, Value>(
  key: Key,
  before: Value,
  now: Value,
  ordinary: readonly Value[],
): { readonly [Name in Key]?: Change<Value> } {
  const isOrdinary = ordinary.some((one) => JSON.stringify(one) === JSON.stringify(now));
  const changed: { [Name in Key]?: Change<Value> } = {};
  if (!isOrdinary) changed[key] = { before, now };
  return changed;
}

const usedOutputs = ({ items }: NodeTrace): number[] =>
  items.flatMap((count, output) => (count > 0 ? [output] : []));

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

const FAR_OFF_FACTOR = 3;
const FAR_OFF_MS = 1_000;

/** What takes a little longer does so by chance. */
function isFarOff(now: number, ordinary: readonly NodeTrace[]): boolean {
  return ordinary.every(
    ({ durationMs }) =>
      Math.abs(now - durationMs) > FAR_OFF_MS &&
      Math.max(now, durationMs) > FAR_OFF_FACTOR * Math.min(now, durationMs),
  );
}

function compareKeys(
  now: NodeTrace,
  ordinary: readonly NodeTrace[],
): Pick<NodeDifference, "keys" | "headers"> {
  const keys: OutputKeys[] = [];
  const headers: OutputKeys[] = [];
  for (const [output, shape] of now.shapes.entries()) {
    const { own, ofHeaders } = withoutHeaders(compareShapes(together(ordinary, output), shape));
    if (differInKeys(own)) keys.push({ output, ...own });
    if (differInKeys(ofHeaders)) headers.push({ output, ...ofHeaders });
  }
  return { keys, headers };
}

/** The shapes of all of them, as one. */
function together(traces: readonly NodeTrace[], output: number): Shape {
  const whole = emptyShape();
  for (const { shapes } of traces) {
    const shape = shapes[output];
    if (shape !== undefined) mergeInto(whole, shape);
  }
  return whole;
}

/** Passes over what says least, unless there is nothing else. */
const FIRST_BY: readonly (readonly DifferenceKind[])[] = [
  ["keys"],
  ["outputs", "status", "ran"],
  ["items"],
  ["edited"],
  ["durationMs"],
];

function firstDifferenceOf(nodes: readonly NodeDifference[]): ExecutionComparison["firstDifference"] {
  for (const kinds of FIRST_BY) {
    for (const node of nodes) {
      const by = kindsOf(node).find((kind) => kinds.includes(kind));
      if (by !== undefined) return { nodeName: node.nodeName, by };
    }
  }
  return null;
}

/** What ran first started it. */
function triggerOf(
  { now, before }: Traces,
  oldNames: ReadonlyMap<string, string>,
  differences: readonly NodeDifference[],
): ExecutionComparison["trigger"] {
  const [nodeName] = now.keys();
  const [nameBefore] = before.keys();
  if (nodeName === undefined) return null;
  const node = differences.find((one) => one.nodeName === nodeName);
  const { missing, added, changedTypes } = node?.keys[0] ?? NO_KEYS;
  const isSame = (oldNames.get(nodeName) ?? nodeName) === nameBefore;
  return { nodeName, isSame, keys: { missing, added, changedTypes } };
}

const UNFINISHED = new Set(["new", "running", "waiting", "unknown"]);

function limitsOf(of: "before" | "now", execution: ExecutionWithData): ExecutionComparison["notCompared"] {
  const isUnfinished = UNFINISHED.has(execution.status);
  const hasNoData = nodeTraces(execution).size === 0;
  return [
    ...(isWithheldByN8n(execution) ? [{ of, why: "withheld" } as const] : []),
    ...(hasNoData && !isUnfinished ? [{ of, why: "no_data" } as const] : []),
    ...(isUnfinished ? [{ of, why: "unfinished" } as const] : []),
  ];
}
