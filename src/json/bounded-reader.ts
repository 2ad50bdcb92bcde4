/**
 * Reads one JSON value from bytes within bounds, as a visitor of the walker.
 *
 * Promises: the structure is kept, long strings and arrays are shortened with a mark for what was left out, and skipped
 * bytes are walked over without building values. Memory is bounded by what is kept, not by what is read: 100 MB may
 * yield a few kB. Kept values equal those of `JSON.parse`. Only brackets and strings of skipped ones are checked.
 *
 * No I/O, no knowledge of n8n.
 */
import { setMember } from "../platform/set-member.ts";
import { JsonReadError } from "./errors.ts";
import { JsonWalker, MAX_WALKED_DEPTH } from "./json-walker.ts";
import { OMITTED_MEMBERS, Omitted, type ReadValue } from "./omitted.ts";
import { decodeString, refuseControlCharacters } from "./strings.ts";
import { guideThroughout } from "./walk-guide.ts";
import { ALL, type Passed, type Scalar, type Visitor, type WalkPosition } from "./walk-visitor.ts";

/** How much of a container is built. Nested containers without a plan are only counted. */
export interface ReadPlan {
  /** The index of the first array item to build. Default 0. */
  readonly from?: number;
  /** The index after the last array item to build. Default `maxArrayItems` of the bounds. */
  readonly to?: number;
  /** How many of an object's first members are kept; at least one. Default all. */
  readonly maxMembers?: number;
  /** Replaces the value from the bounds for strings in this container and below. */
  readonly maxStringBytes?: number;
  /** Strings in this container and below leave some of `maxKeptBytes` to all others. */
  readonly isPayload?: boolean;
  readonly members?: ReadonlyMap<string, PlanOrChoice>;
  readonly otherMembers?: PlanOrChoice;
  readonly items?: PlanOrChoice;
}

/** A key or index on the path to the container: its own for 0, that of its parent for 1. */
export type Ancestor = (levelsUp: number) => string | number;

/** Null only counts the container. A function decides once for each container, before it is entered. */
export type PlanOrChoice = ReadPlan | null | ((ancestor: Ancestor) => ReadPlan | null);

export const plansOf = (members: Record<string, PlanOrChoice>): ReadonlyMap<string, PlanOrChoice> =>
  new Map(Object.entries(members));

/** Applies a plan to every direct child container of an object or array. */
export const inside = (plan: PlanOrChoice): ReadPlan => ({ otherMembers: plan, items: plan });

/** The same bounds for a container and all below it. */
export function throughout(part: ReadPlan): ReadPlan {
  const plan: { -readonly [Key in keyof ReadPlan]: ReadPlan[Key] } = { ...part };
  plan.otherMembers = plan;
  plan.items = plan;
  return plan;
}

export const WHOLE = throughout({});

/** The same bounds for `count` levels, of which the container itself is the first. */
export const levels = (count: number, part: ReadPlan = {}): ReadPlan | null =>
  count === 0 ? null : { ...part, ...inside(levels(count - 1, part)) };

export interface ReadBounds {
  /** Longer strings keep at most this many bytes, without cutting a character. */
  readonly maxStringBytes: number;
  /** All strings together keep this many bytes; after that, each is reduced to its mark. */
  readonly maxKeptBytes: number;
  /** Longer arrays keep this many items, unless the plan says otherwise. */
  readonly maxArrayItems: number;
  /** Containers below this depth are only counted; at most `MAX_WALKED_DEPTH`. The outermost one has depth 1. */
  readonly maxDepth: number;
  /** Once this many values have been built, all others are left out. */
  readonly maxValues: number;
  /** Plan for the outermost container. Default all of it. */
  readonly plan?: ReadPlan;
}

/** For small answers: no bounds except the walker's own depth. */
export const UNBOUNDED: ReadBounds = {
  maxStringBytes: Number.POSITIVE_INFINITY,
  maxKeptBytes: Number.POSITIVE_INFINITY,
  maxArrayItems: Number.POSITIVE_INFINITY,
  maxDepth: MAX_WALKED_DEPTH,
  maxValues: Number.POSITIVE_INFINITY,
};

/** Short payload strings are codes and reasons. Long ones leave room for them, and both for what is not payload. */
const MAX_SHORT_STRING_BYTES = 128;
const SHARE_OF_LONG_PAYLOAD = 0.75;
const SHARE_OF_PAYLOAD = 0.875;

interface Frame {
  readonly value: ReadValue[] | { [key: string]: ReadValue };
  readonly plan: ReadPlan;
  readonly from: number;
  readonly maxStringBytes: number;
  readonly isPayload: boolean;
  length: number;
  omittedCount: number;
  omittedBytes: number;
}

/** The walker reports everything; the bounds decide about each container when it begins. */
const EVERYTHING = guideThroughout({
  place: "value",
  scalars: "raw",
  isReported: true,
  isOptional: true,
  isMeasured: true,
});

class ValueBuilder implements Visitor {
  readonly #bounds: ReadBounds;
  readonly #maxDepth: number;
  readonly #frames: Frame[] = [];
  #top: Frame | undefined;
  #result: ReadValue | undefined;
  #built = 0;
  #keptBytes = 0;

  constructor(bounds: ReadBounds) {
    this.#bounds = bounds;
    this.#maxDepth = Math.min(bounds.maxDepth, MAX_WALKED_DEPTH);
  }

  get result(): ReadValue | undefined {
    return this.#result;
  }

  get outermost(): ReadValue | undefined {
    return this.#frames[0]?.value;
  }

