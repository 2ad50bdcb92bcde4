/**
 * Which keys of a payload are field names, and which are data themselves: ids, dates, addresses, numbers. Names are
 * compared one by one; keys that are data are merged into `*`. Anyone who may not see payload is shown `?` in place of
 * each name that `known-fields.ts` does not allow. Pure.
 */
import { isReadObject, type ReadValue } from "../../json/omitted.ts";
import { keysOf, SEGMENT } from "../../json/path-text.ts";
import { pattern } from "../../platform/pattern.ts";
import type { IsKnownField } from "../known-fields.ts";

export const ANY_KEY = "*";

/** Column names may contain spaces; longer keys are treated as data. */
const NAME = /^[\p{L}_$@#][\p{L}\p{N}_$@#.:/()& -]{0,59}$/u;
/** Keys such as `order-4711`, `Q1 2026`, `Dec 01` are one of many; `mark_1` is no date. */
const MONTH = pattern("i")`
  ^(?:
    jan(?:uary?)?|feb(?:ruary?)?|mar(?:ch)?|apr(?:il)?|may|jun[ei]?|jul[yi]?|aug(?:ust)?|sept?(?:ember)?
    |o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?
  )[-_ .:/]\d+$
`;
const NUMBERED = /\d{3,}/;
/** A small number after words may belong to a name, such as `address_1`, or may be data, such as `line-7`. */
const SERIES = /^(.+[-_ .:/])\d{1,2}$/;
const ADDRESS = /.@.|:\/\//;
const ID = /^(?=.*\d.*[A-Za-z].*\d)[A-Za-z0-9_-]{12,}$/;

const mayBeName = (key: string): boolean =>
  NAME.test(key) && !NUMBERED.test(key) && !MONTH.test(key) && !ADDRESS.test(key) && !ID.test(key);

/** The words before the number that a key ends in: `address_` of `address_1`. */
export const seriesOf = (key: string): string | undefined => SERIES.exec(key)?.[1];

/** The keys of an object that are field names. A series is data if it is long, or if there is no other name beside it. */
export function fieldNamesIn(object: object): ReadonlySet<string> {
  const names = Object.keys(object).filter(mayBeName);
  const lengths = new Map<string | undefined, number>();
  for (const series of names.map(seriesOf)) lengths.set(series, (lengths.get(series) ?? 0) + 1);
  const isName = (series: string | undefined): boolean =>
    series === undefined || (lengths.has(undefined) && (lengths.get(series) ?? 0) < MIN_ENTRIES);
  return new Set(names.filter((name) => isName(seriesOf(name))));
}

/** An object with more members counts as a table by key. */
const MAX_FIELDS = 100;
/** At least this many members of the same form count as entries of a table. */
const MIN_ENTRIES = 5;

/** Whether all keys of an object are data, as in `{ alice: { age: 3 }, bob: { age: 4 }, … }`. */
export function isTable(members: Readonly<Record<string, ReadValue>>): boolean {
  const keys = Object.keys(members);
  if (keys.length > MAX_FIELDS) return true;
  if (keys.length < MIN_ENTRIES) return false;
  const forms = new Set(Object.values(members).map(formOf));
  return forms.size === 1 && !forms.has(null);
}

const formOf = (value: ReadValue): string | null =>
  isReadObject(value) ? JSON.stringify(Object.keys(value).sort()) : null;

const PLAIN = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** `body.order["First name"]`; `[]` for the items of a list, `.*` for keys that are data. */
export function pathTo(path: string, key: string): string {
  if (key !== ANY_KEY && !PLAIN.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

const UNKNOWN = "?";
/**
 * The last key of a path, unescaped: `First.name` of `body["First.name"]`. The redactor recognizes a value by it.
 * @param path as `pathTo` writes it
 */
export const lastKeyIn = (path: string): string => keysOf(path).at(-1) ?? "";

export function maskPath(path: string, isKnown: IsKnownField): string {
  const masked = path.replaceAll(SEGMENT, (segment, quoted: string | undefined) => {
    if (segment === "[]" || segment === ANY_KEY || isKnown(quoted?.slice(1, -1) ?? segment)) return segment;
    return quoted === undefined ? UNKNOWN : `.${UNKNOWN}`;
  });
  return masked.replace(/^\./, "");
}
