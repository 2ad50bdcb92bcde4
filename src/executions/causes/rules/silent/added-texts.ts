/**
 * Fact: `+` with a text concatenates: "50" + "8" is "508". Only if the result became a number is that surely
 * unintended.
 */
import type { ReadValue } from "../../../../json/omitted.ts";
import { pathText, referencesIn } from "../../field-references.ts";
import { ofNodes } from "../../rule.ts";
import { IDENTIFIES } from "../../value-breaks.ts";
import { matchesIn, SPAN, valuePairs } from "./mistaken-types.ts";
import { scalarsBy, unlessUsual } from "./usual.ts";

const ADDED = new RegExp(String.raw`(${SPAN})\s?\+\s?(${SPAN}|\d+(?:\.\d+)?)(?![\w$.?[(])`, "g");
const AMOUNT = /^(?:0|[1-9]\d{0,9})(?:\.\d+)?$/;
/** A year and a month may be concatenated on purpose, even as a number. */
const PERIOD = /year|month|week|day|date|jahr|monat|tag/i;

const isAmount = (value: ReadValue): boolean =>
  (typeof value === "string" || typeof value === "number") && AMOUNT.test(String(value));

const addsTexts = ofNodes((view, node, definition) => {
  for (const [, left = "", right = ""] of matchesIn(definition, ADDED)) {
    const field = pathText(referencesIn(left)[0]?.path ?? []);
    if ([left, right].some((span) => PERIOD.test(span) || IDENTIFIES.test(span))) continue;
    for (const [one, other] of valuePairs(view, node, left, right)) {
      if (typeof one === typeof other && typeof one === "number") continue;
      const joined = isAmount(one) && isAmount(other) ? Number(`${one}${other}`) : Number.NaN;
      const sent = Number.isNaN(joined) ? [] : [...scalarsBy(view, node).values()].flat();
      if (sent.some(({ value }) => value === joined))
        return { kind: "mistaken_type.added", node, field, value: joined, confidence: "likely" };
    }
  }
  return null;
});

export const addedTexts = unlessUsual(addsTexts, "likely");
