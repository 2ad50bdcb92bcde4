/**
 * Makes untrusted text safe for a terminal: names and messages come from n8n, and an escape sequence
 * in one could move the cursor, change colours or write to the clipboard. Pure.
 */

/** Control and format characters, surrogates that stand alone, and line and paragraph separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
const REPLACEMENT = "\uFFFD";

/** On one line, without terminal control characters. */
export function toPlainText(text: string, maximumLength = Number.POSITIVE_INFINITY): string {
  const plain = text.replace(/[\r\n\t]+/g, " ").replace(UNPRINTABLE, REPLACEMENT);
  const characters = [...plain];
  return characters.length <= maximumLength ? plain : `${characters.slice(0, maximumLength - 1).join("")}…`;
}

/** Without terminal control characters, and with its lines. */
export const toPlainLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => toPlainText(line))
    .join("\n");

/**
 * Equivalent JSON, with terminal control characters escaped.
 * @param indent of each level; 0 for all on one line
 */
export function toPlainJson(value: unknown, indent: 0 | 2 = 2): string {
  return JSON.stringify(value, null, indent)
    .split("\n")
    .map((line) => line.replace(UNPRINTABLE, escapeUnits))
    .join("\n");
}

function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}

/** A table with aligned columns, one row a line, without terminal control characters. */
export function toPlainTable(rows: readonly (readonly string[])[]): string {
  const plain = rows.map((row) => row.map((cell) => toPlainText(cell)));
  const widths = (plain[0] ?? []).map((_, column) =>
    Math.max(...plain.map((row) => row[column]?.length ?? 0)),
  );
  const lines = plain.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return lines.map((line) => line.trimEnd()).join("\n");
}
