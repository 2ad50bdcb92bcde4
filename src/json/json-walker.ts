/**
 * Walks over JSON of any size as it streams in, and tells a visitor what it was sent to look for. It
 * builds no values but the ones it reports, so that its memory does not grow with the input.
 *
 * A guide says which containers are entered and which scalars are reported; all else is passed over by
 * counting brackets. What is entered is checked to be JSON, save for how strings and literals are spelled that
 * are not reported. Malformed JSON inside an isolated container costs that container alone: the walk goes on
 * after its end. Nothing of this depends on where the chunks end.
 *
 * No I/O, no knowledge of n8n.
 */
import { ContainerSkipper } from "./container-skipper.ts";
import { JsonReadError } from "./errors.ts";
import { GatheredBytes } from "./gathered-bytes.ts";
import { KeyTable, type WalkedKey } from "./key-table.ts";
import { decodeString, decodeText } from "./string-bytes.ts";
import { endsEscaped, endWithoutBackslashes, findStringEnd } from "./string-end.ts";
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
import { type Guide, type Step, stepOf } from "./walk-guide.ts";

export type { Guide } from "./walk-guide.ts";

export type Scalar = string | number | boolean | null;

export interface Visitor {
  /** True when scalars under this key are wanted. Asked now and then, not each time. */
  wantsKey(key: string): boolean;
  /** A container with `isOptional` begins; the walker's path leads to it. False passes it over. */
  enters(place: string, walker: JsonWalker): boolean;
  /** A container with `isReported` begins; the walker's path leads to it. */
  open(place: string, walker: JsonWalker): void;
  /** It ends. `length`: how many items an array has; 0 for an object. */
  close(place: string, walker: JsonWalker, length: number): void;
  /** The path leads to the scalar. */
  scalar(place: string, value: Scalar, walker: JsonWalker): void;
  /** A container with `isGathered` begins. Returns how many of its bytes may be held. */
  roomFor(place: string): number;
  /** It ends; the path leads to it. Null when it has more bytes than there was room for. */
  gathered(place: string, bytes: Uint8Array | null, walker: JsonWalker): void;
  /**
   * Something here could not be looked at: a container too deep, or a string too long that would have been
   * reported. Where scalars are `wanted`, those that are only `named` are no loss.
   */
  unlooked(place: string, walker: JsonWalker): void;
  /** The isolated container is malformed. Its `close` is not called. */
  broken(place: string, walker: JsonWalker): void;
}

/** Longer strings are not looked at, and longer keys are refused. */
export const MAX_WALKED_STRING_BYTES = 1024 * 1024;
/** Containers below are not looked at: no payload that a person could read is deeper. */
export const MAX_WALKED_DEPTH = 256;

const PLUS = 0x2b;

type Expected =
  | "value"
  | "value_or_end"
  | "key"
  | "key_or_end"
  | "colon"
  | "comma_or_end"
  | "skipped_end"
  | "long_string_end"
  | "nothing";

interface Frame {
  readonly guide: Step;
  readonly isArray: boolean;
  key: WalkedKey | undefined;
  index: number;
}

const SPACE = new Uint8Array([0x20]);

/** In place of an offset: the token that begins here goes on in the next chunk. */
const NEED_MORE = -1;

/** A string that is not held while it passes. */
interface LongString {
  readonly isMissed: boolean;
  /** True when the next byte follows a backslash. */
  isEscaped: boolean;
}

/** A container whose bytes are held while it passes. */
interface Gathering {
  /** How many containers are open around it. */
  readonly depth: number;
  readonly bytes: GatheredBytes;
  readonly room: number;
  /** Where those of the present bytes begin that are not held yet. */
  from: number;
}

/** Whether a string, given by its raw bytes, begins like an object or array. */
function looksLikeJson(bytes: Uint8Array, start: number, end: number): boolean {
  // Of a long string, no more than is there when it is found to be long.
  const last = Math.min(end, start + MAX_WALKED_STRING_BYTES);
  let at = start;
  while (at < last) {
    const byte = bytes[at] ?? 0;
    // White space, also as the escapes \n, \r and \t.
    if (isSpace(byte)) at += 1;
    else if (byte === BACKSLASH && "nrt".includes(String.fromCharCode(bytes[at + 1] ?? 0))) at += 2;
    else return byte === OPEN_OBJECT || byte === OPEN_ARRAY;
  }
  return false;
}

/** Whether a scalar is to be reported for the key that it stands under. */
function isKeyTelling({ guide, key }: Frame): boolean {
  if (guide.reportsAll) return true;
  if (key === undefined) return false;
  return (guide.reportsWanted && key.isWanted) || (guide.reportsNamed && guide.named.has(key.text));
}

