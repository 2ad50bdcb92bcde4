/**
 * Describes a value by its keys and types only. A key that `known-fields.ts` does not allow may be a value itself
 * (a name, an id, a date), and is only counted. Pure.
 */
import { isReadObject, itemsOf, Omitted, type ReadValue } from "../../json/omitted.ts";
import { counted } from "../../platform/counted.ts";
import type { IsKnownField } from "../known-fields.ts";

const MAX_KEYS = 8;
const MAX_KEY_LENGTH = 40;
const MAX_DEPTH = 2;

/** Formatted like a type: `{ item: string, tags: string[2] }`. */
export function shapeOf(value: ReadValue | undefined, isKnown: IsKnownField, depth = 0): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (value instanceof Omitted)
    return value.kind === "items" ? `list of ${value.length}` : `object of ${value.length}`;
  if (Array.isArray(value)) return shapeOfList(value, isKnown, depth);
  return isReadObject(value) ? shapeOfObject(value, isKnown, depth) : typeof value;
}

function shapeOfList(list: ReadValue[], isKnown: IsKnownField, depth: number): string {
  const { items, length } = itemsOf(list);
  const [first] = items;
  return first === undefined ? `list of ${length}` : `${shapeOf(first, isKnown, depth + 1)}[${length}]`;
}

function shapeOfObject(object: { [key: string]: ReadValue }, isKnown: IsKnownField, depth: number): string {
  const keys = Object.keys(object);
  const named = keys.filter((key) => key.length <= MAX_KEY_LENGTH && isKnown(key));
  const shown = depth >= MAX_DEPTH ? [] : named.slice(0, MAX_KEYS);
  const others = keys.length - shown.length;
  const parts = shown.map((key) => `${key}: ${shapeOf(object[key], isKnown, depth + 1)}`);
  if (others > 0) parts.push(shown.length === 0 ? counted(others, "key") : `${others} more`);
  return `{${parts.join(", ")}}`;
}
