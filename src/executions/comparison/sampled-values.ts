/**
 * Which short values differ between executions, in the first item of each output. They are payload: the caller must
 * redact the samples first, as a whole, since secrets are recognized by the names around them. Values that differ
 * between ordinary executions are not reported. Pure.
 */
import { containsOmitted, isReadObject, Omitted, type ReadValue } from "../../json/omitted.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { isObject } from "../../platform/is-object.ts";
import { dataOutputs, runsByNode } from "../node-runs.ts";
import { fieldNamesIn, pathTo } from "./field-keys.ts";
import type { OtherName } from "./node-pairs.ts";

/** Node → output → `json` of its first item, null if there is none. */
export type Sample = Readonly<Record<string, readonly ReadValue[]>>;

export type Scalar = string | number | boolean | null;

export interface ValueDifference {
  readonly nodeName: string;
  readonly output: number;
  readonly path: string;
  readonly before: Scalar;
  readonly now: Scalar;
}

const MAX_SAMPLED_NODES = 200;

/** @param nameOf the name of a node in the sample; undefined leaves it out */
export function sampleOf(execution: ExecutionWithData, nameOf: OtherName = (name) => name): Sample {
  const nodes = [...runsByNode(execution)].slice(0, MAX_SAMPLED_NODES);
  return Object.fromEntries(
    nodes.flatMap(([name, [run]]) => {
      const nodeName = nameOf(name);
      if (run === undefined || nodeName === undefined) return [];
      return [[nodeName, dataOutputs(run.data).map(({ items }) => jsonOf(items[0]))] as const];
    }),
  );
}

/** Whether all values of the execution are in its sample: none is in a later run, item or list entry, or under an id. */
export function isSampledWhole(execution: ExecutionWithData): boolean {
  const runs = [...runsByNode(execution).values()];
  const outputs = runs.flat().flatMap(({ data }) => dataOutputs(data));
  return (
    runs.length <= MAX_SAMPLED_NODES &&
    runs.every(({ length }) => length === 1) &&
    outputs.every(({ items, length }) => length < 2 && items.length === length && items.every(isCompared))
  );
}

/** Values of files and of HTTP headers are not compared. */
function isCompared(item: ReadValue): boolean {
  if (!isReadObject(item) || item.binary !== undefined) return false;
  const json = isReadObject(item.json) ? { ...item.json, headers: null } : item.json;
  return !containsOmitted(json) && hasOnlyFields(json ?? null);
}

/** Whether it has neither a list of several entries nor a key that is data. */
const hasOnlyFields = (value: ReadValue): boolean =>
  Array.isArray(value)
    ? value.length < 2 && value.every(hasOnlyFields)
    : !isReadObject(value) ||
      (fieldNamesIn(value).size === Object.keys(value).length && Object.values(value).every(hasOnlyFields));

const jsonOf = (item: ReadValue | undefined): ReadValue => (isReadObject(item) ? (item.json ?? null) : null);

/** After redaction, the reader's mark for unread parts is a text. */
const IS_CUT = /… \[\d+ more bytes\]$|^… .* left out \(/;
const ALWAYS_DIFFERENT =
  /^\d{4}-\d{2}-\d{2}|^[0-9a-f]{8}-[0-9a-f]{4}-|^(?=.*\d)[\w-]{20,}$|^\w{3}, \d{1,2} \w{3} \d{4}|^https?:\/\/\S*webhook/i;

const isScalar = (value: unknown): value is Scalar =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

const isConclusive = (value: Scalar): boolean =>
  typeof value === "number"
    ? Math.abs(value) < 1e9
    : typeof value !== "string" || (!IS_CUT.test(value) && !ALWAYS_DIFFERENT.test(value));

const MAX_DEPTH = 8;

/** Path → value, for scalars under field names. Skips HTTP headers, which differ from client to client. */
function* scalarsIn(value: unknown, path = "", depth = 0): Generator<readonly [path: string, value: Scalar]> {
  if (isScalar(value)) yield [path, value];
  else if (depth >= MAX_DEPTH || value instanceof Omitted) return;
  else if (Array.isArray(value)) yield* scalarsIn(value[0], `${path}[]`, depth + 1);
  else if (isObject(value)) {
    const names = fieldNamesIn(value);
    for (const [key, member] of Object.entries(value)) {
      if (!names.has(key) || (depth === 0 && key === "headers")) continue;
      yield* scalarsIn(member, pathTo(path, key), depth + 1);
    }
  }
}

/**
 * @param now redacted @param before redacted
 * @param ordinary others like `before`, redacted: values that differ among these are not reported
 * @returns each change once, at the first node that sends it
 */
export function differingValues(now: Sample, before: Sample, ordinary: readonly Sample[]): ValueDifference[] {
  const found: ValueDifference[] = [];
  const reported = new Set<string>();
  for (const [nodeName, outputs] of Object.entries(now)) {
    for (const [output, json] of outputs.entries()) {
      const of = (sample: Sample) => new Map(scalarsIn(sample[nodeName]?.[output] ?? null));
      const old = of(before);
      const others = ordinary.map(of);
      for (const [path, value] of scalarsIn(json)) {
        const was = old.get(path);
        if (was === undefined || was === value || !isConclusive(was) || !isConclusive(value)) continue;
        if (others.some((other) => other.has(path) && other.get(path) !== was)) continue;
        const change = JSON.stringify([path.split(/[.[\]]/).at(-1), was, value]);
        if (reported.has(change)) continue;
        reported.add(change);
        found.push({ nodeName, output, path, before: was, now: value });
      }
    }
  }
  return found;
}
