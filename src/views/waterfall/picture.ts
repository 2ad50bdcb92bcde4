/** The picture of any answer. Times are in milliseconds from the first bar's start. */
import { type Members, shownAt, textAt } from "./members.ts";

export type State = "ok" | "failed" | "noted" | "open";

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
  readonly bars: readonly Bar[];
  /** Remarks about parts of the answer without a bar. */
  readonly notes: readonly string[];
}

const FAILED = new Set(["error", "crashed", "failed"]);
const OPEN = new Set(["running", "waiting", "new", "unknown"]);

export function stateOf(status: string | undefined): State {
  if (status === undefined || OPEN.has(status)) return "open";
  if (FAILED.has(status)) return "failed";
  return status === "canceled" ? "noted" : "ok";
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
