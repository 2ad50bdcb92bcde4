/** Finds the end of a JSON string and decodes its raw bytes (between the quotes), which may be cut short. */
import { dropHalfWord } from "./cut-text.ts";
import { JsonReadError } from "./errors.ts";
import { shortenedMark } from "./omitted.ts";
import { BACKSLASH, QUOTE } from "./tokens.ts";

// Keeps a byte order mark, which is an ordinary character inside a string.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false });

const encoder = new TextEncoder();

const LETTER_U = 0x75;

function characterLength(byte: number, next: number | undefined): number {
  if (byte === BACKSLASH) return next === LETTER_U ? 6 : 2;
  if (byte < 0x80) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

function wholeCharactersLength(raw: Uint8Array): number {
  let end = 0;
  for (let at = 0; at < raw.length; ) {
    at += characterLength(raw[at] ?? 0, raw[at + 1]);
    if (at <= raw.length) end = at;
  }
  return end;
}

function unescapeJson(raw: Uint8Array): string {
  const text = decoder.decode(raw);
  if (!text.includes("\\")) return text;
  try {
    const value: unknown = JSON.parse(`"${text}"`);
    if (typeof value === "string") return value;
  } catch {
    // Falls through: a wrong escape is the only way to get here.
  }
  throw new JsonReadError("A string has a wrong escape.");
}

/**
 * The text of a string.
 * @param raw its first bytes
 * @param length its total length in bytes
 * @throws JsonReadError for a wrong escape
 */
export function decodeString(raw: Uint8Array, length: number): string {
  if (raw.length === length) return unescapeJson(raw);
  const kept = unescapeJson(raw.subarray(0, wholeCharactersLength(raw)));
  const last = kept.charCodeAt(kept.length - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  const whole = isHalf ? kept.slice(0, -1) : kept;
  const shown = dropHalfWord(whole);
  const dropped = encoder.encode(whole.slice(shown.length)).length;
  return shown + shortenedMark(length - raw.length + dropped);
}

/** JSON allows control characters only as escapes. @throws JsonReadError */
export function refuseControlCharacters(raw: Uint8Array): void {
  for (let at = 0; at < raw.length; at += 1)
    if ((raw[at] ?? 0) < 0x20) throw new JsonReadError("A string has a control character.");
}

/** Most strings are shorter; for longer ones the engine's own search is faster than this loop. */
const SHORT = 24;

/**
 * The offset of the quote that closes the string, or -1 when it is not in these bytes.
 * @param start offset after the opening quote, or any later one that follows no backslash
 */
export function findStringEnd(bytes: Uint8Array, start: number): number {
  const near = Math.min(bytes.length, start + SHORT);
  let at = start;
  while (at < near) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    at += byte === BACKSLASH ? 2 : 1;
  }
  for (let quote = bytes.indexOf(QUOTE, at); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    if (!isEscaped(bytes, at, quote)) return quote;
  }
  return -1;
}

/** Whether the bytes of an unfinished string end with a backslash that escapes the next byte. */
export const endsEscaped = (bytes: Uint8Array, start: number): boolean =>
  isEscaped(bytes, start, bytes.length);

/** Whether an odd number of backslashes precedes the byte. @param start offset that follows no backslash */
function isEscaped(bytes: Uint8Array, start: number, end: number): boolean {
  let backslashes = 0;
  for (let at = end - 1; at >= start && bytes[at] === BACKSLASH; at -= 1) backslashes += 1;
  return backslashes % 2 === 1;
}
