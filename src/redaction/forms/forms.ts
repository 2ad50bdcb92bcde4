/**
 * The rules that recognize providers' keys by their form; the tables list the forms that providers document. Marks say
 * only `provider-key`, since the text around a key tells which provider it belongs to.
 */
import { Edits } from "../edits.ts";
import type { MarkSecret } from "../marks.ts";
import { hasAny, SIGN, type Signs } from "../signs.ts";
import type { TextRule } from "../text-rule.ts";
import { compileBeside, parseBeside, scanBeside } from "./beside.ts";
import { compileForms } from "./compile.ts";
import type { Span } from "./match.ts";
import { type Form, parseForms } from "./notation.ts";
import { scanForms } from "./scan.ts";
import { beside } from "./tables/beside.ts";
import { TABLES } from "./tables/index.ts";

export const formsByTable = (): { readonly title: string; readonly forms: readonly Form[] }[] =>
  TABLES.map(({ title, table, kind = "provider-key" }) => ({ title, forms: parseForms(table, kind) }));

export const FORMS = formsByTable().flatMap(({ forms }) => forms);

const INDEX = compileForms(FORMS);

export const BESIDE_FACTS = parseBeside(beside);

const BESIDE = compileBeside(BESIDE_FACTS);

/** No key of any provider is shorter. */
const SHORTEST = 12;

function markSpans(text: string, spans: readonly Span[], mark: MarkSecret): string {
  const edits = new Edits(text);
  for (const { from, to, kind } of spans) edits.replace(from, to, mark(kind, text.slice(from, to)));
  return edits.result();
}

/** Steps of work that a text costs, for tests: time grows with them. */
export const stepsOf = (text: string): number =>
  scanForms(INDEX, text).steps + scanBeside(BESIDE, text).steps;

/** The shortest recognized part of a key that was cut off; no form is shorter than 14 characters. */
const SHORTEST_CUT = 9;

/** A key is one word, or ends in a long one. If it was cut off, nothing follows, or `...`, or `…`. */
export const mayHoldForm = (signs: Signs): boolean =>
  signs.longestWord >= SHORTEST ||
  signs.lastWord >= SHORTEST_CUT ||
  (signs.longestWord > SHORTEST_CUT && hasAny(signs, SIGN.beyondAscii));

export const providerForms: TextRule = (text, { mark }) => {
  if (text.length < SHORTEST) return text;
  return markSpans(text, scanForms(INDEX, text).spans, mark);
};

/** The shortest key without a distinctive form: one word with a digit in it. */
const SHORTEST_BESIDE = 15;

export const mayHoldKeyBeside = (signs: Signs): boolean =>
  signs.longestWord >= SHORTEST_BESIDE && hasAny(signs, SIGN.digit);

export const keysBesideNames: TextRule = (text, { mark }) =>
  markSpans(text, scanBeside(BESIDE, text).spans, mark);