/** Whether a string, given by its raw bytes, is to be reported where it stands. */
const isTelling = (frame: Frame, bytes: Uint8Array, start: number, end: number): boolean =>
  isKeyTelling(frame) || (frame.guide.reportsWanted && looksLikeJson(bytes, start, end));

/** Whether it is a loss that such a string is too long to be reported. */
function isMissed(frame: Frame, bytes: Uint8Array, start: number, end: number): boolean {
  if (!frame.guide.reportsWanted) return isKeyTelling(frame);
  return frame.key?.isWanted === true || looksLikeJson(bytes, start, end);
}

export class JsonWalker {
  readonly #visitor: Visitor;
  readonly #root: Step;
  readonly #keys: KeyTable;
  readonly #skipper = new ContainerSkipper();
  readonly #frames: Frame[] = [];
  #top: Frame | undefined;
  #expected: Expected = "value";
  /** The beginning of a token that ended with the last chunk. */
  #tail: Uint8Array | undefined;
  /** How much of the tail was searched for the end of its string already. */
  #searched = 0;
  #longString: LongString | undefined;
  #gathering: Gathering | undefined;

  /** @param root where the value begins */
  constructor(root: Guide, visitor: Visitor) {
    this.#root = stepOf(root);
    this.#visitor = visitor;
    this.#keys = new KeyTable((key) => visitor.wantsKey(key));
  }

  /** How many containers are open. */
  get depth(): number {
    return this.#frames.length;
  }

  /** The key of the present member; empty in an array. */
  get key(): string {
    return this.#top?.key?.text ?? "";
  }

  /** Whether scalars under the present key are wanted. */
  get isKeyWanted(): boolean {
    return this.#top?.key?.isWanted === true;
  }

  /** The key or index by which the container at this depth (the outermost has 0) leads on. */
  segmentAt(depth: number): string | number {
    const frame = this.#frames[depth];
    if (frame === undefined) throw new RangeError(`The walk is not ${depth} containers deep.`);
    return frame.isArray ? frame.index : (frame.key?.text ?? "");
  }

  /** Keys and indexes from the container at this depth down to where the walk is. */
  path(fromDepth = 0): (string | number)[] {
    return this.#frames.slice(fromDepth).map((_frame, offset) => this.segmentAt(fromDepth + offset));
  }

  /** Walks on. The chunk must not be changed afterwards. @throws JsonReadError when it cannot be JSON */
  write(chunk: Uint8Array): void {
    const bytes = this.#withTail(chunk);
    let at = 0;
    while (at < bytes.length) {
      let next: number;
      try {
        next = this.#step(bytes, at);
      } catch (error) {
        if (!(error instanceof JsonReadError) || !this.#isolate()) throw error;
        next = at;
      }
      if (next === NEED_MORE) {
        this.#gatherUpTo(bytes, this.#keepTail(bytes, at));
        return;
      }
      at = next;
    }
    this.#gatherUpTo(bytes, bytes.length);
  }

  /** What follows comes again, or comes next. */
  #gatherUpTo(bytes: Uint8Array, end: number): void {
    const gathering = this.#gathering;
    if (gathering === undefined) return;
    gathering.bytes.add(bytes.subarray(gathering.from, end));
    gathering.from = 0;
  }

  /** @throws JsonReadError when the input ended in the middle of the value */
  end(): void {
    // Only the end of the input tells that a number or literal is whole that stands alone.
    if (this.#top === undefined && this.#tail !== undefined) this.write(SPACE);
    if (this.#expected === "nothing") return;
    throw new JsonReadError("The JSON ends too early.");
  }

  #withTail(chunk: Uint8Array): Uint8Array {
    const tail = this.#tail;
    if (tail === undefined) return chunk;
    const bytes = new Uint8Array(tail.length + chunk.length);
    bytes.set(tail);
    bytes.set(chunk, tail.length);
    this.#tail = undefined;
    return bytes;
  }

  /**
   * Holds the beginning of a token until the rest comes, unless it is a string too long to be looked at.
   * Returns where what is held begins.
   */
  #keepTail(bytes: Uint8Array, start: number): number {
    if (bytes[start] === QUOTE) {
      if (bytes.length - start - 1 > MAX_WALKED_STRING_BYTES) {
        this.#beginLongString(bytes, start + 1);
        return bytes.length;
      }
      this.#searched = endWithoutBackslashes(bytes, start + 1) - start;
    }
    this.#tail = bytes.subarray(start);
    return start;
  }

