/**
 * Renders the members of an object as lines: short ones side by side (`key=value other=5`), long texts on separate
 * lines, and lists of similar objects as tables. Empty members are left out, but those of payload are listed by name,
 * because what a node did not get may be the answer. Of two forms, the cheaper one in tokens is used. Pure.
 */
import type { JsonValue } from "../../redaction/redact.ts";
import { estimateTokens } from "../token-estimate.ts";
import { isJsonObject, isNothing, isPayload, type JsonObject, tableLines } from "./table.ts";
import type { TreeRendering } from "./tree.ts";
import { blockLines, inline, isReference, keyWord, quote, word } from "./words.ts";

const INDENT = "  ";
const BLOCK_SIGN = "> ";
/** A longer value gets its own line. */
const SHORT = 80;
/** Approximate maximum length of a line of short members. */
const LINE = 160;
/** Deeper values are written on one line. */
const MAX_DEPTH = 8;

type Trees = Readonly<Record<string, TreeRendering | "in order">>;

interface Place {
  readonly depth: number;
  readonly isPayload: boolean;
}

const TOP: Place = { depth: 0, isPayload: false };

const below = (key: string, { depth, isPayload: isInPayload }: Place): Place => ({
  depth: depth + 1,
  isPayload: isInPayload || isPayload(key),
});

export function memberLines(object: JsonObject, trees: Trees = {}, place: Place = TOP): string[] {
  const entries = Object.entries(object);
  const lines: string[] = [];
  let short: string[] = [];
  const flush = (): void => {
    if (short.length > 0) lines.push(short.join(" "));
    short = [];
  };
  for (const [key, value] of entries) {
    if (isNothing(value)) continue;
    const isList = isTable(value) || Object.hasOwn(trees, key);
    const pair = isList ? null : `${keyWord(key)}=${inline(value, key)}`;
    if (pair !== null && pair.length <= SHORT) {
      if (short.join(" ").length + pair.length > LINE) flush();
      short.push(pair);
    } else {
      flush();
      lines.push(...longMember(key, value, trees, place));
    }
  }
  flush();
  if (!place.isPayload) return lines;
  const none = entries.filter(([, value]) => isNothing(value)).map(([key]) => keyWord(key));
  return none.length === 0 ? lines : [...lines, `none: ${none.join(" ")}`];
}

/** A list of several objects is easier to read as a table, even if it is short. */
const isTable = (value: JsonValue): boolean =>
  Array.isArray(value) && value.length > 1 && value.every(isJsonObject);

function longMember(key: string, value: JsonValue, trees: Trees, place: Place): string[] {
  const name = keyWord(key);
  const onOneLine = (): string[] => [`${name}: ${inline(value, key)}`];
  if (typeof value === "string") return textLines(name, value, key);
  if (typeof value !== "object" || value === null || isReference(value) || place.depth >= MAX_DEPTH)
    return onOneLine();
  const inside = below(key, place);
  if (!Array.isArray(value))
    return cheapest([under(`${name}:`, memberLines(value, {}, inside)), onOneLine()]);
  const tree = Object.hasOwn(trees, key) ? trees[key] : undefined;
  return cheapest([...listLines(name, value, tree, inside), ...(tree === undefined ? [onOneLine()] : [])]);
}

function textLines(name: string, text: string, key: string): string[] {
  const onOneLine = [`${name}: ${word(text, key)}`];
  if (!/[\n"\\]/.test(text)) return onOneLine;
  return cheapest([[`${name}:`, ...blockLines(text).map((line) => BLOCK_SIGN + line)], onOneLine]);
}

function listLines(
  name: string,
  items: readonly JsonValue[],
  tree: TreeRendering | "in order" | undefined,
  inside: Place,
): string[][] {
  const head = `${name} (${items.length}):`;
  const blocks = [head, ...items.flatMap((item) => itemLines(item, inside))];
  if (tree === "in order" || !items.every(isJsonObject)) return [blocks];
  const table = tableLines(items, tree, inside.isPayload);
  if (table === undefined) return [blocks];
  return [[head, ...indented(table)], ...(tree === undefined ? [blocks] : [])];
}

function itemLines(item: JsonValue, inside: Place): string[] {
  if (!isJsonObject(item)) return [`- ${typeof item === "string" ? quote(item) : inline(item)}`];
  const lines = memberLines(item, {}, inside);
  return lines.map((line, index) => (index === 0 ? `- ${line}` : INDENT + line));
}

const under = (head: string, lines: readonly string[]): string[] =>
  lines.length === 1 ? [`${head} ${lines.join("")}`] : [head, ...indented(lines)];

const indented = (lines: readonly string[]): string[] => lines.map((line) => INDENT + line);

/** Maximum cost of a more readable form, as a ratio of tokens. */
const TOLERANCE = 1.06;

/** Takes the first form within the tolerance of the cheapest. @param ways the most readable first */
function cheapest(ways: readonly (readonly string[])[]): string[] {
  const costs = ways.map((lines) => estimateTokens(lines.join("\n")));
  const most = Math.min(...costs) * TOLERANCE;
  return [...(ways[costs.findIndex((cost) => cost <= most)] ?? [])];
}
