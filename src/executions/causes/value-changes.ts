/**
 * How a value that a failing node read differs in kind from those of the last successes, told without repeating it. A
 * value in a list is compared with all that stood there. Pure.
 */
import { containsOmitted, lengthOfText, OMITTED_MEMBERS, Omitted } from "../../json/omitted.ts";
import { firstFound } from "../../platform/first-found.ts";
import type { ExecutionView, SentItem, SentItems } from "./execution-view.ts";
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
  ["percent", /%(?![\da-f]{2})/i],
];
/** New only beside other numbers. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]\d+)?$/;
const OF_NUMBERS: typeof FEATURES = [
  ["negative", /^-/],
  ["fraction", /\.(?!.*e\+)|e-/],
];

/** @param isAboutTwins the error is about a value that is there twice */
export function oddIn(
  view: ExecutionView,
  items: readonly SentItem[],
  path: readonly string[],
  isAboutTwins: boolean,
) {
  const { from = "", output = 0 } = items[0] ?? {};
  const now = leavesOf({ items, length: items.length }, path).leaves.slice(0, MAX_LEAVES);
  const before = view.successes.map((one) => ({
    ...leavesOf(sentEver(one, from, output), path),
    hasAllRuns: one.hasAllRuns(from),
  }));
  if (before.some(({ isWhole, hasAllRuns }) => !isWhole || !hasAllRuns)) return null;
  return firstFound(now, (leaf) => {
    const { place, text } = leaf;
    if (before.some(({ isRead }) => !isRead(place))) return null;
    const each = before.map(({ leaves }) =>
      leaves.filter((one) => one.place === place && one.text.trim() !== "").map((one) => one.text),
    );
    const wereSeveral = each.some((texts) => texts.length > 1);
    const wereSingle = wereSeveral && each.every((texts) => new Set(texts).size === texts.length);
    const isFlag = text === "true" || text === "false";
    const isTwin = !isFlag && now.find((one) => one.place === place && one.text === text) !== leaf;
    const [length, longest] = [lengthOfText(text), Math.max(0, ...each.flat().map(lengthOfText))] as const;
    const isLong = length >= LEAST_LONG && length >= 2 * longest;
    const how =
      isAboutTwins && wereSingle && isTwin ? "twice" : (newIn(text, each.flat()) ?? (isLong ? "long" : null));
    if (how === null || each.flat().length === 0) return null;
    return { ...leaf, how, lengths: [length, longest] as const };
  });
}

/** `place`: the path without positions in lists. A place is not read if a reader left out anything there or above. */
function leavesOf({ items, length }: SentItems, path: readonly string[]) {
  const all = items.flatMap((item) =>
    valuesBelow(valueAt(item.json, path)).map(([below, value]) => {
      const whole = [...path, ...below];
      const named = whole.filter((key) => !/^\d+$/.test(key) && key !== OMITTED_MEMBERS);
      return { item, path: whole, place: named.map((key) => `${key}\n`).join(""), value };
    }),
  );
  const cut = all.filter(({ value }) => value instanceof Omitted).map(({ place }) => place);
  return {
    leaves: all.flatMap(({ value, ...leaf }) =>
      value === null || typeof value === "object" ? [] : { ...leaf, text: String(value) },
    ),
    isWhole: items.length === length,
    isRead: (place: string): boolean => !cut.some((one) => place.startsWith(one)),
  };
}

function newIn(text: string, before: readonly string[]): Oddity | null {
  // What a reader cut off may hold it, too.
  if (before.some(containsOmitted)) return null;
  const isNumber = NUMBER.test(text);
  const [features, alike] = isNumber
    ? [OF_NUMBERS, before.filter((one) => NUMBER.test(one))]
    : [FEATURES, before];
  const isNew = (form: RegExp): boolean => form.test(text) && !alike.some((one) => form.test(one));
  const found = alike.length === 0 ? undefined : features.find(([, form]) => isNew(form));
  // Letters of many languages have marks.
  const signs = isNumber || text.length > MAX_SHORT ? [] : (text.match(/[^\p{L}\p{M}\p{N} ]/gu) ?? []);
  return found?.[0] ?? (signs.some((sign) => !before.some((one) => one.includes(sign))) ? "sign" : null);
}
