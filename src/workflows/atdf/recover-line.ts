/**
 * Makes a line that keeps YAML from being read readable, so that what else is wrong can be told too: spaces for
 * tabs; its value in quotes, or left out where keys stand below it. Every line keeps its number. Pure, linear.
 */

const KEY_AND_VALUE = /^((\s*(?:- +)*)[\w.-]{1,80}:)(?:[ \t]+|(?=[^\s:]))(.*)$/;
const KEY_OR_ITEM = /^\s*(?:-(?:\s|$)|[\w.-]{1,80}:(?:\s|$))/;
const QUOTED = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?:\s+#.*)?$/;

const indentOf = (line: string): number => line.length - line.trimStart().length;
/** A tab or a no-break space looks like indentation and is none. */
const withSpaces = (line: string): string =>
  line.slice(0, indentOf(line)).replaceAll("\t", "  ").replace(/[^ ]/g, " ") + line.trimStart();

/** @param line from 1. @returns the same text when there is nothing to do */
export function recoverLine(text: string, line: number): string {
  const spaced = text.split("\n").map(withSpaces).join("\n");
  if (spaced !== text) return spaced;
  const lines = text.split("\n");
  const [, key = "", before = "", value = ""] = KEY_AND_VALUE.exec(lines[line - 1] ?? "") ?? [];
  const plain = value.trim();
  if (plain === "" || plain.startsWith("#") || QUOTED.test(plain)) return text;
  const next = lines.slice(line).find((each) => each.trim() !== "" && !each.trim().startsWith("#")) ?? "";
  const hasKeysBelow = KEY_OR_ITEM.test(next) && indentOf(next) > before.length;
  lines[line - 1] = hasKeysBelow ? key : `${key} ${JSON.stringify(plain.replace(/^(["'])(.*)\1$/, "$2"))}`;
  return lines.join("\n");
}
