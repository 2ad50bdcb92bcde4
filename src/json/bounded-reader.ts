/**
 * Reads one JSON value from bytes within bounds, as a visitor of the walker.
 *
 * Promises: the structure is kept, long strings and arrays are shortened with a mark of what was left
 * out, and the skipped bytes are walked over without building values. Memory is bounded by what is
 * kept, not by what is read: a few kB come out of 100 MB. What is kept equals what `JSON.parse`
 * would give. What is skipped is checked for balance of brackets and strings only.
 *
 * No I/O, no knowledge of n8n.
 */
import { JsonReadError } from "./errors.ts";
import { ALL, JsonWalker, MAX_WALKED_DEPTH, type Passed, type Scalar, type Visitor } from "./json-walker.ts";
import { OMITTED_MEMBERS, Omitted, type ReadValue } from "./omitted.ts";
import { decodeString, refuseControlCharacters } from "./string-bytes.ts";
import type { Guide } from "./walk-guide.ts";

/** What to do with a container: build it, only count it, or build a part of it. */
export type Selection = "keep" | "count" | Part;

/** Of an array the items `from` up to `to`; of an object all members, unless it says how many. */
export interface Part {
  readonly from: number;
  readonly to: number;
  /** An object keeps so many of its first members, at least one. */
  readonly maxMembers?: number;
  /** In place of the bounds' own, for the strings in this container and below. */
  readonly maxStringBytes?: number;
}

export interface ReadBounds {
  /** Longer strings keep this many bytes, less what would cut a character. */
  readonly maxStringBytes: number;
  /** Together, strings keep this many bytes; after that, each is left with its mark alone. */
  readonly maxKeptBytes: number;
  /** Longer arrays keep this many items, unless `select` says otherwise. */
  readonly maxArrayItems: number;
  /** Containers below this depth are counted only, at most `MAX_WALKED_DEPTH`. The outermost one has depth 1. */
  readonly maxDepth: number;
  /** After so many values were built, all others are left out. */
  readonly maxValues: number;
  /**
   * Asked once for each container before it is entered, with its path from the root. The array is
   * reused between calls: read it, do not keep it.
   */
  readonly select?: (path: readonly (string | number)[]) => Selection;
}

/** For small answers: no bounds but the depth that the walker has anyway. */
export const UNBOUNDED: ReadBounds = {
  maxStringBytes: Number.POSITIVE_INFINITY,
  maxKeptBytes: Number.POSITIVE_INFINITY,
  maxArrayItems: Number.POSITIVE_INFINITY,
  maxDepth: MAX_WALKED_DEPTH,
  maxValues: Number.POSITIVE_INFINITY,
};

interface Frame {
  readonly value: ReadValue[] | { [key: string]: ReadValue };
  /** Items are kept from this index on. */
  readonly from: number;
  readonly maxStringBytes: number;
  /** How many items or members were begun. */
  length: number;
  omittedCount: number;
  omittedBytes: number;
}

/** Everything is of interest: what is not, the bounds say when it comes. */
function everything(): Guide {
  const guide: { -readonly [Key in keyof Guide]: Guide[Key] } = {
    place: "value",
    scalars: "raw",
    isReported: true,
    isOptional: true,
    isMeasured: true,
  };
  guide.otherMembers = guide;
  guide.items = guide;
  return guide;
}
const EVERYTHING = everything();

function setMember(target: { [key: string]: ReadValue }, key: string, value: ReadValue): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

class ValueBuilder implements Visitor {
  readonly #bounds: ReadBounds;
  readonly #maxDepth: number;
  readonly #frames: Frame[] = [];
  readonly #path: (string | number)[] = [];
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

  enters(_place: string, walker: JsonWalker, isArray: boolean): number {
    const top = this.#top;
    if (top !== undefined) this.#path.push(Array.isArray(top.value) ? top.length : walker.key);
    const selection = this.#selectContainer();
    const part: Part | "count" =
      selection === "keep" ? { from: 0, to: this.#bounds.maxArrayItems } : selection;
    if (part === "count" || (isArray && part.to <= 0)) return 0;
    this.#built += 1;
    this.#top = {
      value: isArray ? [] : {},
      from: isArray ? part.from : 0,
      maxStringBytes: part.maxStringBytes ?? top?.maxStringBytes ?? this.#bounds.maxStringBytes,
      length: 0,
      omittedCount: 0,
      omittedBytes: 0,
    };
    this.#frames.push(this.#top);
    return Math.min(ALL, isArray ? part.to : (part.maxMembers ?? ALL));
  }