  #step(bytes: Uint8Array, at: number): number {
    const expected = this.#expected;
    if (expected === "skipped_end") return this.#skip(bytes, at);
    if (expected === "long_string_end") return this.#passLongString(bytes, at);
    const byte = bytes[at] ?? 0;
    if (byte <= 0x20) {
      if (!isSpace(byte)) this.#unexpected();
      return at + 1;
    }
    switch (expected) {
      case "comma_or_end":
        return this.#afterValue(bytes, byte, at);
      case "key":
        return this.#readKey(bytes, at);
      case "key_or_end":
        return byte === CLOSE_OBJECT ? this.#close(bytes, at) : this.#readKey(bytes, at);
      case "value":
        return this.#readValue(bytes, at, byte);
      case "value_or_end":
        return byte === CLOSE_ARRAY ? this.#close(bytes, at) : this.#readValue(bytes, at, byte);
      case "colon":
        if (byte !== COLON) this.#unexpected();
        this.#expected = "value";
        return at + 1;
      default:
        return this.#unexpected();
    }
  }

  #unexpected(): never {
    throw new JsonReadError("Not JSON.");
  }

  /** Goes on after the innermost isolated container. False when there is none. */
  #isolate(): boolean {
    const depth = this.#frames.findLastIndex((frame) => frame.guide.isIsolated);
    const frame = this.#frames[depth];
    if (frame === undefined) return false;
    const open = this.#frames.length - depth;
    this.#frames.length = depth;
    this.#top = this.#frames.at(-1);
    this.#gathering = undefined;
    this.#visitor.broken(frame.guide.place, this);
    this.#skipper.begin(open);
    this.#expected = "skipped_end";
    return true;
  }

  #afterValue(bytes: Uint8Array, byte: number, at: number): number {
    const top = this.#top;
    if (top === undefined) return this.#unexpected();
    if (byte === COMMA) {
      if (top.isArray) {
        top.index += 1;
        this.#expected = "value";
      } else {
        this.#expected = "key";
      }
      return at + 1;
    }
    if (byte !== (top.isArray ? CLOSE_ARRAY : CLOSE_OBJECT)) this.#unexpected();
    return this.#close(bytes, at);
  }

  #close(bytes: Uint8Array, at: number): number {
    const frame = this.#frames.pop();
    if (frame === undefined) return this.#unexpected();
    const isEmpty = this.#expected === "value_or_end";
    this.#top = this.#frames.at(-1);
    this.#expected = this.#top === undefined ? "nothing" : "comma_or_end";
    if (this.#frames.length === this.#gathering?.depth) this.#endGathering(frame.guide.place, bytes, at + 1);
    if (frame.guide.isReported)
      this.#visitor.close(frame.guide.place, this, frame.isArray && !isEmpty ? frame.index + 1 : 0);
    return at + 1;
  }

  #beginGathering(place: string, at: number): void {
    const room = this.#visitor.roomFor(place);
    if (room <= 0) this.#visitor.gathered(place, null, this);
    else this.#gathering = { depth: this.#frames.length, bytes: new GatheredBytes(room), room, from: at };
  }

  #endGathering(place: string, bytes: Uint8Array, end: number): void {
    const gathering = this.#gathering;
    if (gathering === undefined) return;
    this.#gatherUpTo(bytes, end);
    this.#gathering = undefined;
    const isWhole = gathering.bytes.length <= gathering.room;
    this.#visitor.gathered(place, isWhole ? gathering.bytes.join() : null, this);
  }

  #readKey(bytes: Uint8Array, at: number): number {
    if (bytes[at] !== QUOTE) this.#unexpected();
    const end = findStringEnd(bytes, Math.max(at + 1, this.#searched));
    this.#searched = 0;
    const length = (end === -1 ? bytes.length : end) - at - 1;
    if (length > MAX_WALKED_STRING_BYTES) throw new JsonReadError("A key is too long.");
    if (end === -1) return NEED_MORE;
    const top = this.#top;
    if (top !== undefined) top.key = this.#keys.lookUp(bytes, at + 1, end);
    if (bytes[end + 1] === COLON) {
      this.#expected = "value";
      return end + 2;
    }
    this.#expected = "colon";
    return end + 1;
  }

  #readValue(bytes: Uint8Array, at: number, byte: number): number {
    if (byte === QUOTE) return this.#readString(bytes, at);
    if (byte === OPEN_OBJECT) return this.#open(at, false);
    if (byte === OPEN_ARRAY) return this.#open(at, true);
    return this.#readScalar(bytes, at);
  }

  #guideOfNext(): Step | undefined {
    const top = this.#top;
    if (top === undefined) return this.#root;
    const { guide } = top;
    if (top.isArray) return guide.items;
    const named = top.key === undefined ? undefined : guide.members.get(top.key.text);
    return named === undefined ? guide.otherMembers : (named ?? undefined);
  }

  #open(at: number, isArray: boolean): number {
    const guide = this.#guideOfNext();
    if (guide === undefined) return this.#passOver(at);
    if (this.#frames.length >= MAX_WALKED_DEPTH) {
      this.#visitor.unlooked(guide.place, this);
      return this.#passOver(at);
    }
    if (guide.isOptional && !this.#visitor.enters(guide.place, this)) return this.#passOver(at);
    if (guide.isReported) this.#visitor.open(guide.place, this);
    if (guide.isGathered && this.#gathering === undefined) this.#beginGathering(guide.place, at);
    this.#top = { guide, isArray, key: undefined, index: 0 };
    this.#frames.push(this.#top);
    this.#expected = isArray ? "value_or_end" : "key_or_end";
    return at + 1;
  }

  #passOver(at: number): number {
    this.#skipper.begin();
    this.#expected = "skipped_end";
    return at + 1;
  }

  #finishValue(): void {
    this.#expected = this.#top === undefined ? "nothing" : "comma_or_end";
  }

  #skip(bytes: Uint8Array, at: number): number {
    const end = this.#skipper.walk(bytes, at);
    if (end === -1) return bytes.length;
    this.#finishValue();
    return end + 1;
  }

  #readString(bytes: Uint8Array, at: number): number {
    const end = findStringEnd(bytes, Math.max(at + 1, this.#searched));
    this.#searched = 0;
    if (end === -1) return NEED_MORE;
    const top = this.#top;
    if (top?.guide.reports === true) this.#reportString(bytes, at + 1, end, top);
    this.#finishValue();
    return end + 1;
  }

  #reportString(bytes: Uint8Array, start: number, end: number, top: Frame): void {
    if (end - start > MAX_WALKED_STRING_BYTES) {
      if (isMissed(top, bytes, start, end)) this.#visitor.unlooked(top.guide.place, this);
    } else if (isTelling(top, bytes, start, end)) {
      const raw = bytes.subarray(start, end);
      this.#visitor.scalar(top.guide.place, decodeString(raw, raw.length), this);
    }
  }

  /** @param start offset of its first byte, after the quote */
  #beginLongString(bytes: Uint8Array, start: number): void {
    this.#longString = {
      isMissed: this.#top !== undefined && isMissed(this.#top, bytes, start, bytes.length),
      isEscaped: endsEscaped(bytes, start),
    };
    this.#expected = "long_string_end";
  }

  #passLongString(bytes: Uint8Array, at: number): number {
    const string = this.#longString;
    if (string === undefined) return this.#unexpected();
    const start = string.isEscaped ? at + 1 : at;
    const end = findStringEnd(bytes, start);
    if (end === -1) {
      string.isEscaped = endsEscaped(bytes, start);
      return bytes.length;
    }
    const top = this.#top;
    if (top !== undefined && string.isMissed) this.#visitor.unlooked(top.guide.place, this);
    this.#longString = undefined;
    this.#finishValue();
    return end + 1;
  }

  #readScalar(bytes: Uint8Array, at: number): number {
    const end = scalarEnd(bytes, at);
    if (end - at > MAX_SCALAR_BYTES) throw new JsonReadError("A number is too long.");
    if (end === bytes.length) return NEED_MORE;
    const top = this.#top;
    if (top === undefined) scalarIn(bytes, at, end);
    else if (isKeyTelling(top)) this.#visitor.scalar(top.guide.place, scalarIn(bytes, at, end), this);
    this.#finishValue();
    return end;
  }
}