  enters(_place: string, position: WalkPosition, isArray: boolean): number {
    const plan = this.#planOfNext(position);
    if (plan === null) return 0;
    const { from = 0, to = this.#bounds.maxArrayItems, maxMembers = ALL, maxStringBytes } = plan;
    if (isArray && to <= 0) return 0;
    this.#built += 1;
    this.#top = {
      value: isArray ? [] : {},
      plan,
      from: isArray ? from : 0,
      maxStringBytes: maxStringBytes ?? this.#top?.maxStringBytes ?? this.#bounds.maxStringBytes,
      isPayload: plan.isPayload ?? this.#top?.isPayload ?? false,
      length: 0,
      omittedCount: 0,
      omittedBytes: 0,
    };
    this.#frames.push(this.#top);
    return Math.min(ALL, isArray ? to : maxMembers);
  }

  close(_place: string, position: WalkPosition): void {
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    this.#top = this.#frames.at(-1);
    const { value, length, omittedCount, omittedBytes } = frame;
    if (omittedCount > 0) {
      if (Array.isArray(value)) value.push(new Omitted("items", length, omittedCount, omittedBytes));
      else setMember(value, OMITTED_MEMBERS, new Omitted("members", length, omittedCount, omittedBytes));
    }
    this.#deliver(value, true, position);
  }

  passed(_place: string, position: WalkPosition, passed: Passed): void {
    this.#deliver(countedContainer(passed), this.#isWanted(), position);
  }

  passedRest(_place: string, _position: WalkPosition, { count, byteLength }: Passed): void {
    const top = this.#top;
    if (top === undefined) return;
    top.length += count;
    top.omittedCount += count;
    top.omittedBytes += byteLength;
  }

  scalar(_place: string, value: Scalar, position: WalkPosition): void {
    const isWanted = this.#isWanted();
    if (isWanted) this.#built += 1;
    this.#deliver(value, isWanted, position);
  }

  rawString(bytes: Uint8Array, byteLength: number, position: WalkPosition): void {
    if (!this.#isWanted()) {
      this.#deliver(null, false, position);
      return;
    }
    this.#built += 1;
    const kept = bytes.subarray(0, this.#roomFor(byteLength));
    this.#keptBytes += kept.length;
    refuseControlCharacters(kept);
    this.#deliver(decodeString(kept, byteLength), true, position);
  }

  /** While a string is incomplete, it may still be a short one. */
  roomForString(): number {
    return this.#roomFor(0);
  }

  #roomFor(byteLength: number): number {
    const ofPayload = byteLength > MAX_SHORT_STRING_BYTES ? SHARE_OF_LONG_PAYLOAD : SHARE_OF_PAYLOAD;
    const share = this.#top?.isPayload === true ? ofPayload : 1;
    const room = Math.max(0, share * this.#bounds.maxKeptBytes - this.#keptBytes);
    return Math.min(this.#top?.maxStringBytes ?? this.#bounds.maxStringBytes, room);
  }

  #planOfNext(position: WalkPosition): ReadPlan | null {
    if (!this.#isWanted() || this.#frames.length >= this.#maxDepth) return null;
    const top = this.#top;
    if (top === undefined) return this.#bounds.plan ?? WHOLE;
    const { members, otherMembers, items } = top.plan;
    const named = Array.isArray(top.value) ? items : members?.get(position.key);
    const plan = named === undefined && !Array.isArray(top.value) ? otherMembers : named;
    if (typeof plan !== "function") return plan ?? null;
    return plan((levelsUp) => position.segmentAt(position.depth - 1 - levelsUp));
  }

  #isWanted(): boolean {
    const top = this.#top;
    if (top === undefined) return true;
    return this.#built < this.#bounds.maxValues && top.length >= top.from;
  }

  #deliver(value: ReadValue, isWanted: boolean, position: WalkPosition): void {
    const top = this.#top;
    if (top === undefined) {
      this.#result = value;
      return;
    }
    top.length += 1;
    if (!isWanted) {
      top.omittedCount += 1;
      top.omittedBytes += position.itemByteLength;
    } else if (Array.isArray(top.value)) {
      top.value.push(value);
    } else {
      setMember(top.value, position.key, value);
    }
  }
}

/** Reads one value in chunks, which must not be changed afterwards. */
export class BoundedReader {
  readonly #builder: ValueBuilder;
  readonly #walker: JsonWalker;

  constructor(bounds: ReadBounds) {
    this.#builder = new ValueBuilder(bounds);
    this.#walker = new JsonWalker(EVERYTHING, this.#builder);
  }

  /** Reads the next chunk. @throws JsonReadError when the bytes cannot be JSON */
  write(chunk: Uint8Array): void {
    this.#walker.write(chunk);
  }

  end(): ReadValue {
    this.#walker.end();
    const { result } = this.#builder;
    if (result === undefined) throw new JsonReadError("The JSON has no value.");
    return result;
  }

  /** The outermost container so far, for the head of an incomplete value. Undefined if it has not begun. */
  partial(): ReadValue | undefined {
    return this.#builder.result ?? this.#builder.outermost;
  }
}

/** A container that was only counted still shows its length; an empty one left nothing out. */
function countedContainer({ isArray, count, byteLength }: Passed): ReadValue {
  const mark = new Omitted(isArray ? "items" : "members", count, count, byteLength);
  if (isArray) return count === 0 ? [] : [mark];
  return count === 0 ? {} : mark;
}

export function readBounded(bytes: Uint8Array, bounds: ReadBounds): ReadValue {
  const reader = new BoundedReader(bounds);
  reader.write(bytes);
  return reader.end();
}

/** Reads one value from a stream, within bounds. The stream is drained to its end. */
export async function readBoundedStream(
  stream: AsyncIterable<Uint8Array>,
  bounds: ReadBounds,
): Promise<ReadValue> {
  const reader = new BoundedReader(bounds);
  for await (const chunk of stream) reader.write(chunk);
  return reader.end();
}