  close(_place: string, walker: JsonWalker): void {
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    this.#top = this.#frames.at(-1);
    const { value, length, omittedCount, omittedBytes } = frame;
    if (omittedCount > 0) {
      if (Array.isArray(value)) value.push(new Omitted("items", length, omittedCount, omittedBytes));
      else setMember(value, OMITTED_MEMBERS, new Omitted("members", length, omittedCount, omittedBytes));
    }
    this.#path.pop();
    this.#deliver(value, true, walker);
  }

  passed(_place: string, walker: JsonWalker, passed: Passed): void {
    this.#path.pop();
    this.#deliver(countedContainer(passed), this.#isWanted(), walker);
  }

  passedRest(_place: string, _walker: JsonWalker, { count, byteLength }: Passed): void {
    const top = this.#top;
    if (top === undefined) return;
    top.length += count;
    top.omittedCount += count;
    top.omittedBytes += byteLength;
  }

  scalar(_place: string, value: Scalar, walker: JsonWalker): void {
    const isWanted = this.#isWanted();
    if (isWanted) this.#built += 1;
    this.#deliver(value, isWanted, walker);
  }

  rawString(bytes: Uint8Array, byteLength: number, walker: JsonWalker): void {
    if (!this.#isWanted()) {
      this.#deliver(null, false, walker);
      return;
    }
    this.#built += 1;
    const kept = bytes.subarray(0, this.roomForString());
    this.#keptBytes += kept.length;
    refuseControlCharacters(kept);
    this.#deliver(decodeString(kept, byteLength), true, walker);
  }

  roomForString(): number {
    const room = Math.max(0, this.#bounds.maxKeptBytes - this.#keptBytes);
    return Math.min(this.#top?.maxStringBytes ?? this.#bounds.maxStringBytes, room);
  }

  #selectContainer(): Selection {
    if (!this.#isWanted() || this.#frames.length >= this.#maxDepth) return "count";
    return this.#bounds.select?.(this.#path) ?? "keep";
  }

  /** Whether the value that is being read is built. */
  #isWanted(): boolean {
    const top = this.#top;
    if (top === undefined) return true;
    return this.#built < this.#bounds.maxValues && top.length >= top.from;
  }

  /** Hands a finished value to its container. */
  #deliver(value: ReadValue, isWanted: boolean, walker: JsonWalker): void {
    const top = this.#top;
    if (top === undefined) {
      this.#result = value;
      return;
    }
    top.length += 1;
    if (!isWanted) {
      top.omittedCount += 1;
      top.omittedBytes += walker.itemByteLength;
    } else if (Array.isArray(top.value)) {
      top.value.push(value);
    } else {
      setMember(top.value, walker.key, value);
    }
  }
}

/** Takes the bytes of one value in chunks, which must not be changed afterwards. */
export class BoundedReader {
  readonly #builder: ValueBuilder;
  readonly #walker: JsonWalker;

  constructor(bounds: ReadBounds) {
    this.#builder = new ValueBuilder(bounds);
    this.#walker = new JsonWalker(EVERYTHING, this.#builder);
  }

  /** Reads on. @throws JsonReadError when the bytes cannot be JSON. */
  write(chunk: Uint8Array): void {
    this.#walker.write(chunk);
  }

  /** The value. @throws JsonReadError when the input ended in the middle of it. */
  end(): ReadValue {
    this.#walker.end();
    const { result } = this.#builder;
    if (result === undefined) throw new JsonReadError("The JSON has no value.");
    return result;
  }

  /**
   * What the outermost container holds so far, for the head of a value that is not complete. Undefined when not even
   * the container began.
   */
  partial(): ReadValue | undefined {
    return this.#builder.result ?? this.#builder.outermost;
  }
}

/** A container that was only counted still says how long it is; of an empty one nothing is left out. */
function countedContainer({ isArray, count, byteLength }: Passed): ReadValue {
  const mark = new Omitted(isArray ? "items" : "members", count, count, byteLength);
  if (isArray) return count === 0 ? [] : [mark];
  return count === 0 ? {} : mark;
}

/** Reads one value that is in memory as a whole. */
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
