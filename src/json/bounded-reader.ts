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
import { JsonReadError } from "./errors.ts";
import { OMITTED_MEMBERS, Omitted, type ReadValue, shortenedMark } from "./omitted.ts";

/** What to do with a container: build it, only count it, or build the items `from` up to `to`. */
export type Selection = "keep" | "count" | { readonly from: number; readonly to: number };

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
  /** … up to, not including, this one. */
  readonly to: number;
  /** How many items or members were begun. */
  length: number;
  omittedCount: number;
  omittedBytes: number;
  /** Offset at which the current item began, for the size of what is left out. */
  itemStart: number;
  key: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** A number or literal longer than this is no value that n8n writes. */
const MAX_SCALAR_BYTES = 1_100;
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

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Length of the longest prefix of a JSON string's raw bytes that ends on a whole character. */
function wholeCharacterLength(raw: Uint8Array): number {
  let end = 0;
  let at = 0;
  while (at < raw.length) {
    const byte = raw[at] ?? 0;
    if (byte === BACKSLASH) at += raw[at + 1] === 0x75 ? 6 : 2;
    else if (byte < 0x80) at += 1;
    else if (byte < 0xe0) at += 2;
    else at += byte < 0xf0 ? 3 : 4;
    if (at <= raw.length) end = at;
  }
  return end;
}

function setMember(target: { [key: string]: ReadValue }, key: string, value: ReadValue): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

export class BoundedReader {
  readonly #bounds: ReadBounds;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false });
  readonly #frames: Frame[] = [];
  readonly #path: (string | number)[] = [];
  #state: State = "value";
  #result: ReadValue | undefined;
  #built = 0;
  #keptBytes = 0;
  /** Offset of the current chunk's first byte in the whole input. */
  #base = 0;

  // A string, a key, a number or a literal that may go on in the next chunk.
  #parts: Uint8Array[] = [];
  #partsLength = 0;
  #keepLimit = 0;
  #tokenLength = 0;
  #stringIsKey = false;
  #escaped = false;
  #hasEscape = false;

