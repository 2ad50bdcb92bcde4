/**
 * How a value that a failing node read differs in kind from those of the last successes, told without repeating it. A
 * value in a list is compared with all that stood there. Pure.
 */
import { containsOmitted, lengthOfText } from "../../json/omitted.ts";
import { firstFound } from "../../platform/first-found.ts";
import type { ExecutionView, SentItem } from "./execution-view.ts";
import { sentEver, valueAt } from "./field-origin.ts";
import { valuesBelow } from "./values-below.ts";
import type { Oddity } from "./wording/chain-sentences.ts";

const MAX_LEAVES = 200;
/** In a longer text, any sign may occur. */
const MAX_SHORT = 60;
const LEAST_LONG = 200;
const FEATURES: readonly (readonly [Oddity, RegExp])[] = [
  ["control", /[^\P{Cc}\n\r\t]/u],
  ["line", /[\n\r\t]/],
  ["fraction", /^-?\d+\.\d+$/],
];

/** @param isAboutTwins the error is about a value that is there twice */
export function oddIn(
  view: ExecutionView,
  items: readonly SentItem[],
  path: readonly string[],
  isAboutTwins: boolean,
) {
  const now = leavesOf(items, path);
  const before = view.successes.map((one) => leavesOf(sentEver(one, items[0]?.from ?? "").items, path));
  return firstFound(now, (leaf) => {
    const { place, text } = leaf;
    const each = before.map((leaves) => leaves.filter((one) => one.place === place).map((one) => one.text));
    const wereSingle = each.every((texts) => new Set(texts).size === texts.length);
    const isTwin = now.find((one) => one.place === place && one.text === text) !== leaf;
    const [length, longest] = [lengthOfText(text), Math.max(0, ...each.flat().map(lengthOfText))] as const;
    const isLong = length >= LEAST_LONG && length >= 2 * longest;
    const how =
      isAboutTwins && wereSingle && isTwin ? "twice" : (newIn(text, each.flat()) ?? (isLong ? "long" : null));
    if (how === null || each.flat().length === 0) return null;
    return { ...leaf, how, lengths: [length, longest] as const };
  });
}

/** `place`: the path without positions in lists. */
const leavesOf = (items: readonly SentItem[], path: readonly string[]) =>
  items
    .flatMap((item) =>
      valuesBelow(valueAt(item.json, path)).flatMap(([below, value]) => {
        const whole = [...path, ...below];
        const place = whole.filter((key) => !/^\d+$/.test(key)).join("\n");
        return value === null || typeof value === "object"
          ? []
          : { item, path: whole, place, text: String(value) };
      }),
    )
    .slice(0, MAX_LEAVES);

function newIn(text: string, before: readonly string[]): Oddity | null {
  // What a reader cut off may hold it, too.
  if (before.some(containsOmitted)) return null;
  const found = FEATURES.find(([, form]) => form.test(text) && !before.some((one) => form.test(one)));
  const signs = text.length > MAX_SHORT ? [] : (text.match(/[^\p{L}\p{N}]/gu) ?? []);
  return found?.[0] ?? (signs.some((sign) => !before.some((one) => one.includes(sign))) ? "sign" : null);
}
