/** What JSON is made of: the bytes that mean something, and numbers and literals. */
import { JsonReadError } from "./errors.ts";

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;

/** A number or literal longer than this is no value that a program writes. */
export const MAX_SCALAR_BYTES = 1_100;

export const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** @throws JsonReadError */
export function parseScalar(text: string): number | boolean | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  } catch {
    // The same as a string or a container: below.
  }
  throw new JsonReadError("A value is neither a string, a number, a container nor a literal.");
}
