/**
 * What a value looks like, without a value: keys and types. A key that is not written like a field's name may be a
 * value itself (an id, a date, an address), and is only counted. Pure.
 */
import { isReadObject, itemsOf, Omitted, type ReadValue } from "../../json/omitted.ts";

/** Letters and signs of names. Digits are in ids, dates, numbers, hashes. */
const FIELD_NAME = /^[A-Za-z_$][A-Za-z_$-]{0,39}$/;
const MAX_KEYS = 8;
const MAX_DEPTH = 2;

/** In the form of a type: `{ item: string, tags: string[2] }`. */
export function shapeOf(value: ReadValue | undefined, depth = 0): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (value instanceof Omitted)
    return value.kind === "items" ? `list of ${value.length}` : `object of ${value.length}`;
  if (Array.isArray(value)) return shapeOfList(value, depth);
  return isReadObject(value) ? shapeOfObject(value, depth) : typeof value;
}

function shapeOfList(list: ReadValue[], depth: number): string {
  const { items, length } = itemsOf(list);
  const [first] = items;
  return first === undefined ? `list of ${length}` : `${shapeOf(first, depth + 1)}[${length}]`;
}

function shapeOfObject(object: { [key: string]: ReadValue }, depth: number): string {
  const keys = Object.keys(object);
  const named = keys.filter((key) => FIELD_NAME.test(key));
  const shown = depth >= MAX_DEPTH ? [] : named.slice(0, MAX_KEYS);
  const others = keys.length - shown.length;
  const parts = shown.map((key) => `${key}: ${shapeOf(object[key], depth + 1)}`);
  if (others > 0) parts.push(shown.length === 0 ? `${others} keys` : `${others} more`);
  return `{${parts.join(", ")}}`;
}
