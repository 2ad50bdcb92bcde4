/**
 * The mark in place of anything that a reader left out. It is a class, not a string, so that a payload cannot pretend
 * that something was left out; it serializes to a phrase.
 */
import { counted } from "../platform/counted.ts";
import { isObject } from "../platform/is-object.ts";

export class Omitted {
  /** What was left out: whole items of an array, members of an object, or a container's content. */
  readonly kind: "items" | "members";
  /** How many items or members the container has in all, including the kept ones. */
  readonly length: number;
  readonly count: number;
  /** Size of what was left out, in bytes of JSON as it was sent. */
  readonly bytes: number;

  constructor(kind: "items" | "members", length: number, count: number, bytes: number) {
    this.kind = kind;
    this.length = length;
    this.count = count;
    this.bytes = bytes;
  }

  toJSON(): string {
    return `… ${counted(this.count, `more ${this.kind.slice(0, -1)}`)} left out (${counted(this.bytes, "byte")})`;
  }
}

/** The key under which an object's own left-out members are marked. */
export const OMITTED_MEMBERS = "…";

/** A value as the readers build it: JSON, with marks where something was left out. */
export type ReadValue =
  | string
  | number
  | boolean
  | null
  | Omitted
  | ReadValue[]
  | { [key: string]: ReadValue };

/** True for an object whose members a reader kept, so that they can be read. */
export const isReadObject = (value: ReadValue | undefined): value is { [key: string]: ReadValue } =>
  isObject(value) && !(value instanceof Omitted);

/** JSON's names. */
export type JsonType = "object" | "array" | "string" | "number" | "boolean" | "null";

const SCALAR_TYPES = ["string", "number", "boolean"] as const;

/** @param value may have been left out by a reader, which still says whether it was an array or an object */
export function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value) || (value instanceof Omitted && value.kind === "items")) return "array";
  return SCALAR_TYPES.find((type) => type === typeof value) ?? "object";
}

/** The kept items of an array that a reader may have shortened, and how many it has in all. */
export function itemsOf(array: readonly ReadValue[]): { items: readonly ReadValue[]; length: number } {
  const last = array.at(-1);
  return last instanceof Omitted
    ? { items: array.slice(0, -1), length: last.length }
    : { items: array, length: array.length };
}

export const shortenedMark = (bytes: number): string => `… [${bytes} more bytes]`;

const SHORTENED = /… \[(\d+) more bytes\]$/;
const isShortened = (text: string): boolean => text.endsWith(" more bytes]") && SHORTENED.test(text);

/** About how long a text is, of which a reader may have kept only the start. */
export const lengthOfText = (text: string): number =>
  text.replace(SHORTENED, "").length + Number(SHORTENED.exec(text)?.[1] ?? 0);

/** Whether a reader shortened this text, and kept a start with which the other one begins. */
function isStartOf(cut: string, whole: string): boolean {
  const kept = cut.replace(SHORTENED, "");
  return isShortened(cut) && kept !== "" && whole.startsWith(kept);
}

/** Whether two texts are the same, as far as a reader kept them. */
export const isSameText = (one: string, other: string): boolean =>
  one === other || isStartOf(one, other) || isStartOf(other, one);

/** Whether a reader left anything out of this value, or shortened a string in it. */
export function containsOmitted(value: unknown): boolean {
  if (typeof value === "string") return isShortened(value);
  if (value instanceof Omitted) return true;
  if (Array.isArray(value)) return value.some(containsOmitted);
  return typeof value === "object" && value !== null && Object.values(value).some(containsOmitted);
}
