/**
 * A first look at a text: whether what gives a form of a provider's key away stands in it at all. Where it does
 * not, `scanForms` finds nothing. Each character is looked at once.
 */
import { isIn } from "./alphabets.ts";
import { beginsWord, isEscapedSolidus } from "./boundaries.ts";
import {
  type AnchoredForms,
  BEGINS_SHORT,
  BEGINS_SLOT,
  type CompiledForm,
  type FormIndex,
  pairOf,
  slotOf,
} from "./compile.ts";
import { endOfText } from "./match.ts";

/** What follows the anchor that ends here. One that is distinctive is known when it was cut off, too. */
function mayFollow({ isDistinctive, run, next }: CompiledForm, text: string, end: number): boolean {
  if (isDistinctive) return true;
  if (run === undefined) return next < 0 || text.charCodeAt(end) === next;
  let at = end;
  while (at - end < run.least && isIn(text.charCodeAt(at), run.alphabet)) at += 1;
  return at - end === run.least || isEscapedSolidus(text, at);
}

/** Whether one of these stands here, in a place in which it may be a part of a form. */
function standsAt(bucket: readonly AnchoredForms[], text: string, at: number): boolean {
  const fourth = text.charCodeAt(at + 3);
  for (const { anchor, fourth: wanted, mustBeginWord, forms } of bucket) {
    if (wanted !== fourth && wanted >= 0) continue;
    const end = endOfText(text, anchor, at);
    if (end < 0 || (mustBeginWord && !beginsWord(text, at))) continue;
    if (forms.some((form) => mayFollow(form, text, end))) return true;
  }
  return false;
}

export function mayHoldAnchor({ heads, slots, pairs, buckets }: FormIndex, text: string): boolean {
  const last = text.length - 1;
  let first = text.charCodeAt(0);
  for (let at = 0; at < last; at += 1) {
    const second = text.charCodeAt(at + 1);
    // An anchor is of ASCII.
    const head = (first | second) < 128 ? (heads[pairOf(first, second)] ?? 0) : 0;
    if ((head & BEGINS_SLOT) !== 0) {
      const slot = slots[slotOf(first, second, text.charCodeAt(at + 2))] ?? 0;
      if (slot !== 0 && standsAt(buckets[slot] ?? [], text, at)) return true;
    }
    if ((head & BEGINS_SHORT) !== 0 && beginsWord(text, at)) {
      if (standsAt(buckets[pairs[pairOf(first, second)] ?? 0] ?? [], text, at)) return true;
    }
    first = second;
  }
  return false;
}
