/**
 * The shape of payload: which fields of which types occur how often, without values. The shapes of many items merge into
 * one. Bounded in depth and in members, whatever the payload is. Pure.
 */
import {
  isReadObject,
  itemsOf,
  type JsonType,
  jsonTypeOf,
  OMITTED_MEMBERS,
  Omitted,
  type ReadValue,
} from "../../json/omitted.ts";
import type { IsKnownField } from "../known-fields.ts";
import { ANY_KEY, fieldNamesIn, isTable, seriesOf } from "./field-keys.ts";

/** Distinguishes null, absent and empty; `absent` means that the parent object exists. */
export type ValueType = JsonType | "empty string" | "empty array" | "empty object" | "absent";

export interface Shape {
  readonly types: Map<ValueType, number>;
  /** Members of the objects, by field name; `*` for keys that are data. */
  readonly members: Map<string, Shape>;
  /** The series whose numbers are data in some of the objects. */
  readonly series: Set<string>;
  items: Shape | null;
  objects: number;
  /** Whether some objects had members that were not read or whose keys are data, so that `members` may be incomplete. */
  isOpen: boolean;
}

const MAX_DEPTH = 12;

export const emptyShape = (): Shape => ({
  types: new Map(),
  members: new Map(),
  series: new Set(),
  items: null,
  objects: 0,
  isOpen: false,
});

/** @returns undefined if it was not read */
function typeOf(value: ReadValue): ValueType | undefined {
  if (value instanceof Omitted) return undefined;
  if (value === "") return "empty string";
  if (Array.isArray(value) && itemsOf(value).length === 0) return "empty array";
  if (isReadObject(value) && Object.keys(value).length === 0) return "empty object";
  return jsonTypeOf(value);
}

const isAnyKnown: IsKnownField = () => true;

/**
 * Adds a value to the shape of its place.
 * @param isKnown which names are distinguished; other fields are distinguished only by type
 */
export function addTo(shape: Shape, value: ReadValue, isKnown = isAnyKnown, depth = 0): void {
  if (value instanceof Omitted) {
    shape.types.set("object", (shape.types.get("object") ?? 0) + (value.kind === "members" ? 1 : 0));
    shape.isOpen = true;
    return;
  }
  const type = typeOf(value);
  if (type === undefined) return;
  shape.types.set(type, (shape.types.get(type) ?? 0) + 1);
  if (depth >= MAX_DEPTH) {
    shape.isOpen = true;
  } else if (Array.isArray(value)) {
    addItems(shape, value, isKnown, depth);
  } else if (isReadObject(value)) {
    addMembers(shape, value, isKnown, depth);
  }
}

function addItems(shape: Shape, array: readonly ReadValue[], isKnown: IsKnownField, depth: number): void {
  const { items } = itemsOf(array);
  if (items.length === 0) return;
  shape.items ??= emptyShape();
  for (const item of items) addTo(shape.items, item, isKnown, depth + 1);
}

type Members = { [key: string]: ReadValue };

function addMembers(shape: Shape, object: Members, isKnown: IsKnownField, depth: number): void {
  const { [OMITTED_MEMBERS]: mark, ...members } = object;
  if (mark instanceof Omitted) shape.isOpen = true;
  const isAllData = isTable(members);
  shape.objects += 1;
  const nameOf = namesWithout(isKnown);
  const names = fieldNamesIn(members);
  for (const [key, member] of Object.entries(members)) {
    if (isAllData) shape.isOpen = true;
    const series = names.has(key) ? undefined : seriesOf(key);
    if (series !== undefined) shape.series.add(series);
    const name = !isAllData && names.has(key) ? nameOf(key, member) : ANY_KEY;
    const place = shape.members.get(name) ?? emptyShape();
    shape.members.set(name, place);
    addTo(place, member, isKnown, depth + 1);
  }
}

/** Names the unknown fields of an object by type and number, so that they match across objects. */
function namesWithout(isKnown: IsKnownField): (key: string, member: ReadValue) => string {
  const counts = new Map<string, number>();
  return (key, member) => {
    if (isKnown(key)) return key;
    if (seriesOf(key) !== undefined) return ANY_KEY;
    const type = typeOf(member) ?? "unread";
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    // It must not look like a numbered name, which may come and go.
    return `?${type}${count}`;
  };
}

export const countOf = ({ types }: Shape): number =>
  [...types.values()].reduce((sum, count) => sum + count, 0);

export function mergeInto(target: Shape, other: Shape): void {
  for (const [type, count] of other.types) target.types.set(type, (target.types.get(type) ?? 0) + count);
  target.objects += other.objects;
  target.isOpen ||= other.isOpen;
  for (const series of other.series) target.series.add(series);
  for (const [key, member] of other.members) {
    const place = target.members.get(key) ?? emptyShape();
    target.members.set(key, place);
    mergeInto(place, member);
  }
  if (other.items === null) return;
  target.items ??= emptyShape();
  mergeInto(target.items, other.items);
}
