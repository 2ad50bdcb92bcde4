/**
 * Reads one JSON value from bytes within bounds, whatever the chunk boundaries.
 *
 * Promises: the structure is kept, long strings and arrays are shortened with a mark of what was left
 * out, and the skipped bytes are walked over without building values. Memory is bounded by what is
 * kept, not by what is read: a few kB come out of 100 MB. What is kept equals what `JSON.parse`
 * would give. What is skipped is checked for balance of brackets and strings only.
 *
 * No I/O, no knowledge of n8n.
 */
import { counted } from "../platform/counted.ts";
import { ContainerSkipper } from "./container-skipper.ts";
import { JsonReadError } from "./errors.ts";
import { GatheredBytes } from "./gathered-bytes.ts";
import { OMITTED_MEMBERS, Omitted, type ReadValue } from "./omitted.ts";
import { decodeString, decodeText } from "./string-bytes.ts";
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isSpace,
  MAX_SCALAR_BYTES,
  OPEN_ARRAY,
  OPEN_OBJECT,
  parseScalar,
  QUOTE,
} from "./tokens.ts";

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
  /** Containers below this depth are counted only. The outermost container has depth 1. */
  readonly maxDepth: number;
  /** After so many values were built, all others are left out. */
  readonly maxValues: number;
  /**
   * Asked once for each container before it is entered, with its path from the root. The array is
   * reused between calls: read it, do not keep it.
   */
  readonly select?: (path: readonly (string | number)[]) => Selection;
}

/** No bounds but depth: for small answers. */
export const UNBOUNDED: ReadBounds = {
  maxStringBytes: Number.POSITIVE_INFINITY,
  maxKeptBytes: Number.POSITIVE_INFINITY,
  maxArrayItems: Number.POSITIVE_INFINITY,
  maxDepth: 512,
  maxValues: Number.POSITIVE_INFINITY,
};

interface Frame {
  readonly value: ReadValue[] | { [key: string]: ReadValue };
  /** Items are kept from this index … */
  readonly from: number;
  /** … up to, not including, this one; of an object, members up to this many. */
  readonly to: number;
  readonly maxStringBytes: number;
  /** How many items or members were begun. */
  length: number;
  omittedCount: number;
  omittedBytes: number;
  /** Offset at which the current item began, for the size of what is left out. */
  itemStart: number;
  key: string;
}

/** Keys are names: a longer one is a sign of something else, and is shortened. */
const MAX_KEY_BYTES = 4_096;

type State =
  | "value"
  | "value_or_end"
  | "key"
  | "key_or_end"
  | "colon"
  | "comma_or_end"
  | "string"
  | "scalar"
  | "skip"
  | "done";

function setMember(target: { [key: string]: ReadValue }, key: string, value: ReadValue): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

export class BoundedReader {
  readonly #bounds: ReadBounds;
  readonly #frames: Frame[] = [];
  readonly #path: (string | number)[] = [];
  #state: State = "value";
  #result: ReadValue | undefined;
  #built = 0;
  #keptBytes = 0;
  /** Offset of the current chunk's first byte in the whole input. */
  #base = 0;

  /** A string, a key, a number or a literal that may go on in the next chunk. */
  readonly #token = new GatheredBytes(0);
  #stringIsKey = false;
  #escaped = false;

  /** Walks over a container that is not built, or over the rest of one that is. */
  readonly #skipper = new ContainerSkipper();
  #skipStart = 0;
  #skipKind: "items" | "members" = "items";
  /** True when the rest of an open frame is skipped, not a container of its own. */
  #skipRest = false;

  constructor(bounds: ReadBounds) {
    this.#bounds = bounds;
  }

