/**
 * Renders a list of objects as a table: column names once, then a line per object. Above it stand values that are equal
 * in all rows (`each:`), and templates of addresses that consist of other cells, such as
 * `https://n8n/workflow/{workflowId}/executions/{id}`. An empty cell is null, empty or absent. Pure.
 */
import { isObject } from "../../platform/is-object.ts";
import type { JsonValue } from "../../redaction/redact.ts";
import { drawTree, type Row, type TreeRendering } from "./tree.ts";
import { inline, keyWord, pairs } from "./words.ts";

export type JsonObject = { readonly [key: string]: JsonValue };

/** Down to this depth, members of objects become columns. */
const MAX_FLATTENED = 2;
const MAX_COLUMNS = 40;
/** With fewer rows, `each:` would not save anything. */
const MIN_ROWS_IN_COMMON = 2;
/** An empty string is rendered as `""`. */
const ABSENT = "";
/** Values below these members came from nodes, so null is shown there. */
const PAYLOAD = new Set([
  "items",
  "json",
  "body",
  "query",
  "params",
  "parameters",
  "arguments",
  "customData",
]);

export const isPayload = (key: string): boolean => PAYLOAD.has(key);
/** Without blanks around it, because a blank before a number costs a token. */
const SEPARATOR = "|";

/** @returns undefined for a single object, or for too many columns */
export function tableLines(
  objects: readonly JsonObject[],
  tree: TreeRendering | undefined,
  isInPayload = false,
): string[] | undefined {
  const rows = objects.map((object) => new Map(flattened(object, "", 0)));
  const columns = columnsOf(rows);
  if (columns.length === 0 || columns.length > MAX_COLUMNS) return undefined;
  const addresses = addressTemplates(rows, columns);
  const common = commonCells(rows, columns, tree);
  const drawn = tree === undefined ? undefined : drawTree(rows, tree);
  const nothing = columns.filter((column) => rows.every((row) => isNothing(row.get(column))));
  const shown = columns.filter(
    (column) =>
      !addresses.has(column) && !common.has(column) && !nothing.includes(column) && drawn?.hidden !== column,
  );
  const named = nothing.filter((column) => isInPayload || column.split(".").some(isPayload));
  const above = [
    ...(common.size === 0 ? [] : [`each: ${pairs(common)}`]),
    ...[...addresses].map(([column, template]) => `${keyWord(column)}: ${template}`),
    ...(named.length === 0 ? [] : [`none: ${named.map(keyWord).join(" ")}`]),
  ];
  if (shown.length === 0) return above;
  const line = (cells: readonly string[], bar: string | undefined): string =>
    (bar === undefined ? cells : [...cells, bar]).join(SEPARATOR);
  const order = drawn?.order ?? rows.map((row) => ({ row, indent: "", bar: undefined }));
  return [
    ...above,
    line(shown.map(keyWord), drawn?.scale),
    ...order.map(({ row, indent, bar }) => {
      const cells = shown.map((column) => cell(row.get(column), column));
      return indent + line(cells, bar);
    }),
  ];
}

function* flattened(object: JsonObject, prefix: string, depth: number): Generator<[string, JsonValue]> {
  for (const [key, value] of Object.entries(object)) {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    if (isJsonObject(value) && Object.keys(value).length > 0 && depth < MAX_FLATTENED)
      yield* flattened(value, name, depth + 1);
    else yield [name, value];
  }
}

/** An object that is null in some rows gets columns for its members only. */
function columnsOf(rows: readonly Row[]): string[] {
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const isFlattened = (name: string): boolean => names.some((other) => other.startsWith(`${name}.`));
  return names.filter((name) => !rows.every((row) => isNothing(row.get(name))) || !isFlattened(name));
}

export const isJsonObject = (value: JsonValue | undefined): value is { [key: string]: JsonValue } =>
  isObject(value);

export function isNothing(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}

const cell = (value: JsonValue | undefined, column: string): string =>
  value === undefined || isNothing(value) ? ABSENT : inline(value, column);

function commonCells(
  rows: readonly Row[],
  columns: readonly string[],
  tree: TreeRendering | undefined,
): ReadonlyMap<string, JsonValue> {
  const common = new Map<string, JsonValue>();
  if (rows.length < MIN_ROWS_IN_COMMON) return common;
  for (const column of columns) {
    const first = rows[0]?.get(column);
    if (first === undefined || isNothing(first) || column === tree?.id || column === tree?.parent) continue;
    const text = JSON.stringify(first);
    if (rows.every((row) => JSON.stringify(row.get(column)) === text)) common.set(column, first);
  }
  return common;
}

const ADDRESS = /^https?:\/\//;

/** Finds columns of addresses that consist of other cells in their row. */
function addressTemplates(rows: readonly Row[], columns: readonly string[]): ReadonlyMap<string, string> {
  const templates = new Map<string, string>();
  for (const column of columns) {
    const [first, ...others] = new Set(rows.map((row) => addressTemplate(row, column)));
    if (first !== undefined && others.length === 0) templates.set(column, first);
  }
  return templates;
}

function addressTemplate(row: Row, column: string): string | undefined {
  const address = row.get(column);
  if (typeof address !== "string" || !ADDRESS.test(address) || inline(address) !== address) return undefined;
  const names = new Map<string, string>();
  for (const [name, value] of row)
    if (name !== column && typeof value === "string" && value !== "" && !names.has(value))
      names.set(value, name);
  const template = address
    .split("/")
    .map((part) => (names.has(part) ? `{${names.get(part)}}` : part))
    .join("/");
  return template === address ? undefined : template;
}
