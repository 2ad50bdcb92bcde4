/**
 * Tables: names in one list, and values in the same order in others (`{ columns: ["user", "password"], rows:
 * [["jo", "…"]] }`, sheets whose first row is the header, answers of SQL drivers). Pure.
 */
import { isObject } from "../../platform/is-object.ts";
import { wordSet } from "../names/words.ts";
import { accountKindOf } from "./account-numbers.ts";
import type { MemberName, NameOf } from "./member-names.ts";

/** Names of columns with secrets in them, by their index in a row. */
export type Columns = ReadonlyMap<number, string>;

/** More columns than any real sheet uses (Excel allows 16,384). */
const MAX_COLUMNS = 2_000;
const COLUMN_NAME = /^[\p{L}_$#@*][\p{L}\p{M}\p{N} _.:/()[\]*?$#@'’-]{0,79}$/u;

const HEADERS = wordSet(
  "columns column cols header headers heading headings head fields names keys labels titles questions properties props params variables attributes thead schema fieldnames columnnames headernames headerrow metadata",
);
const ROWS = wordSet(
  "rows row data values vals records record items results result tuples lines body tbody answers cells entries params parameters bindings args",
);
const CELLS = wordSet("cells values f c cols columns rowcells data");

function nameOfColumn(cell: unknown, nameOf: NameOf): string | undefined {
  if (typeof cell === "string") return COLUMN_NAME.test(cell) ? cell : undefined;
  if (!isObject(cell)) return undefined;
  for (const key in cell) {
    const name = cell[key];
    const { role } = nameOf(key);
    // The header cells of a sheet are cells like any other.
    if ((role === "name" || role === "value" || role === "text") && typeof name === "string")
      return nameOfColumn(name, nameOf);
  }
  return undefined;
}

/** Which columns of a table with this header are secret; undefined if none is, or if it is not a header. */
function secretColumns(header: unknown, nameOf: NameOf): Columns | undefined {
  if (!Array.isArray(header) || header.length === 0 || header.length > MAX_COLUMNS) return undefined;
  const columns = new Map<number, string>();
  for (const [index, cell] of header.entries()) {
    if (cell === null || cell === "") continue;
    const name = nameOfColumn(cell, nameOf);
    if (name === undefined) return undefined;
    if (nameOf(name.trim()).kind !== "none" || accountKindOf(name) !== "none")
      columns.set(index, name.trim());
  }
  return columns.size === 0 ? undefined : columns;
}

export function cellsOf(
  row: unknown,
  nameOf: NameOf,
): { readonly cells: readonly unknown[]; readonly key?: string } | undefined {
  if (Array.isArray(row)) return { cells: row };
  if (!isObject(row)) return undefined;
  for (const key in row) {
    const cells = CELLS.has(nameOf(key).letters) ? row[key] : undefined;
    if (Array.isArray(cells)) return { cells, key };
  }
  return undefined;
}

const isRows = (value: unknown, nameOf: NameOf): value is readonly unknown[] =>
  Array.isArray(value) && value.length > 0 && cellsOf(value[0], nameOf) !== undefined;

/** Rows whose cells are keyed by their number: `{ "0": 1, "1": "…" }`. */
function isIndexedRows(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const keys = isObject(value[0]) ? Object.keys(value[0]) : [];
  return keys.length > 0 && keys.every((key) => /^\d{1,4}$/.test(key));
}

export interface TableMember {
  readonly form: "rows" | "row" | "indexed";
  readonly columns: Columns;
}

function headerIn(object: object, key: string): unknown {
  const value: unknown = Reflect.get(object, key);
  // BigQuery: `schema.fields`.
  if (typeof value === "object" && value !== null && "fields" in value) return value.fields;
  return value;
}

/** The lists of an object that is a table, with their secret columns, by their key; undefined if it is not a table. */
export function tableIn(
  object: object,
  names: readonly MemberName[],
  nameOf: NameOf,
): ReadonlyMap<string, TableMember> | undefined {
  if (names.length < 2) return undefined;
  for (const named of names) {
    if (!HEADERS.has(named.letters)) continue;
    const header = headerIn(object, named.text);
    const columns = secretColumns(header, nameOf);
    if (columns === undefined || !Array.isArray(header)) continue;
    const members = new Map<string, TableMember>();
    for (const other of names) {
      if (other === named || (HEADERS.has(other.letters) && !ROWS.has(other.letters))) continue;
      const value: unknown = Reflect.get(object, other.text);
      if (isIndexedRows(value)) members.set(other.text, { form: "indexed", columns });
      else if (isRows(value, nameOf)) members.set(other.text, { form: "rows", columns });
      else if (ROWS.has(other.letters) && Array.isArray(value) && value.length === header.length)
        members.set(other.text, { form: "row", columns });
    }
    if (members.size > 0) return members;
  }
  return undefined;
}

export function columnsOfFirstRow(rows: readonly unknown[], nameOf: NameOf): Columns | undefined {
  if (rows.length < 2) return undefined;
  const header = cellsOf(rows[0], nameOf);
  if (header === undefined || cellsOf(rows[1], nameOf) === undefined) return undefined;
  return secretColumns(header.cells, nameOf);
}

/** Keys of a row that has no names yet: `{ "A": "user", "B": "password" }`, `{ "0": …, "1": … }`. */
const UNNAMED =
  /^(?:\d{1,4}|[A-Z]{1,2}|_\d{1,4}|(?:col(?:umn)?|field|f|c)[_ -]?\d{1,4}|__EMPTY(?:_\d{1,4})?)$/i;

export function unnamedColumns(rows: readonly unknown[], nameOf: NameOf): ReadonlySet<string> | undefined {
  const [header] = rows;
  if (rows.length < 2 || !isObject(header)) return undefined;
  const secret = new Set<string>();
  let members = 0;
  for (const key in header) {
    members += 1;
    const name = nameOfColumn(header[key], nameOf);
    if (!UNNAMED.test(key) || name === undefined || members > MAX_COLUMNS) return undefined;
    if (nameOf(name.trim()).kind === "secret") secret.add(key);
  }
  return secret.size === 0 || members < 2 ? undefined : secret;
}
