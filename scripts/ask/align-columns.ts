/** A table for a terminal. Pure. */
import { toPlainText } from "./plain-text.ts";

/** Each row on a line, made harmless, its cells as wide as the widest of their column, two spaces apart. */
export function toPlainTable(rows: readonly (readonly string[])[]): string {
  const plain = rows.map((row) => row.map((cell) => toPlainText(cell)));
  const widths = (plain[0] ?? []).map((_, column) =>
    Math.max(...plain.map((row) => row[column]?.length ?? 0)),
  );
  const lines = plain.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return lines.map((line) => line.trimEnd()).join("\n");
}
