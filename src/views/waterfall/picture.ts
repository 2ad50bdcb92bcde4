/** A picture of any answer. Times are in milliseconds from the first bar's start. */
import { type Members, textAt } from "./members.ts";

/** How a bar is marked. */
export type State = "ok" | "failed" | "noted" | "open";

/** A call of one of the server's own tools, for a button. */
export interface OwnCall {
  readonly label: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface Bar {
  readonly label: string;
  /** Kind of the bar: a role, a model, a tool. */
  readonly kind: string;
  /** n8n's own word. */
  readonly status: string;
  readonly state: State;
  /** How deep it stands below the first. */
  readonly depth: number;
  /** Undefined where it is not known: it has a line, and no bar. */
  readonly startMs: number | undefined;
  /** Undefined while it goes on. */
  readonly durationMs: number | undefined;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Where it opens in n8n. */
  readonly url: string | undefined;
  readonly calls: readonly OwnCall[];
}

export interface Picture {
  /** Subject of the answer, in a word or two. */
  readonly title: string;
  readonly sentence: string;
  readonly state: State;
  readonly bars: readonly Bar[];
  /** Notes on what has no bar. */
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

/** For calls of our tools; empty where there is one n8n. */
export type InstanceArgument = { readonly instance?: string };

export function instanceOf(data: Members): InstanceArgument {
  const instance = textAt(data, "instance");
  return instance === undefined ? {} : { instance };
}
