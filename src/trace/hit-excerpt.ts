/**
 * The text around a hit, as it may be shown. The whole item is redacted before anything is cut out of it, so
 * that a value keeps the company of its key; and a hit that redaction takes away is none: else a search could
 * guess a secret letter by letter. Pure.
 */
import { outputsOf, pendingInputs, runsByNode } from "../executions/node-runs.ts";
import type { ReadValue } from "../json/omitted.ts";
import type { ExecutionWithData, NodeRun } from "../n8n/schemas.ts";
import type { ValuePlace } from "./look.ts";
import type { PathSegment } from "./request-id-paths.ts";

/** Redacts a value of JSON, and gives JSON. */
export type Redact = (value: unknown) => unknown;

/** Characters shown on each side of the text. */
const AROUND = 60;

/** `unseen`: the value is not in what was read. `hidden`: redaction leaves nothing of the hit. */
export type Excerpt = { readonly text: string } | "unseen" | "hidden";

/**
 * @param firstItem index of the first item that was read of the place's output
 * @param text the sought text, as it stands in the value
 */
export function excerptOf(
  execution: ExecutionWithData,
  place: ValuePlace,
  firstItem: number,
  text: string,
  redact: Redact,
): Excerpt {
  const container = containerOf(execution, place, firstItem);
  if (container === undefined) return "unseen";
  const raw = textAt(container, place.path);
  if (raw === undefined || !raw.includes(text)) return "unseen";
  const redacted = textAt(redact(JSON.parse(JSON.stringify(container))), place.path);
  return redacted?.includes(text) === true ? { text: cutAround(redacted, text) } : "hidden";
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
function textAt(root: unknown, path: readonly PathSegment[]): string | undefined {
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

function cutAround(value: string, text: string): string {
  const at = value.indexOf(text);
  const start = Math.max(0, at - AROUND);
  const end = Math.min(value.length, at + text.length + AROUND);
  return `${start > 0 ? "…" : ""}${value.slice(start, end)}${end < value.length ? "…" : ""}`;
}
