/**
 * The differences between two shapes: fields that are missing or new, and types that were never seen before. A field
 * that is optional in both does not differ. Each difference is reported once, at the highest level. Linear. Pure.
 */
import type { IsKnownField } from "../known-fields.ts";
import { ANY_KEY, maskPath, pathTo, seriesOf } from "./field-keys.ts";
import { countOf, type Shape, type ValueType } from "./shape.ts";

export interface TypeChange {
  /** Empty for the item itself. */
  readonly path: string;
  readonly before: readonly ValueType[];
  readonly now: readonly ValueType[];
}

/** Paths such as `body.orders[].id`, relative to an item's `json`; `*` for keys that are data. */
export interface KeyDifferences {
  readonly missing: readonly string[];
  readonly added: readonly string[];
  readonly changedTypes: readonly TypeChange[];
}

export const NO_KEYS: KeyDifferences = { missing: [], added: [], changedTypes: [] };

export const differInKeys = ({ missing, added, changedTypes }: KeyDifferences): boolean =>
  missing.length + added.length + changedTypes.length > 0;

interface Found {
  readonly missing: string[];
  readonly added: string[];
  readonly changedTypes: TypeChange[];
}

/** @param before of one execution, or of several together @param now of another */
export function compareShapes(before: Shape, now: Shape): KeyDifferences {
  const found: Found = { missing: [], added: [], changedTypes: [] };
  // A field that was never sent has no shape.
  if (countOf(before) > 0 && countOf(now) > 0) compareAt({ before, now, path: "", absent: NEITHER }, found);
  return found;
}

interface Place {
  readonly before: Shape;
  readonly now: Shape;
  readonly path: string;
  readonly absent: { readonly before: boolean; readonly now: boolean };
}

const NEITHER = { before: false, now: false };

const typesOf = ({ types }: Shape, isAbsent: boolean): ValueType[] =>
  isAbsent ? [...types.keys(), "absent"] : [...types.keys()];

function compareAt({ before, now, path, absent }: Place, found: Found): void {
  const [old, types] = [typesOf(before, absent.before), typesOf(now, absent.now)];
  const isNew = types.some((type) => !old.includes(type));
  if (isNew && old.length > 0) found.changedTypes.push({ path, before: old, now: types });
  // Lists that became empty, or no longer hold objects, are already reported.
  const hasMembers = !isNew || types.includes("object");
  if (hasMembers && before.objects > 0 && now.objects > 0) compareMembers(before, now, path, found);
  if (before.items !== null && now.items !== null)
    compareAt({ before: before.items, now: now.items, path: `${path}[]`, absent: NEITHER }, found);
}

function compareMembers(before: Shape, now: Shape, path: string, found: Found): void {
  // A series may grow. If one number replaced another, or there are many, the numbers are data.
  const [numbersBefore, numbersNow] = [seriesIn(before), seriesIn(now, before)];
  for (const key of new Set([...before.members.keys(), ...now.members.keys()])) {
    const [old, present] = [before.members.get(key), now.members.get(key)];
    const place = pathTo(path, key);
    const series = seriesOf(key);
    if (old !== undefined && present !== undefined) {
      const absent =
        series === undefined
          ? { before: isAbsentIn(before, old, key), now: isAbsentIn(now, present, key) }
          : NEITHER;
      compareAt({ before: old, now: present, path: place, absent }, found);
    } else if (key !== ANY_KEY) {
      // Entries of a table vary, and in an object that was not read whole nothing counts as missing.
      if (old === undefined && !before.isOpen && !numbersBefore.has(series)) found.added.push(place);
      if (old !== undefined && !now.isOpen && !numbersNow.has(series) && !isAbsentIn(before, old, key))
        found.missing.push(place);
    }
  }
}

/** The series with numbers that the other object lacks, or whose numbers are data. */
function seriesIn({ members, series }: Shape, other?: Shape): ReadonlySet<string | undefined> {
  const own = [...members.keys()].filter((key) => other?.members.has(key) !== true);
  return new Set([...series, ...own.flatMap((key) => seriesOf(key) ?? [])]);
}

const isAbsentIn = (parent: Shape, member: Shape, key: string): boolean =>
  key !== ANY_KEY && !parent.isOpen && countOf(member) < parent.objects;

const OF_HEADERS = /^headers(?:$|[.[])/;

/** HTTP headers differ from client to client, so they are reported separately. */
export function withoutHeaders(all: KeyDifferences): { own: KeyDifferences; ofHeaders: KeyDifferences } {
  const part = (isWanted: (path: string) => boolean): KeyDifferences => ({
    missing: all.missing.filter(isWanted),
    added: all.added.filter(isWanted),
    changedTypes: all.changedTypes.filter(({ path }) => isWanted(path)),
  });
  return { own: part((path) => !OF_HEADERS.test(path)), ofHeaders: part((path) => OF_HEADERS.test(path)) };
}

export function maskKeys<Keys extends KeyDifferences>(keys: Keys, isKnown: IsKnownField): Keys {
  const masked = (paths: readonly string[]): string[] => [
    ...new Set(paths.map((path) => maskPath(path, isKnown))),
  ];
  const changes = keys.changedTypes.map(
    (change): TypeChange => ({ ...change, path: maskPath(change.path, isKnown) }),
  );
  return {
    ...keys,
    missing: masked(keys.missing),
    added: masked(keys.added),
    changedTypes: [...new Map(changes.map((change) => [JSON.stringify(change), change])).values()],
  };
}
