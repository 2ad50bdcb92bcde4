/**
 * The text around a hit, as it may be shown. The whole item is redacted before anything is cut out of it, so
 * that a value keeps the company of its key; and a hit that redaction takes away is none: else a search could
 * guess a secret letter by letter. Pure.
 */
import { outputsOf, pendingInputs, runsByNode } from "../executions/node-runs.ts";
import type { ReadValue } from "../json/omitted.ts";
import type { ExecutionWithData, NodeRun } from "../n8n/schemas.ts";
import { MARKS } from "../redaction/marks.ts";
import type { ValuePlace } from "./look.ts";
import type { PathSegment } from "./request-id-paths.ts";

/** Redacts a value of JSON, and gives JSON. */
export type Redact = (value: unknown) => unknown;

/** The same, which redacts no object twice: one item may hold many hits. */
export function redactOnce(redact: Redact): Redact {
  const done = new WeakMap<object, { readonly value: unknown }>();
  return (value) => {
    if (typeof value !== "object" || value === null) return redact(value);
    const known = done.get(value) ?? { value: redact(JSON.parse(JSON.stringify(value))) };
    done.set(value, known);
    return known.value;
  };
}

/** Characters shown on each side of the text. */
const AROUND = 60;

/**
 * Null when redaction leaves nothing of the hit, or when it is not in what was read: which of both is not told.
 *
 * @param firstItem index of the first item that was read of the place's output
 * @param text the sought text, as it stands in the value
 */
export function excerptOf(
  execution: ExecutionWithData,
  place: ValuePlace,
  firstItem: number,
  text: string,
  redact: Redact,
): string | null {
  const container = containerOf(execution, place, firstItem);
  if (container === undefined) return null;
  const raw = textAt(container, place.path);
  if (raw === undefined || !raw.includes(text)) return null;
  const redacted = textAt(redact(container), place.path);
  return redacted === undefined ? null : cutAround(redacted, text);
}

/** The value that the place's path leads into. */
function containerOf(
  execution: ExecutionWithData,
  { run, item, path }: ValuePlace,
  firstItem: number,
): ReadValue | undefined {
  if (run === null) return { customData: execution.customData ?? null };
  const read = runsByNode(execution).get(run.nodeName)?.[run.index];
  if (path[0] === "error" && item === null) return { error: { message: read?.error?.message ?? null } };
  if (item === null) return undefined;
  if (run.order === Number.POSITIVE_INFINITY)
    return jsonOf(pendingOutputs(execution, run.nodeName)?.[item.output]?.items[item.index]);
  return jsonOf(outputsIn(read, item)?.[item.output]?.items[item.index - firstItem]);
}

type Item = NonNullable<ValuePlace["item"]>;

function outputsIn(run: NodeRun | undefined, { direction, connectionType }: Item) {
  return outputsOf(direction === "output" ? run?.data : run?.inputOverride).get(connectionType);
}

function pendingOutputs(execution: ExecutionWithData, nodeName: string) {
  return pendingInputs(execution).find((pending) => pending.nodeName === nodeName)?.outputs;
}

function jsonOf(item: ReadValue | undefined): ReadValue | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item) || !("json" in item)) return undefined;
  return item.json;
}

/** The text at a path that may lead into JSON held in strings. */
export function textAt(root: unknown, path: readonly PathSegment[]): string | undefined {
  let value = root;
  for (const segment of path) {
    if (typeof value === "string") value = parsed(value);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = Reflect.get(value, segment);
  }
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    // The path leads into something else than JSON.
    return undefined;
  }
}

/** Null where the text stands in marks alone: `key` is in `[REDACTED:key#1]`, too. */
function cutAround(value: string, text: string): string | null {
  const marks = [...value.matchAll(MARKS)].map(({ index, 0: mark }) => ({
    start: index,
    end: index + mark.length,
  }));
  const at = outsideOf(marks, value, text);
  if (at === undefined) return null;
  const from = Math.max(0, at - AROUND);
  const to = Math.min(value.length, at + text.length + AROUND);
  // Half a mark is none.
  const start = marks.find((mark) => mark.start < from && from < mark.end)?.start ?? from;
  const end = marks.find((mark) => mark.start < to && to < mark.end)?.end ?? to;
  return `${start > 0 ? "…" : ""}${value.slice(start, end)}${end < value.length ? "…" : ""}`;
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Where the text first stands without touching a mark. */
function outsideOf(marks: readonly Stretch[], value: string, text: string): number | undefined {
  let from = 0;
  for (const { start, end } of [...marks, { start: value.length, end: value.length }]) {
    const at = value.slice(from, start).indexOf(text);
    if (at >= 0) return from + at;
    from = end;
  }
  return undefined;
}