  // A container that is walked over without being built.
  #skipDepth = 0;
  #skipInString = false;
  #skipCommas = 0;
  #skipIsEmpty = true;
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
      throw new JsonReadError(`The JSON ends too early, after ${this.#base} bytes.`);
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
    if (!isArray) {
      this.#state = "key";
    } else if (frame.length >= frame.to) {
      this.#beginSkippingRest(frame, offset + 1);
    } else {
      this.#state = "value";
    }
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
      this.#beginString(false, this.#isWanted() ? Math.min(this.#bounds.maxStringBytes, room) : 0);
      return start + 1;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      this.#open(byte === OPEN_ARRAY, offset);
      return start + 1;
    }
    this.#parts = [];
    this.#partsLength = 0;
    this.#state = "scalar";
    return start;
  }

  #open(isArray: boolean, offset: number): void {
    const frame = this.#frames.at(-1);
    if (frame !== undefined) this.#path.push(Array.isArray(frame.value) ? frame.length : frame.key);
    const selection = this.#selectContainer();
    const range =
      selection === "keep"
        ? { from: 0, to: this.#bounds.maxArrayItems }
        : selection === "count"
          ? { from: 0, to: 0 }
          : selection;
    if (selection === "count" || (isArray && range.to <= 0)) {
      this.#beginSkip(isArray, offset);
      return;
    }
    this.#built += 1;
    this.#frames.push({
      value: isArray ? [] : {},
      from: isArray ? range.from : 0,
      to: isArray ? range.to : Number.POSITIVE_INFINITY,
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
    this.#keepLimit = keepLimit;
    this.#parts = [];
    this.#partsLength = 0;
    this.#tokenLength = 0;
    this.#escaped = false;
    this.#hasEscape = false;
    this.#state = "string";
  }

  #string(chunk: Uint8Array, start: number): number {
    let at = start;
    let escaped = this.#escaped;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) {
        escaped = true;
        this.#hasEscape = true;
      } else if (byte === QUOTE) {
        this.#collect(chunk, start, at);
        this.#finishString(this.#base + at + 1);
        return at + 1;
      } else if (byte < 0x20) {
        return this.#unexpected(this.#base + at);
      }
    }
    this.#escaped = escaped;
    this.#collect(chunk, start, at);
    return at;
  }

  #collect(chunk: Uint8Array, start: number, end: number): void {
    this.#tokenLength += end - start;
    const room = this.#keepLimit - this.#partsLength;
    const kept = Math.min(room, end - start);
    if (kept <= 0) return;
    // A copy: the chunk's buffer may be reused, and must not be kept alive by a few bytes of it.
    this.#parts.push(chunk.slice(start, start + kept));
    this.#partsLength += kept;
  }

  #joinParts(): Uint8Array {
    if (this.#parts.length === 1) return this.#parts[0] ?? new Uint8Array();
    const joined = new Uint8Array(this.#partsLength);
    let at = 0;
    for (const part of this.#parts) {
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }

  #decodeString(): string {
    const raw = this.#joinParts();
    this.#parts = [];
    if (this.#tokenLength === raw.length) return this.#unescape(raw);
    const kept = this.#unescape(raw.subarray(0, wholeCharacterLength(raw)));
    const last = kept.charCodeAt(kept.length - 1);
    const whole = last >= 0xd800 && last <= 0xdbff ? kept.slice(0, -1) : kept;
    return whole + shortenedMark(this.#tokenLength - raw.length);
  }

  #unescape(raw: Uint8Array): string {
    const text = this.#decoder.decode(raw);
    if (!this.#hasEscape) return text;
    try {
      const value: unknown = JSON.parse(`"${text}"`);
      if (typeof value === "string") return value;
    } catch {
      // Falls through: a wrong escape is the only way to get here.
    }
    throw new JsonReadError(`A string before byte ${this.#base} has a wrong escape.`);
  }

  #finishString(end: number): void {
    if (this.#stringIsKey) {
      const frame = this.#frames.at(-1);
      if (frame !== undefined) frame.key = this.#decodeString();
      this.#state = "colon";
      return;
    }
    const wanted = this.#isWanted();
    if (wanted) this.#built += 1;
    this.#keptBytes += this.#partsLength;
    this.#deliver(wanted ? this.#decodeString() : null, wanted, end);
  }

  #scalar(chunk: Uint8Array, start: number): number {
    let at = start;
    while (at < chunk.length) {
      const byte = chunk[at] ?? 0;
      if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || isSpace(byte)) break;
      at += 1;
    }
    this.#partsLength += at - start;
    if (this.#partsLength > MAX_SCALAR_BYTES) this.#unexpected(this.#base + start);
    this.#parts.push(chunk.slice(start, at));
    if (at < chunk.length) this.#finishScalar();
    return at;
  }

  #finishScalar(): void {
    const text = this.#decoder.decode(this.#joinParts());
    const length = this.#partsLength;
    this.#parts = [];
    const wanted = this.#isWanted();
    if (wanted) this.#built += 1;
    const frame = this.#frames.at(-1);
    this.#deliver(parseScalar(text), wanted, (frame?.itemStart ?? 0) + length);
  }

  #beginSkip(isArray: boolean, offset: number): void {
    this.#skipDepth = 1;
    this.#skipInString = false;
    this.#escaped = false;
    this.#skipCommas = 0;
    this.#skipIsEmpty = true;
    this.#skipStart = offset;
    this.#skipKind = isArray ? "items" : "members";
    this.#skipRest = false;
    this.#state = "skip";
  }

  #beginSkippingRest(frame: Frame, offset: number): void {
    this.#beginSkip(Array.isArray(frame.value), offset);
    this.#skipRest = true;
  }

  #skip(chunk: Uint8Array, start: number): number {
    let inString = this.#skipInString;
    let escaped = this.#escaped;
    let depth = this.#skipDepth;
    let commas = this.#skipCommas;
    let isEmpty = this.#skipIsEmpty;
    let at = start;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) {
        inString = true;
        isEmpty = false;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        depth += 1;
        isEmpty = false;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        depth -= 1;
        if (depth === 0) {
          this.#finishSkip(isEmpty ? 0 : commas + 1, this.#base + at);
          return at + 1;
        }
      } else if (byte === COMMA) {
        if (depth === 1) commas += 1;
      } else if (byte > 0x20) {
        isEmpty = false;
      }
    }
    this.#skipInString = inString;
    this.#escaped = escaped;
    this.#skipDepth = depth;
    this.#skipCommas = commas;
    this.#skipIsEmpty = isEmpty;
    return at;
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

function parseScalar(text: string): number | boolean | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new JsonReadError("A value is neither a string, a number, a container nor a literal.");
  }
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  throw new JsonReadError("A value is neither a string, a number, a container nor a literal.");
}

/** Reads one value that is in memory as a whole. */
export function readBounded(bytes: Uint8Array, bounds: ReadBounds): ReadValue {
  const reader = new BoundedReader(bounds);
  reader.write(bytes);
  return reader.end();
}

/** Reads one value from a stream, within bounds. The stream is drained to its end. */
export async function readBoundedStream(
  stream: ReadableStream<Uint8Array>,
  bounds: ReadBounds,
): Promise<ReadValue> {
  const reader = new BoundedReader(bounds);
  for await (const chunk of stream) reader.write(chunk);
  return reader.end();
}
