/**
 * Fits any answer into its token budget. It degrades in a fixed order: stacks are dropped, strings are shortened, lists
 * keep fewer items (errors are dropped last), wide objects keep fewer members, and finally deep values are only
 * counted. It never cuts inside JSON, and reports what was left out. Pure.
 *
 * It knows the depth of our own shapes: `{ message, data: { … } }` with lists of objects. Deeper values are other
 * people's data, and are cut regardless of any schema.
 */
import { counted } from "../platform/counted.ts";
import { isObject } from "../platform/is-object.ts";
import type { JsonValue } from "../redaction/redact.ts";
import { degrade, fitsInto } from "./degrade.ts";

export interface Step {
  /** Maximum string length, in characters. */
  readonly maxString: number;
  readonly maxItems: number;
  readonly maxMembers: number;
  /** Deeper objects and lists are only counted. */
  readonly maxDepth: number;
}

const NO_LIMIT = Number.POSITIVE_INFINITY;

const step = (maxString: number, maxItems: number, maxMembers: number, maxDepth = NO_LIMIT): Step => ({
  maxString,
  maxItems,
  maxMembers,
  maxDepth,
});

/** The fixed order, documented in docs/limits.md. */
export const STEPS: readonly Step[] = [
  step(NO_LIMIT, NO_LIMIT, NO_LIMIT),
  step(2_000, 500, 500),
  step(1_000, 200, 300),
  step(500, 100, 200),
  step(300, 50, 100),
  step(200, 25, 60),
  step(150, 12, 40),
  step(100, 8, 30),
  step(80, 5, 30),
  step(60, 3, 30),
  step(40, 1, 30),
  step(40, 1, 20, 12),
  step(40, 1, 12, 9),
  step(25, 1, 8, 7),
  step(20, 1, 4, 5),
];

/** Objects up to this depth are ours, and a schema requires their members. */
const OWN_DEPTH = 3;
const MAX_OWN_MEMBERS = 30;
/** Pages (lists with an offset) are direct members of `data`. */
const PAGE_DEPTH = 2;
/** Ids are never cut. */
const ID = /^[A-Za-z0-9_.:+-]{1,64}$/;
const ADDRESS_KEYS = new Set(["url", "workflowUrl", "executionUrl"]);
const ADDRESS_DEPTH = 4;
const MAX_ADDRESS = 300;
/** Enough characters to recognize a key. */
const MIN_KEY = 60;

/** Counts what was left out to make the answer fit. */
export interface LeftOut {
  stacks: number;
  shortenedStrings: number;
  items: number;
  members: number;
}

export interface Fitted {
  readonly value: JsonValue;
  readonly leftOut: LeftOut | undefined;
}

type JsonObject = { [key: string]: JsonValue };

/** Addresses are never cut. Ours are in `data`, in its lists, and in lists of its members. */
const isAddress = (key: string, member: JsonValue, depth: number): boolean =>
  ADDRESS_KEYS.has(key) &&
  depth <= ADDRESS_DEPTH &&
  typeof member === "string" &&
  member.length <= MAX_ADDRESS;

const isStack = (key: string): boolean => key === "stack" || key === "stackTrace";

function isAboutError(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some((item) => isObject(item) && isAboutError(item));
  if (!isObject(value)) return false;
  return (
    value.status === "error" || value.status === "fail" || (value.error !== undefined && value.error !== null)
  );
}

/** Chooses the first elements, with errors before all others, and keeps their order. */
function choose<T>(all: readonly T[], count: number, partOf: (one: T) => JsonValue): T[] {
  if (all.length <= count) return [...all];
  const indexed = all.map((one, index) => ({ index, rank: isAboutError(partOf(one)) ? 0 : 1 }));
  indexed.sort((a, b) => a.rank - b.rank || a.index - b.index);
  const chosen = new Set(indexed.slice(0, count).map(({ index }) => index));
  return all.filter((_one, index) => chosen.has(index));
}

