/** The picture of any answer. Times are in milliseconds from the first bar's start. */
import { HOUR_MS, MINUTE_MS } from "../../platform/durations.ts";
import { type Members, shownAt, textAt } from "./members.ts";
import type { Series } from "./series.ts";

export type State = "ok" | "failed" | "warning" | "open";

/** A call of one of the server's own tools, for a button. */
export interface OwnCall {
  readonly label: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export type Fact = readonly [name: string, value: string];

export interface Bar {
  readonly label: string;
  /** A role, a model, a tool. */
  readonly kind: string;
  /** Status in n8n's terms. */
  readonly status: string;
  readonly state: State;
  /** Levels below the first bar. */
  readonly depth: number;
  /** Undefined if unknown: then the line has no bar. */
  readonly startMs: number | undefined;
  /** Undefined while it runs. */
  readonly durationMs: number | undefined;
  /** Share of the longest bar, if lengths do not stand for times. */
  readonly part?: number | undefined;
  readonly facts: readonly Fact[];
  /** Its address in n8n. */
  readonly url: string | undefined;
  readonly calls: readonly OwnCall[];
}

export interface Picture {
  /** Subject of the answer, in a word or two. */
  readonly title: string;
  readonly sentence: string;
  readonly state: State;
  readonly series?: Series | undefined;
  /** The series of the largest groups, in one scale. */
  readonly parts?: readonly Series[];
  readonly bars: readonly Bar[];
  /** The whole time, if it does not end with the last bar. */
  readonly lastsMs?: number;
  /** Remarks about parts of the answer without a bar. */
  readonly notes: readonly string[];
}

const FAILED = new Set(["error", "crashed", "failed"]);
const OPEN = new Set(["running", "waiting", "new", "unknown", "queued", "not_found_yet"]);
const WARNINGS = new Set(["canceled", "not_found"]);

export function stateOf(status: string | undefined): State {
  if (status === undefined || OPEN.has(status)) return "open";
  if (FAILED.has(status)) return "failed";
  return WARNINGS.has(status) ? "warning" : "ok";
}

/** The depth of each entry below its causes, which precede it in the list. */
export function depthsOf(list: readonly Members[], key: string, parentKey: string) {
  const depths = new Map<string, number>();
  for (const one of list) {
    const parent = textAt(one, parentKey);
    const above = parent === undefined ? undefined : depths.get(parent);
    depths.set(textAt(one, key) ?? "", above === undefined ? 0 : above + 1);
  }
  return depths;
}

/** "1 more call is", "2 more calls are". */
export const moreOf = (count: number, noun: string): string =>
  count === 1 ? `1 more ${noun} is` : `${count} more ${noun}s are`;

/** The argument `instance` for calls of our tools; empty for a single n8n instance. */
export function instanceOf(data: Members): { readonly instance?: string } {
  const instance = textAt(data, "instance");
  return instance === undefined ? {} : { instance };
}

/** The button that shows a node's data; empty if the node or its execution is unknown. */
export function nodeDataCall(data: Members, nodeName: string | undefined): OwnCall[] {
  const id = textAt(data, "executionId");
  if (id === undefined || nodeName === undefined) return [];
  const args = { id, nodeName, ...instanceOf(data) };
  return [{ label: "Data of this node", tool: "get_execution_by_node", args }];
}

/** The button that explains an execution; empty if it is unknown. */
export function explainCall(data: Members, executionId: string | undefined, label: string): OwnCall[] {
  if (executionId === undefined) return [];
  return [{ label, tool: "explain_failure", args: { executionId, ...instanceOf(data) } }];
}

/** Members as facts, except those that are shown elsewhere. @param names display names for keys */
export function factsOf(
  of: Members,
  shownElsewhere: ReadonlySet<string>,
  names: Readonly<Record<string, string>> = {},
): Fact[] {
  return Object.keys(of).flatMap((key) => {
    const value = shownElsewhere.has(key) ? undefined : shownAt(of, key);
    return value === undefined ? [] : [[names[key] ?? key, value] as const];
  });
}

export const MAX_INDENT = 8;
/** Minimum width of a bar, in percent. */
const MIN_WIDTH = 0.6;

/** Milliseconds until the last bar ends. */
export const totalOf = ({ bars, lastsMs }: Picture): number =>
  lastsMs ??
  bars.reduce((total, { startMs, durationMs }) => Math.max(total, (startMs ?? 0) + (durationMs ?? 0)), 0);

/** The scale above the bars; none if no bar has a time. */
export function axisOf(picture: Picture): readonly string[] {
  const totalMs = totalOf(picture);
  const isTimed = totalMs > 0 && picture.bars.some(({ startMs }) => startMs !== undefined);
  return isTimed ? ["0", duration(totalMs / 2), duration(totalMs)] : [];
}

/** The position of a bar, in percent of the whole time; undefined if unknown. */
export function placeOf({ startMs, durationMs, part }: Bar, totalMs: number) {
  if (part !== undefined) return { from: 0, width: part * 100 };
  if (totalMs === 0 || startMs === undefined) return undefined;
  const from = Math.min(100 - MIN_WIDTH, (startMs / totalMs) * 100);
  const width = durationMs === undefined ? 100 - from : (durationMs / totalMs) * 100;
  return { from, width: Math.min(100 - from, Math.max(MIN_WIDTH, width)) };
}

/** The text below a bar's label. */
export const wordsOf = ({ kind, status, durationMs }: Bar): string =>
  [kind, status, durationMs === undefined ? "" : duration(durationMs)]
    .filter((word) => word !== "")
    .join(" · ");

/** Whole milliseconds below a second, then seconds, then minutes. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return ms < 2 * HOUR_MS ? `${Math.round(ms / MINUTE_MS)} min` : `${Math.round(ms / HOUR_MS)} h`;
}