  /** Reads on. @throws JsonReadError when the bytes cannot be JSON. */
  write(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      switch (this.#state) {
        case "skip":
          at = this.#skip(chunk, at);
          break;
        case "string":
          at = this.#string(chunk, at);
          break;
        case "scalar":
          at = this.#scalar(chunk, at);
          break;
        default:
          at = this.#structure(chunk, at);
      }
    }
    this.#base += chunk.length;
  }

  /** The value. @throws JsonReadError when the input ended in the middle of it. */
  end(): ReadValue {
    if (this.#state === "scalar") this.#finishScalar();
    if (this.#state !== "done" || this.#result === undefined) {
      throw new JsonReadError(`The JSON ends too early, after ${counted(this.#base, "byte")}.`);
    }
    return this.#result;
  }

  /**
   * What the outermost container holds so far. For the head of a value that is not there whole.
   * Undefined when not even the container began.
   */
  partial(): ReadValue | undefined {
    return this.#result ?? this.#frames[0]?.value;
  }

  #structure(chunk: Uint8Array, start: number): number {
    const byte = chunk[start] ?? 0;
    const next = start + 1;
    if (isSpace(byte)) return next;
    const offset = this.#base + start;
    switch (this.#state) {
      case "value_or_end":
        if (byte === CLOSE_ARRAY) return this.#close(next);
        return this.#beginValue(byte, start);
      case "value":
        return this.#beginValue(byte, start);
      case "key_or_end":
        if (byte === CLOSE_OBJECT) return this.#close(next);
        return this.#beginKey(byte, offset, next);
      case "key":
        return this.#beginKey(byte, offset, next);
      case "colon":
        if (byte !== COLON) this.#unexpected(offset);
        this.#state = "value";
        return next;
      case "comma_or_end":
        return this.#afterValue(byte, offset, next);
      default:
        return this.#unexpected(offset);
    }
  }

  #unexpected(offset: number): never {
    throw new JsonReadError(`Not JSON at byte ${offset}.`);
  }

  #afterValue(byte: number, offset: number, next: number): number {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return this.#unexpected(offset);
    const isArray = Array.isArray(frame.value);
    if (byte === (isArray ? CLOSE_ARRAY : CLOSE_OBJECT)) return this.#close(next);
    if (byte !== COMMA) return this.#unexpected(offset);
    if (frame.length >= frame.to) this.#beginSkip(isArray, offset + 1, true);
    else this.#state = isArray ? "value" : "key";
    return next;
  }

  #beginKey(byte: number, offset: number, next: number): number {
    if (byte !== QUOTE) this.#unexpected(offset);
    const frame = this.#frames.at(-1);
    if (frame !== undefined) frame.itemStart = offset;
    this.#beginString(true, MAX_KEY_BYTES);
    return next;
  }

  /** Whether the value that begins now is built. */
  #isWanted(): boolean {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return true;
    if (this.#built >= this.#bounds.maxValues) return false;
    return !Array.isArray(frame.value) || frame.length >= frame.from;
  }

  #beginValue(byte: number, start: number): number {
    const offset = this.#base + start;
    const frame = this.#frames.at(-1);
    if (frame !== undefined && Array.isArray(frame.value)) frame.itemStart = offset;
    if (byte === QUOTE) {
      const room = Math.max(0, this.#bounds.maxKeptBytes - this.#keptBytes);
      this.#beginString(
        false,
        this.#isWanted() ? Math.min(frame?.maxStringBytes ?? this.#bounds.maxStringBytes, room) : 0,
      );
      return start + 1;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      this.#open(byte === OPEN_ARRAY, offset);
      return start + 1;
    }
    this.#token.clear(MAX_SCALAR_BYTES);
    this.#state = "scalar";
    return start;
  }

  #open(isArray: boolean, offset: number): void {
    const frame = this.#frames.at(-1);
    if (frame !== undefined) this.#path.push(Array.isArray(frame.value) ? frame.length : frame.key);
    const selection = this.#selectContainer();
    const part = selection === "keep" ? { from: 0, to: this.#bounds.maxArrayItems } : selection;
    if (part === "count" || (isArray && part.to <= 0)) {
      this.#beginSkip(isArray, offset);
      return;
    }
    const { from, to, maxMembers, maxStringBytes }: Part = part;
    this.#built += 1;
    this.#frames.push({
      value: isArray ? [] : {},
      from: isArray ? from : 0,
      to: isArray ? to : (maxMembers ?? Number.POSITIVE_INFINITY),
      maxStringBytes: maxStringBytes ?? frame?.maxStringBytes ?? this.#bounds.maxStringBytes,
      length: 0,
      omittedCount: 0,
      omittedBytes: 0,
      itemStart: offset,
      key: "",
    });
    this.#state = isArray ? "value_or_end" : "key_or_end";
  }

  #selectContainer(): Selection {
    if (!this.#isWanted() || this.#frames.length >= this.#bounds.maxDepth) return "count";
    return this.#bounds.select?.(this.#path) ?? "keep";
  }

  #close(next: number): number {
    const frame = this.#frames.pop();
    if (frame === undefined) throw new JsonReadError("Unbalanced JSON.");
    if (frame.omittedCount > 0) {
      const isArray = Array.isArray(frame.value);
      const mark = new Omitted(
        isArray ? "items" : "members",
        frame.length,
        frame.omittedCount,
        frame.omittedBytes,
      );
      if (Array.isArray(frame.value)) frame.value.push(mark);
      else setMember(frame.value, OMITTED_MEMBERS, mark);
    }
    this.#path.pop();
    this.#deliver(frame.value, true, this.#base + next);
    return next;
  }

  /** Hands a finished value to its container. `end` is the offset after its last byte. */
  #deliver(value: ReadValue, wanted: boolean, end: number): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) {
      this.#result = value;
      this.#state = "done";
      return;
    }
    frame.length += 1;
    if (!wanted) {
      frame.omittedCount += 1;
      frame.omittedBytes += end - frame.itemStart;
    } else if (Array.isArray(frame.value)) {
      frame.value.push(value);
    } else {
      setMember(frame.value, frame.key, value);
    }
    this.#state = "comma_or_end";
  }

  #beginString(isKey: boolean, keepLimit: number): void {
    this.#stringIsKey = isKey;
    this.#token.clear(keepLimit);
    this.#escaped = false;
    this.#state = "string";
  }

  #string(chunk: Uint8Array, start: number): number {
    let escaped = this.#escaped;
    for (let at = start; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) {
        this.#token.add(chunk.subarray(start, at));
        this.#finishString(this.#base + at + 1);
        return at + 1;
      } else if (byte < 0x20) {
        return this.#unexpected(this.#base + at);
      }
    }
    this.#escaped = escaped;
    // A copy: a few bytes must not keep a whole chunk alive.
    this.#token.addCopy(chunk.subarray(start));
    return chunk.length;
  }

  #takeString(): string {
    const text = decodeString(this.#token.join(), this.#token.length);
    this.#token.clear();
    return text;
  }

  #finishString(end: number): void {
    if (this.#stringIsKey) {
      const frame = this.#frames.at(-1);
      if (frame !== undefined) frame.key = this.#takeString();
      this.#state = "colon";
      return;
    }
    const wanted = this.#isWanted();
    if (wanted) this.#built += 1;
    this.#keptBytes += this.#token.kept;
    this.#deliver(wanted ? this.#takeString() : null, wanted, end);
  }

  #scalar(chunk: Uint8Array, start: number): number {
    let at = start;
    while (at < chunk.length) {
      const byte = chunk[at] ?? 0;
      if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || isSpace(byte)) break;
      at += 1;
    }
    this.#token.addCopy(chunk.subarray(start, at));
    if (this.#token.length > MAX_SCALAR_BYTES) this.#unexpected(this.#base + start);
    if (at < chunk.length) this.#finishScalar();
    return at;
  }

  #finishScalar(): void {
    const text = decodeText(this.#token.join());
    const { length } = this.#token;
    this.#token.clear();
    const wanted = this.#isWanted();
    if (wanted) this.#built += 1;
    const frame = this.#frames.at(-1);
    this.#deliver(parseScalar(text), wanted, (frame?.itemStart ?? 0) + length);
  }

  #beginSkip(isArray: boolean, offset: number, isRest = false): void {
    this.#skipper.begin();
    this.#skipStart = offset;
    this.#skipKind = isArray ? "items" : "members";
    this.#skipRest = isRest;
    this.#state = "skip";
  }

  #skip(chunk: Uint8Array, start: number): number {
    const end = this.#skipper.walk(chunk, start);
    if (end === -1) return chunk.length;
    this.#finishSkip(this.#skipper.count, this.#base + end);
    return end + 1;
  }

  /** `end` is the offset of the bracket that closes what was skipped. */
  #finishSkip(count: number, end: number): void {
    const bytes = end + 1 - this.#skipStart;
    if (this.#skipRest) {
      const frame = this.#frames.at(-1);
      if (frame !== undefined) {
        frame.length += count;
        frame.omittedCount += count;
        frame.omittedBytes += bytes - 1;
      }
      this.#close(end + 1 - this.#base);
      return;
    }
    const wanted = this.#isWanted();
    this.#path.pop();
    this.#deliver(countedContainer(this.#skipKind, count, bytes), wanted, end + 1);
  }
}

/** A container that was only counted still says how long it is; of an empty one nothing is left out. */
function countedContainer(kind: "items" | "members", count: number, bytes: number): ReadValue {
  const mark = new Omitted(kind, count, count, bytes);
  if (kind === "items") return count === 0 ? [] : [mark];
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
