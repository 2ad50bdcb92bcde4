/** Draws rows as an indented tree, with bars if times are known. Rows with unknown or circular parents are roots. Pure. */
import type { JsonValue } from "../../redaction/redact.ts";

export interface TreeRendering {
  readonly id: string;
  readonly parent: string;
  /** Columns with start and duration, in milliseconds. */
  readonly bar?: { readonly start: string; readonly duration: string };
}

const BAR_WIDTH = 12;

export type Row = ReadonlyMap<string, JsonValue>;

interface DrawnTree {
  readonly order: readonly { readonly row: Row; readonly indent: string; readonly bar: string | undefined }[];
  /** The column that the indentation replaces. */
  readonly hidden: string | undefined;
  readonly scale: string | undefined;
}

export function drawTree(rows: readonly Row[], { id, parent, bar }: TreeRendering): DrawnTree {
  const idOf = (row: Row): string => String(row.get(id));
  const byId = new Map(rows.map((row) => [idOf(row), row]));
  const parentOf = (row: Row): Row | undefined => {
    const above = row.get(parent);
    return typeof above === "string" ? byId.get(above) : undefined;
  };
  const children = Map.groupBy(rows, (row) => (isBelowItself(row, parentOf) ? undefined : parentOf(row)));
  const below = (row: Row | undefined, indent: string): { row: Row; indent: string }[] =>
    (children.get(row) ?? []).flatMap((child) => [{ row: child, indent }, ...below(child, `${indent}  `)]);
  const isIndented = rows.every(
    (row) =>
      (row.get(parent) ?? null) === null || (parentOf(row) !== undefined && !isBelowItself(row, parentOf)),
  );
  const bars = bar === undefined ? undefined : drawBars(rows, bar);
  return {
    order: below(undefined, "").map(({ row, indent }) => ({ row, indent, bar: bars?.of(row) })),
    hidden: isIndented ? parent : undefined,
    scale: bars?.scale,
  };
}

function isBelowItself(row: Row, parentOf: (row: Row) => Row | undefined): boolean {
  const seen = new Set<Row>();
  for (let above = parentOf(row); above !== undefined && !seen.has(above); above = parentOf(above)) {
    if (above === row) return true;
    seen.add(above);
  }
  return false;
}

/** @returns undefined when there is nothing to compare */
function drawBars(
  rows: readonly Row[],
  { start, duration }: NonNullable<TreeRendering["bar"]>,
): { readonly scale: string; readonly of: (row: Row) => string } | undefined {
  const spanOf = (row: Row): { from: number; to: number } | undefined => {
    const [from, took] = [row.get(start), row.get(duration)];
    return typeof from === "number" && typeof took === "number" ? { from, to: from + took } : undefined;
  };
  const spans = rows.map(spanOf).filter((span) => span !== undefined);
  const begin = Math.min(...spans.map(({ from }) => from));
  const end = Math.max(...spans.map(({ to }) => to));
  if (spans.length < 2 || end <= begin) return undefined;
  const columnOf = (at: number): number => Math.round(((at - begin) / (end - begin)) * BAR_WIDTH);
  return {
    scale: `${begin} to ${end} ms`,
    of(row) {
      const span = spanOf(row);
      if (span === undefined) return "";
      const from = Math.min(columnOf(span.from), BAR_WIDTH - 1);
      return " ".repeat(from) + "=".repeat(Math.max(1, columnOf(span.to) - from));
    },
  };
}
