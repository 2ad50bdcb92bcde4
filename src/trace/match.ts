/**
 * Where a request id stands in an execution. A value equal to the id at a known path is the match; the
 * id elsewhere is a mention, never the match; an id that is a part of a longer one is neither. Pure.
 */
import { outputsOf, pendingInputs, runsByNode } from "../executions/node-runs.ts";
import { Omitted, type ReadValue } from "../json/omitted.ts";
import type { ExecutionWithData, NodeRun } from "../n8n/schemas.ts";
import { formatPath, type PathSegment, type RequestIdPaths } from "./request-id-paths.ts";

export interface Match {
  readonly kind: "exact" | "mentioned";
  /** The node whose output holds the id; null for the execution's custom data. */
  readonly nodeName: string | null;
  /** Inside the item's `json`, or `customData.<key>`. */
  readonly path: string;
}

/** JSON held in a string, inside JSON held in a string: deeper nesting was never seen. */
const MAX_NESTED_JSON = 3;
const MAX_NESTED_JSON_LENGTH = 64 * 1024;

/** Letters, digits, `_` and `-` carry an id on: `req-100` is no part of `req-1001` or `req-100-b`. */
const ID_CHARACTER = /[\p{L}\p{N}_-]/u;

/** True when the id stands in the text with no id character on either side. */
export function mentions(text: string, requestId: string): boolean {
  for (let at = text.indexOf(requestId); at !== -1; at = text.indexOf(requestId, at + 1)) {
    const before = text.slice(0, at).at(-1) ?? "";
    const after = text[at + requestId.length] ?? "";
    if (!ID_CHARACTER.test(before) && !ID_CHARACTER.test(after)) return true;
  }
  return false;
}

class Search {
  exact: Match | null = null;
  mention: Match | null = null;
  readonly #requestId: string;
  readonly #paths: RequestIdPaths;

  constructor(requestId: string, paths: RequestIdPaths) {
    this.#requestId = requestId;
    this.#paths = paths;
  }

  visit(value: ReadValue, path: PathSegment[], nodeName: string | null, nested = 0): void {
    if (this.exact !== null || value === null || value instanceof Omitted) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.visit(item, [...path, index], nodeName, nested);
    } else if (typeof value === "object") {
      for (const [key, member] of Object.entries(value)) this.visit(member, [...path, key], nodeName, nested);
    } else {
      this.#compare(value, path, nodeName, nested);
    }
  }

  #compare(
    value: string | number | boolean,
    path: PathSegment[],
    nodeName: string | null,
    nested: number,
  ): void {
    const text = String(value);
    if (text === this.#requestId) {
      const kind = this.#paths.matches(path) ? "exact" : "mentioned";
      this.#keep({ kind, nodeName, path: formatPath(path) });
      return;
    }
    if (!text.includes(this.#requestId)) {
      // Inside JSON in a string the id may be spelled with escapes, so only JSON is worth a look.
      if (!text.includes("\\")) return;
    } else if (mentions(text, this.#requestId)) {
      this.#keep({ kind: "mentioned", nodeName, path: formatPath(path) });
    }
    const inner = nested < MAX_NESTED_JSON ? parseNested(text) : undefined;
    if (inner !== undefined) this.visit(inner, path, nodeName, nested + 1);
  }

  #keep(match: Match): void {
    if (match.kind === "exact") this.exact = match;
    else this.mention ??= match;
  }
}

function isReadValue(value: unknown): value is ReadValue {
  return typeof value === "object" && value !== null;
}

function parseNested(text: string): ReadValue | undefined {
  if (!/^\s*[[{]/.test(text) || text.length > MAX_NESTED_JSON_LENGTH) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isReadValue(value) ? value : undefined;
  } catch {
    // It only looked like JSON.
    return undefined;
  }
}

function itemJson(item: ReadValue): ReadValue {
  if (item === null || typeof item !== "object" || Array.isArray(item) || item instanceof Omitted)
    return item;
  return item.json ?? null;
}

function visitRun(search: Search, run: NodeRun, nodeName: string): void {
  const sent = [...outputsOf(run.data).values()];
  const given = [...outputsOf(run.inputOverride).values()];
  for (const output of [...sent, ...given].flat()) {
    for (const item of output.items) search.visit(itemJson(item), [], nodeName);
  }
  if (run.error?.message !== undefined) search.visit(run.error.message, ["error", "message"], nodeName);
}

/**
 * The best place of the id: the first exact match in the order of execution, else the first mention.
 * @param execution read with the `MATCHING` bounds
 */
export function findRequestId(
  execution: ExecutionWithData,
  requestId: string,
  paths: RequestIdPaths,
): Match | null {
  const search = new Search(requestId, paths);
  search.visit(execution.customData ?? null, ["customData"], null);
  for (const [nodeName, runs] of runsByNode(execution)) {
    for (const run of runs) {
      if (search.exact !== null) return search.exact;
      visitRun(search, run, nodeName);
    }
  }
  for (const { nodeName, outputs } of pendingInputs(execution)) {
    for (const item of outputs.flatMap((output) => output.items)) search.visit(itemJson(item), [], nodeName);
  }
  return search.exact ?? search.mention;
}
