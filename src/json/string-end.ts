/** Finds where a JSON string ends. */
import { BACKSLASH, QUOTE } from "./tokens.ts";

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

/**
 * Where the bytes end without the backslashes at their end, which may escape what comes next.
 * @param start offset in the string that follows no backslash
 */
function endWithoutBackslashes(bytes: Uint8Array, start: number): number {
  let end = bytes.length;
  while (end > start && bytes[end - 1] === BACKSLASH) end -= 1;
  return end;
}

/** Whether the bytes of a string that goes on end with a backslash that escapes what comes next. */
export function endsEscaped(bytes: Uint8Array, start: number): boolean {
  return (bytes.length - endWithoutBackslashes(bytes, start)) % 2 === 1;
}

/** A quote is part of the string after an odd number of backslashes. */
function isEscaped(bytes: Uint8Array, start: number, quote: number): boolean {
  let backslashes = 0;
  for (let at = quote - 1; at >= start && bytes[at] === BACKSLASH; at -= 1) backslashes += 1;
  return backslashes % 2 === 1;
}