function shorten(text: string, maximum: number): string {
  const last = text.charCodeAt(maximum - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? maximum - 1 : maximum;
  return `${text.slice(0, end)}… [${counted(text.length - end, "more character")}]`;
}

class Degrading {
  readonly leftOut: LeftOut = { stacks: 0, shortenedStrings: 0, items: 0, members: 0 };
  readonly #step: Step;

  constructor(step: Step) {
    this.#step = step;
  }

  value(value: JsonValue, depth: number): JsonValue {
    if (typeof value === "string") return this.#string(value);
    if (value === null || typeof value !== "object") return value;
    if (depth > this.#step.maxDepth) return this.#count(value);
    return Array.isArray(value) ? this.#array(value, depth) : this.#object(value, depth);
  }

  #string(text: string): string {
    if (text.length <= this.#step.maxString || ID.test(text)) return text;
    this.leftOut.shortenedStrings += 1;
    return shorten(text, this.#step.maxString);
  }

  #count(container: JsonValue[] | JsonObject): JsonValue {
    const kind = Array.isArray(container) ? "items" : "members";
    const { length } = Object.keys(container);
    if (length === 0) return container;
    this.leftOut[kind] += length;
    return `… ${counted(length, kind.slice(0, -1))} left out`;
  }

  #array(items: readonly JsonValue[], depth: number): JsonValue[] {
    const kept = choose(items, this.#step.maxItems, (item) => item);
    this.leftOut.items += items.length - kept.length;
    return kept.map((item) => this.value(item, depth + 1));
  }

  #object(object: JsonObject, depth: number): JsonObject {
    const entries = Object.entries(this.#cutPage(object, depth));
    const members = entries.filter(([key]) => !isStack(key));
    this.leftOut.stacks += entries.length - members.length;
    const { maxMembers } = this.#step;
    const limit = depth <= OWN_DEPTH ? Math.max(MAX_OWN_MEMBERS, maxMembers) : maxMembers;
    const kept = choose(members, limit, ([, member]) => member);
    this.leftOut.members += members.length - kept.length;
    const isWhole = (key: string, member: JsonValue): boolean =>
      this.#step !== STEPS.at(-1) &&
      (isAddress(key, member, depth) || (key === "_guidance" && depth < PAGE_DEPTH));
    return Object.fromEntries(
      kept.map(([key, member], index) => [
        this.#key(key, index),
        isWhole(key, member) ? member : this.value(member, depth + 1),
      ]),
    );
  }

  /** The index distinguishes keys with the same beginning. */
  #key(key: string, index: number): string {
    const maximum = Math.max(MIN_KEY, this.#step.maxString);
    return key.length <= maximum ? key : `${shorten(key, maximum)} (${index})`;
  }

  /** Cuts a page at its end, and lets the next page start there, so that paging skips nothing. */
  #cutPage(object: JsonObject, depth: number): JsonObject {
    const { items, offset, nextOffset } = object;
    const isPage = Array.isArray(items) && typeof offset === "number" && nextOffset !== undefined;
    if (depth !== PAGE_DEPTH || !isPage || items.length <= this.#step.maxItems) return object;
    const kept = items.slice(0, this.#step.maxItems);
    this.leftOut.items += items.length - kept.length;
    return { ...object, items: kept, nextOffset: offset + kept.length };
  }
}

/** @throws RangeError when even the last step leaves the value too large */
export function fitIntoBudget(value: JsonValue, maxTokens: number): Fitted {
  const show = (next: Step | null): Fitted => {
    if (next === null) return { value, leftOut: undefined };
    const degrading = new Degrading(next);
    return { value: degrading.value(value, 0), leftOut: degrading.leftOut };
  };
  const isSmall = fitsInto(maxTokens);
  const { shown, fits } = degrade([null, ...STEPS], show, (fitted) => isSmall(fitted.value));
  if (!fits) throw new RangeError("The answer cannot be made to fit into its token budget.");
  return shown;
}
