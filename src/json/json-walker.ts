/**
 * Walks over JSON of any size as it streams in, and reports to a visitor what its guide requests. It is the only code
 * that knows the grammar of JSON: the bounded reader and the list reader are visitors of it.
 *
 * Promises: it builds only the values that it reports, so its memory does not grow with the input. A guide defines
 * which containers are entered and which scalars are reported; everything else is skipped by counting brackets.
 * Entered containers are checked to be JSON, except for the spelling of strings and literals that are not reported.
 * Malformed JSON inside an isolated container affects only that container: the walk continues after its end. None of
 * this depends on where the chunks end.
 *
 * No I/O, no knowledge of n8n.
 */
import { counted } from "../platform/counted.ts";
import { ContainerSkipper } from "./container-skipper.ts";
import { JsonReadError } from "./errors.ts";
import { GatheredBytes, Gathering } from "./gathered-bytes.ts";
import { KeyTable } from "./key-table.ts";
import { decodeString, endsEscaped, findStringEnd, refuseControlCharacters } from "./strings.ts";
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isSpace,
  MAX_SCALAR_BYTES,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  scalarEnd,
  scalarIn,
} from "./tokens.ts";
import {
  type Frame,
  isMissed,
  isReportedByKey,
  isReportedString,
  MAX_WALKED_STRING_BYTES,
} from "./walk-frame.ts";
import { type Guide, outsideOf, type Step } from "./walk-guide.ts";
import { ALL, type Visitor, type WalkPosition } from "./walk-visitor.ts";

/** If scalars are raw, longer keys are shortened: keys are names, and one this long probably is not a name. */
const MAX_RAW_KEY_BYTES = 4_096;
/** Deeper containers are skipped: no payload that a person could read is deeper. */
export const MAX_WALKED_DEPTH = 256;
type Expected =
  | "value"
  | "value_or_end"
  | "key"
  | "key_or_end"
  | "colon"
  | "comma_or_end"
  | "skipped_end"
  | "string_end"
  | "refused_key"
  | "nothing";

const NO_BYTES = new Uint8Array();
const SPACE = new Uint8Array([0x20]);

/** Returned in place of an offset when the number or literal that begins here continues in the next chunk. */
const NEED_MORE = -1;

interface OpenString {
  readonly isKey: boolean;
  readonly bytes: GatheredBytes;
  isEscaped: boolean;
}

/** A container, or the rest of one, that is skipped and reported as such. */
interface Passing {
  readonly guide: Step;
  readonly isArray: boolean;
  readonly isRest: boolean;
  /** The offset of its first byte in the whole input. */
  readonly start: number;
}

export class JsonWalker implements WalkPosition {
  readonly #visitor: Visitor;
  readonly #keys: KeyTable;
  readonly #skipper = new ContainerSkipper();
  readonly #frames: Frame[] = [];
  /** A container around the whole value, which is its only member. */
  readonly #outside: Frame;
  #top: Frame;
  #expected: Expected = "value";
  /** The offset of the current bytes in the whole input. */
  #base = 0;
  /** The offset after what is being reported. */
  #end = 0;
  /** The beginning of a number or literal that ended with the last chunk. */
  #tail: Uint8Array | undefined;
  #openString: OpenString | undefined;
  #gathering: Gathering | undefined;
  #passing: Passing | undefined;

  constructor(root: Guide, visitor: Visitor) {
    const guide = outsideOf(root);
    this.#outside = { guide, isArray: false, limit: ALL, key: undefined, index: 0, itemStart: 0 };
    this.#top = this.#outside;
    this.#visitor = visitor;
    this.#keys = new KeyTable(visitor.wantsKey?.bind(visitor));
  }

  get depth(): number {
    return this.#frames.length;
  }

  get key(): string {
    return this.#top.isArray ? "" : (this.#top.key?.text ?? "");
  }

  get isKeyWanted(): boolean {
    return this.#top.key?.isWanted === true;
  }

  get itemByteLength(): number {
    return this.#end - this.#top.itemStart;
  }

  segmentAt(depth: number): string | number {
    const frame = this.#frames[depth];
    if (frame === undefined) throw new RangeError(`The walk is not ${depth} containers deep.`);
    return frame.isArray ? frame.index : (frame.key?.text ?? "");
  }

