/**
 * Repairs a line that keeps YAML from being read, as far as that is mechanical: tabs, a value that needs quotes,
 * a remark on a key that has keys below it. Every line keeps its number. Pure, linear.
 */

const KEY_AND_VALUE = /^(\s*(?:- +)*[\w.-]{1,80}:)(?:[ \t]+|(?=[^\s:]))(.*)$/;
const KEY_OR_ITEM = /^\s*(?:-(?:\s|$)|[\w.-]{1,80}:(?:\s|$))/;
const QUOTED = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?:\s+#.*)?$/;

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Where the keys of an item begin: behind its dash. */
function keyColumn(line: string): number {
  return line.length - line.replace(/^\s*(?:- +)*/, "").length;
}

/** A tab or a no-break space looks like indentation and is none. */
function withSpaces(line: string): string {
  const indent = /^\s*/.exec(line)?.[0] ?? "";
  return indent.replaceAll("\t", "  ").replace(/[^ ]/g, " ") + line.slice(indent.length);
}

/** True when what follows belongs below the key of this line. */
function hasKeysBelow(lines: readonly string[], index: number): boolean {
  const next = lines.slice(index + 1).find((line) => line.trim() !== "" && !line.trim().startsWith("#"));
  return next !== undefined && KEY_OR_ITEM.test(next) && indentOf(next) > keyColumn(lines[index] ?? "");
}

function repairValue(lines: readonly string[], index: number): string {
  const line = lines[index] ?? "";
  const [, key = "", value = ""] = KEY_AND_VALUE.exec(line) ?? [];
  const text = value.trim();
  if (key === "" || text === "" || text.startsWith("#") || QUOTED.test(text)) return line;
  if (hasKeysBelow(lines, index)) return `${key} # ${text}`;
  return `${key} ${JSON.stringify(text.replace(/^(["'])(.*)\1$/, "$2"))}`;
}

/** The text with one line (from 1) repaired, or with all indentation; the same text when there is nothing to do. */
export function repairLine(text: string, line: number): string {
  const lines = text.split("\n");
  const spaced = lines.map(withSpaces);
  if (spaced.some((each, index) => each !== lines[index])) return spaced.join("\n");
  return lines.map((each, index) => (index === line - 1 ? repairValue(lines, index) : each)).join("\n");
}
