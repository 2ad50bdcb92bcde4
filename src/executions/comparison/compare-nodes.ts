/**
 * What one node did otherwise than in another execution: names, types and counts, and no value of a payload. Pure.
 */
import { compareShapes, differInKeys, type KeyDifferences, withoutHeaders } from "./compare-shapes.ts";
import type { NodePlace, NodeTrace } from "./node-places.ts";
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
  "status",
  "outputs",
  "ran",
  "items",
  "edited",
  "durationMs",
  "headers",
] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** Which kinds of differences a node has, the most telling first. */
export function kindsOf(node: NodeDifference): DifferenceKind[] {
  return DIFFERENCE_KINDS.filter((kind) => {
    const difference = node[kind];
    return Array.isArray(difference) ? difference.length > 0 : difference !== undefined;
  });
}

/** What of the two can be compared at all. */
export interface Comparable {
  /** False where n8n withholds the items of one of them. */
  readonly shapes: boolean;
  /** False where one of them has no data. */
  readonly runs: boolean;
  /** What has not run now may yet run. */
  readonly mayGoOn: boolean;
}

/** Of a node that did not run. */
export function onlyEdited(
  nodeName: string,
  nodeType: string | null,
  edited: readonly string[],
): NodeDifference {
  return { nodeName, nodeType, keys: [], headers: [], edited };
}

/** @param edited where it was edited between the two */
export function compareNode(
  place: NodePlace,
  edited: readonly string[],
  comparable: Comparable,
): NodeDifference {
  const { nodeName, nameBefore, nodeType, now, before, others } = place;
  const common = {
    ...onlyEdited(nodeName, nodeType, edited),
    ...(nameBefore === nodeName ? {} : { nameBefore }),
  };
  if (!comparable.runs) return common;
  if (now === undefined) return comparable.mayGoOn ? common : { ...common, ...comparePresence(place) };
  if (before === undefined) return { ...common, ...comparePresence(place) };
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
    ...(comparable.shapes ? compareKeys(now, ordinary) : {}),
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