  path(fromDepth = 0): (string | number)[] {
    return this.#frames.slice(fromDepth).map((_frame, offset) => this.segmentAt(fromDepth + offset));
  }

  /** Walks over the next chunk, which must not be changed afterwards. @throws JsonReadError when it cannot be JSON */
  write(chunk: Uint8Array): void {
    const bytes = this.#withTail(chunk);
    let at = 0;
    while (at < bytes.length) {
      let next: number;
      try {
        next = this.#step(bytes, at);
      } catch (error) {
        this.#recover(error);
        next = at;
      }
      if (next === NEED_MORE) {
        this.#tail = bytes.subarray(at);
        break;
      }
      at = next;
    }
    // The remaining bytes are passed again with the next chunk, or do not exist.
    this.#gathering?.addUpTo(bytes, at);
    this.#base += at;
  }

  /** @throws JsonReadError when the input ended within the value */
  end(): void {
    // A number or literal that is the whole input is complete only when the input ends.
    if (this.#top === this.#outside && this.#tail !== undefined) this.write(SPACE);
    if (this.#expected === "nothing") return;
    throw new JsonReadError(`The JSON ends too early, after ${counted(this.#base, "byte")}.`);
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

  #step(bytes: Uint8Array, at: number): number {
    const expected = this.#expected;
    if (expected === "skipped_end") return this.#skip(bytes, at);
    if (expected === "string_end") return this.#endString(bytes, at);
    const byte = bytes[at] ?? 0;
    if (byte <= 0x20) {
      if (!isSpace(byte)) this.#unexpected(at);
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
        if (byte !== COLON) this.#unexpected(at);
        this.#expected = "value";
        return at + 1;
      case "refused_key":
        throw new JsonReadError("A key is too long.");
      default:
        return this.#unexpected(at);
    }
  }

  #unexpected(at: number): never {
    throw new JsonReadError(`Not JSON at byte ${this.#base + at}.`);
  }

  /** Continues after the innermost isolated container. @throws the error if there is no such container */
  #recover(error: unknown): void {
    const depth = this.#frames.findLastIndex((frame) => frame.guide.isIsolated);
    const frame = this.#frames[depth];
    if (frame === undefined || !(error instanceof JsonReadError)) throw error;
    const open = this.#frames.length - depth;
    this.#frames.length = depth;
    this.#top = this.#frames.at(-1) ?? this.#outside;
    this.#gathering = undefined;
    this.#visitor.broken?.(frame.guide.place, this);
    this.#passing = undefined;
    this.#skipper.begin(open);
    this.#expected = "skipped_end";
  }

