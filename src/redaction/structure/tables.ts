/**
 * Tables: names in one list, and values by the same order in others (`{ columns: ["user", "password"], rows:
 * [["jo", "…"]] }`, sheets whose first row is the header, answers of SQL drivers). Pure.
 */
import type { KeyKind } from "../key-rules.ts";
import { remembering } from "../remembered.ts";
import { accountKindOf } from "./account-numbers.ts";
import { roleOf } from "./member-roles.ts";

type KindOfKey = (key: string) => KeyKind;

/** Names of columns with secrets in them, by their index in a row. */
export type Columns = ReadonlyMap<number, string>;

/** More than any sheet has (Excel: 16,384 columns) that somebody looks at. */
const MAX_COLUMNS = 2_000;
/** A name of a column: words, and no sentence or token. */
const COLUMN_NAME = /^[\p{L}_$#@*][\p{L}\p{M}\p{N} _.:/()[\]*?$#@'’-]{0,79}$/u;

const HEADERS = new Set(
  "columns column cols header headers heading headings head fields names keys labels titles questions properties props params variables attributes thead schema fieldnames columnnames headernames headerrow metadata".split(
    " ",
  ),
);
const ROWS = new Set(
  "rows row data values vals records record items results result tuples lines body tbody answers cells entries params parameters bindings args".split(
    " ",
  ),
);
const CELLS = new Set(["cells", "values", "f", "c", "cols", "columns", "rowcells", "data"]);

const MAX_REMEMBERED = 2_000;

/** The letters of a key, without its seams. */
const joined = remembering(
  (key) => (key.length > 40 ? "" : key.toLowerCase().replace(/[^a-z]/g, "")),
  MAX_REMEMBERED,
);

function nameOfColumn(cell: unknown): string | undefined {
  if (typeof cell === "string") return COLUMN_NAME.test(cell) ? cell : undefined;
  if (typeof cell !== "object" || cell === null || Array.isArray(cell)) return undefined;
  for (const key in cell) {
    const name: unknown = Reflect.get(cell, key);
    const role = roleOf(key);
    // The header of a sheet is made of cells like any other.
    if ((role === "name" || role === "value" || role === "text") && typeof name === "string")
      return nameOfColumn(name);
  }
  return undefined;
}

/** Which columns of a table with this header are secret; undefined when none is, or it is no header. */
function secretColumns(header: unknown, kindOfKey: KindOfKey): Columns | undefined {
  if (!Array.isArray(header) || header.length === 0 || header.length > MAX_COLUMNS) return undefined;
  const columns = new Map<number, string>();
  for (const [index, cell] of header.entries()) {
    if (cell === null || cell === "") continue;
    const name = nameOfColumn(cell);
    if (name === undefined) return undefined;
    if (kindOfKey(name.trim()) !== "none" || accountKindOf(name) !== "none") columns.set(index, name.trim());
  }
  return columns.size === 0 ? undefined : columns;
}

/** The cells of a row, and the member in which they stand when the row is an object. */
export function cellsOf(
  row: unknown,
): { readonly cells: readonly unknown[]; readonly key?: string } | undefined {
  if (Array.isArray(row)) return { cells: row };
  if (typeof row !== "object" || row === null) return undefined;
  for (const key in row) {
    const cells: unknown = CELLS.has(joined(key)) ? Reflect.get(row, key) : undefined;
    if (Array.isArray(cells)) return { cells, key };
  }
  return undefined;
}

const isRows = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > 0 && cellsOf(value[0]) !== undefined;

/** Rows whose cells stand under their number: `{ "0": 1, "1": "…" }`. */
function isIndexedRows(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const [row]: readonly unknown[] = value;
  if (typeof row !== "object" || row === null || Array.isArray(row)) return false;
  const keys = Object.keys(row);
  return keys.length > 0 && keys.every((key) => /^\d{1,4}$/.test(key));
}

/** A member of a table, and what of it is secret. */
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

/** What the lists of an object say of each other, by the key of the list; undefined when it is no table. */
export function tableIn(
  object: object,
  keys: readonly string[],
  kindOfKey: KindOfKey,
): ReadonlyMap<string, TableMember> | undefined {
  const headers = keys.filter((key) => HEADERS.has(joined(key)));
  if (headers.length === 0 || keys.length < 2) return undefined;
  for (const key of headers) {
    const header = headerIn(object, key);
    const columns = secretColumns(header, kindOfKey);
    if (columns === undefined || !Array.isArray(header)) continue;
    const members = new Map<string, TableMember>();
    for (const other of keys) {
      if (other === key || (HEADERS.has(joined(other)) && !ROWS.has(joined(other)))) continue;
      const value: unknown = Reflect.get(object, other);
      if (isIndexedRows(value)) members.set(other, { form: "indexed", columns });
      else if (isRows(value)) members.set(other, { form: "rows", columns });
      else if (ROWS.has(joined(other)) && Array.isArray(value) && value.length === header.length)
        members.set(other, { form: "row", columns });
    }
    if (members.size > 0) return members;
  }
  return undefined;
}

/** Secret columns of a list of rows whose first row is the header. */
export function columnsOfFirstRow(rows: readonly unknown[], kindOfKey: KindOfKey): Columns | undefined {
  if (rows.length < 2) return undefined;
  const header = cellsOf(rows[0]);
  if (header === undefined || cellsOf(rows[1]) === undefined) return undefined;
  return secretColumns(header.cells, kindOfKey);
}

/** Keys of a row that has no names yet: `{ "A": "user", "B": "password" }`, `{ "0": …, "1": … }`. */
const UNNAMED =
  /^(?:\d{1,4}|[A-Z]{1,2}|_\d{1,4}|(?:col(?:umn)?|field|f|c)[_ -]?\d{1,4}|__EMPTY(?:_\d{1,4})?)$/i;

/** The keys of the secret columns of a list of such rows, of which the first is the header. */
export function unnamedColumns(
  rows: readonly unknown[],
  kindOfKey: KindOfKey,
): ReadonlySet<string> | undefined {
  const [header] = rows;
  if (rows.length < 2 || typeof header !== "object" || header === null || Array.isArray(header))
    return undefined;
  const secret = new Set<string>();
  let members = 0;
  for (const key in header) {
    members += 1;
    const name = nameOfColumn(Reflect.get(header, key));
    if (!UNNAMED.test(key) || name === undefined || members > MAX_COLUMNS) return undefined;
    if (kindOfKey(name.trim()) === "secret") secret.add(key);
  }
  return secret.size === 0 || members < 2 ? undefined : secret;
}
