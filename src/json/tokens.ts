/** The tokens of JSON: its structural bytes, numbers and literals. */
import { JsonReadError } from "./errors.ts";

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;

/** No program writes a number or literal longer than this. */
export const MAX_SCALAR_BYTES = 1_100;

const decoder = new TextDecoder();

export const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const PLUS = 0x2b;
const ZERO = 0x30;
/** A number with more digits may not be exact. */
const MAX_DIGITS = 15;

export function scalarIn(bytes: Uint8Array, start: number, end: number): number | boolean | null {
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

function spelledScalar(bytes: Uint8Array, start: number, end: number): number | boolean | null {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes.subarray(start, end)));
    if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  } catch {
    // Not JSON: handled below, like a string or a container.
  }
  throw new JsonReadError("A value is neither a string, a number, a container nor a literal.");
}

/** Where a number or literal ends, which may be the end of the bytes. Its spelling is not checked. */
export function scalarEnd(bytes: Uint8Array, start: number): number {
  let end = start;
  for (; end < bytes.length; end += 1) {
    const byte = bytes[end] ?? 0;
    // White space, commas and quotes, then all brackets (a bracket differs from a brace in one bit): if a quote or
    // opening bracket counted as part of the scalar, the walk would lose track of the structure.
    if ((byte <= COMMA && byte !== PLUS) || (byte | 0x20) >= OPEN_OBJECT) break;
  }
  return end;
}