  #afterValue(bytes: Uint8Array, byte: number, at: number): number {
    const top = this.#top;
    if (byte === COMMA) {
      if (top.isArray || top.guide.isMeasured) {
        top.index += 1;
        if (top.index >= top.limit) return this.#passOver(at + 1, top.guide, top.isArray, true);
      }
      this.#expected = top.isArray ? "value" : "key";
      return at + 1;
    }
    if (byte !== (top.isArray ? CLOSE_ARRAY : CLOSE_OBJECT)) this.#unexpected(at);
    return this.#close(bytes, at);
  }

  #close(bytes: Uint8Array, at: number): number {
    const frame = this.#frames.pop();
    if (frame === undefined) return this.#unexpected(at);
    const isEmpty = this.#expected === "value_or_end";
    this.#top = this.#frames.at(-1) ?? this.#outside;
    this.#finishValue();
    this.#end = this.#base + at + 1;
    if (this.#frames.length === this.#gathering?.depth) this.#endGathering(frame.guide.place, bytes, at + 1);
    if (frame.guide.isReported)
      this.#visitor.close?.(frame.guide.place, this, frame.isArray && !isEmpty ? frame.index + 1 : 0);
    return at + 1;
  }

  #beginGathering(place: string, at: number): void {
    const room = this.#visitor.roomFor?.(place) ?? 0;
    if (room <= 0) this.#visitor.gathered?.(place, { isWhole: false, bytes: NO_BYTES }, this);
    else this.#gathering = new Gathering(this.#frames.length, room, at);
  }

  #endGathering(place: string, bytes: Uint8Array, end: number): void {
    const gathering = this.#gathering;
    if (gathering === undefined) return;
    gathering.addUpTo(bytes, end);
    this.#gathering = undefined;
    this.#visitor.gathered?.(place, gathering.gathered, this);
  }

  #readKey(bytes: Uint8Array, at: number): number {
    if (bytes[at] !== QUOTE) this.#unexpected(at);
    const top = this.#top;
    if (top.guide.isMeasured) top.itemStart = this.#base + at;
    const end = findStringEnd(bytes, at + 1);
    if (end === -1) return this.#beginString(bytes, at + 1, true);
    if (end - at > MAX_RAW_KEY_BYTES) {
      this.#takeLongKey(bytes, at + 1, end, end - at - 1);
      return end + 1;
    }
    top.key = this.#keys.lookUp(bytes, at + 1, end);
    if (bytes[end + 1] === COLON) {
      this.#expected = "value";
      return end + 2;
    }
    this.#expected = "colon";
    return end + 1;
  }

  /** @param byteLength length of the whole key, of which the bytes may only be the start */
  #takeLongKey(bytes: Uint8Array, start: number, end: number, byteLength: number): void {
    const top = this.#top;
    this.#expected = "colon";
    if (top.guide.reportsRaw && byteLength > MAX_RAW_KEY_BYTES) {
      const head = bytes.subarray(start, start + MAX_RAW_KEY_BYTES);
      refuseControlCharacters(head);
      top.key = { text: decodeString(head, byteLength), isWanted: false };
    } else if (byteLength > MAX_WALKED_STRING_BYTES) {
      this.#expected = "refused_key";
    } else {
      top.key = this.#keys.lookUp(bytes, start, end);
    }
  }

  #readValue(bytes: Uint8Array, at: number, byte: number): number {
    const top = this.#top;
    if (top.isArray && top.guide.isMeasured) top.itemStart = this.#base + at;
    if (byte === QUOTE) return this.#readString(bytes, at);
    if (byte === OPEN_OBJECT) return this.#open(at, false);
    if (byte === OPEN_ARRAY) return this.#open(at, true);
    return this.#readScalar(bytes, at);
  }

  #guideOfNext(): Step | undefined {
    const top = this.#top;
    const { guide } = top;
    if (top.isArray) return guide.items;
    const named = top.key === undefined ? undefined : guide.members.get(top.key.text);
    return named === undefined ? guide.otherMembers : (named ?? undefined);
  }

  #open(at: number, isArray: boolean): number {
    const guide = this.#guideOfNext();
    if (guide === undefined) return this.#passOver(at);
    const { place } = guide;
    let limit = ALL;
    if (guide.isOptional) {
      limit = this.#visitor.enters?.(place, this, isArray) ?? ALL;
      if (limit <= 0) return this.#passOver(at, guide, isArray);
    }
    if (this.#frames.length >= MAX_WALKED_DEPTH) {
      this.#visitor.onSkipped?.(place, this);
      return this.#passOver(at);
    }
    if (guide.isReported) this.#visitor.open?.(place, this);
    if (guide.isGathered && this.#gathering === undefined) this.#beginGathering(place, at);
    if (guide.isOpaque) return this.#passOver(at, guide, isArray);
    const key = isArray && this.#top.key?.isWanted === true ? this.#top.key : undefined;
    this.#top = { guide, isArray, limit, key, index: 0, itemStart: 0 };
    this.#frames.push(this.#top);
    this.#expected = isArray ? "value_or_end" : "key_or_end";
    return at + 1;
  }

  #passOver(at: number, guide?: Step, isArray = false, isRest = false): number {
    this.#skipper.begin();
    this.#expected = "skipped_end";
    if (guide !== undefined) this.#passing = { guide, isArray, isRest, start: this.#base + at };
    return isRest ? at : at + 1;
  }

  #finishValue(): void {
    this.#expected = this.#top === this.#outside ? "nothing" : "comma_or_end";
  }

  #skip(bytes: Uint8Array, at: number): number {
    const end = this.#skipper.walk(bytes, at);
    if (end === -1) return bytes.length;
    this.#finishValue();
    this.#end = this.#base + end + 1;
    const passing = this.#passing;
    return passing === undefined ? end + 1 : this.#endPassing(passing, bytes, end);
  }

  #endPassing({ guide, isArray, isRest, start }: Passing, bytes: Uint8Array, end: number): number {
    this.#passing = undefined;
    const { place, isMeasured, isOpaque } = guide;
    if (isOpaque) this.#endGathering(place, bytes, end + 1);
    if (isMeasured) {
      const byteLength = this.#end - start - (isRest ? 1 : 0);
      const passed = { isArray, count: this.#skipper.count, byteLength };
      if (isRest) this.#visitor.passedRest?.(place, this, passed);
      else this.#visitor.passed?.(place, this, passed);
    }
    return isRest ? this.#close(bytes, end) : end + 1;
  }

  #readString(bytes: Uint8Array, at: number): number {
    const end = findStringEnd(bytes, at + 1);
    if (end === -1) return this.#beginString(bytes, at + 1, false);
    const top = this.#top;
    if (top.guide.reports) {
      if (top.guide.isMeasured) this.#end = this.#base + end + 1;
      this.#reportString(top, bytes, at + 1, end, end - at - 1);
    }
    this.#finishValue();
    return end + 1;
  }

  /** @param byteLength length of the whole string, of which the bytes may only be the start */
  #reportString(top: Frame, bytes: Uint8Array, start: number, end: number, byteLength: number): void {
    const { guide } = top;
    if (guide.reportsRaw) {
      this.#visitor.rawString?.(bytes.subarray(start, end), byteLength, this);
    } else if (byteLength > MAX_WALKED_STRING_BYTES) {
      if (isMissed(top, bytes, start, end)) this.#visitor.onSkipped?.(guide.place, this);
    } else if (isReportedString(top, bytes, start, end)) {
      const raw = bytes.subarray(start, end);
      this.#visitor.scalar?.(guide.place, decodeString(raw, raw.length), this);
    }
  }

  /** @param start offset of its first byte, after the quote */
  #beginString(bytes: Uint8Array, start: number, isKey: boolean): number {
    const gathered = new GatheredBytes(this.#roomForString(isKey));
    gathered.add(bytes.subarray(start));
    this.#openString = { isKey, bytes: gathered, isEscaped: endsEscaped(bytes, start) };
    this.#expected = "string_end";
    return bytes.length;
  }

  #roomForString(isKey: boolean): number {
    const { reports, reportsRaw } = this.#top.guide;
    if (reportsRaw && !isKey) return this.#visitor.roomForString?.() ?? 0;
    return isKey || reports ? MAX_WALKED_STRING_BYTES : 0;
  }

  #endString(bytes: Uint8Array, at: number): number {
    const string = this.#openString;
    if (string === undefined) return this.#unexpected(at);
    const start = string.isEscaped ? at + 1 : at;
    const end = findStringEnd(bytes, start);
    string.bytes.add(bytes.subarray(at, end === -1 ? bytes.length : end));
    if (end === -1) {
      string.isEscaped = endsEscaped(bytes, start);
      return bytes.length;
    }
    this.#openString = undefined;
    this.#end = this.#base + end + 1;
    try {
      this.#takeString(string);
    } catch (error) {
      // Skipping starts after the string.
      this.#recover(error);
    }
    return end + 1;
  }

  #takeString({ isKey, bytes }: OpenString): void {
    const raw = bytes.join();
    if (isKey) {
      this.#takeLongKey(raw, 0, raw.length, bytes.length);
      return;
    }
    this.#finishValue();
    if (this.#top.guide.reports) this.#reportString(this.#top, raw, 0, raw.length, bytes.length);
  }

  #readScalar(bytes: Uint8Array, at: number): number {
    const end = scalarEnd(bytes, at);
    if (end === at) this.#unexpected(at);
    if (end - at > MAX_SCALAR_BYTES) throw new JsonReadError("A number is too long.");
    if (end === bytes.length) return NEED_MORE;
    const top = this.#top;
    if (isReportedByKey(top)) {
      this.#end = this.#base + end;
      this.#visitor.scalar?.(top.guide.place, scalarIn(bytes, at, end), this);
    } else if (top === this.#outside) {
      // Nothing else would show that such an answer is not JSON.
      scalarIn(bytes, at, end);
    }
    this.#finishValue();
    return end;
  }
}