const ZERO = 0x30;
/** More digits may be more than a number holds exactly. */
const MAX_DIGITS = 15;

/** A number or literal. @throws JsonReadError */
function scalarIn(bytes: Uint8Array, start: number, end: number): number | boolean | null {
  if (end - start > MAX_DIGITS || (bytes[start] === ZERO && end - start > 1))
    return spelledScalar(bytes, start, end);
  let value = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (bytes[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return spelledScalar(bytes, start, end);
    value = value * 10 + digit;
  }
  return value;
}

const spelledScalar = (bytes: Uint8Array, start: number, end: number): number | boolean | null =>
  parseScalar(decodeText(bytes.subarray(start, end)));

/** Where a number or literal ends, which may be the end of the bytes. Its spelling is not checked. */
function scalarEnd(bytes: Uint8Array, start: number): number {
  let end = start;
  for (; end < bytes.length; end += 1) {
    const byte = bytes[end] ?? 0;
    // White space, commas and quotes, then all brackets (a bracket differs from a brace in one bit): a quote or
    // opening bracket that were taken for a part of it would make the walk lose its step.
    if ((byte <= COMMA && byte !== PLUS) || (byte | 0x20) >= OPEN_OBJECT) break;
  }
  if (end === start) throw new JsonReadError("Not JSON.");
  return end;
}
