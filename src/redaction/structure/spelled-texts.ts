/** Texts that were taken apart: lists of bytes, lists of characters, and objects made of either (`{ ...text }`). Pure. */
import { textOf } from "../encodings.ts";
import type { MemberName } from "./member-names.ts";

const SHORTEST = 12;

const isByte = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;
const isCharacter = (value: unknown): value is string =>
  typeof value === "string" && value.length <= 2 && [...value].length === 1;

/** The text that these spell; undefined when they spell none. */
export function spelledText(parts: readonly unknown[]): string | undefined {
  if (parts.length < SHORTEST) return undefined;
  if (isByte(parts[0])) return parts.every(isByte) ? textOf(Uint8Array.from(parts)) : undefined;
  return isCharacter(parts[0]) && parts.every(isCharacter) ? parts.join("") : undefined;
}

/** The elements of an object that was a list: its keys are `0`, `1`, `2`, …; undefined for any other. */
export function elementsOf(object: object, names: readonly MemberName[]): unknown[] | undefined {
  if (names.length < SHORTEST || names[0]?.text !== "0") return undefined;
  return names.every(({ text }, index) => text === String(index)) ? Object.values(object) : undefined;
}
