/**
 * A rule for secrets inside a text. Each rule is linear: classes repeated within bounds, no alternatives
 * inside repetitions, no start tried twice over the same stretch.
 */
import type { KindOfKey } from "./key-rules.ts";
import type { MarkSecret } from "./marks.ts";
import type { Signs } from "./signs.ts";

export interface RuleContext {
  readonly mark: MarkSecret;
  readonly kindOfKey: KindOfKey;
  /** Whether a text encoded in this one contains a secret. */
  readonly holdsSecret: (decoded: string) => boolean;
  /** Called by a rule that rereads parts of a text, with the number of characters reread. */
  readonly spend: (characters: number) => void;
  /** Called by a rule that is slow for all texts: counts against the answer, not the text. */
  readonly charge: (characters: number) => void;
}

/** Returns the text with marks in place of secrets; unchanged if there are none. */
export type TextRule = (text: string, context: RuleContext) => string;

export interface NamedRule {
  readonly name: string;
  readonly apply: TextRule;
  /** False only if the rule changes no text with these signs; the rule is then skipped. */
  readonly mayFind?: (signs: Signs) => boolean;
  /** The rule must see the JSON text itself, not only the values in it. */
  readonly seesJson?: true;
}

/**
 * A rule that marks the secrets that a pattern finds. The pattern's first group is the text before the secret, its last
 * group is the secret. A group between them is a name, which must be a secret's.
 */
export const marking =
  (pattern: RegExp, isSecret: (value: string) => boolean, kind = "key"): TextRule =>
  (text, { mark, kindOfKey }) =>
    text.replace(pattern, (match: string, before: string, second: string, third: string | number) => {
      const isNamed = typeof third === "string";
      const value = isNamed ? third : second;
      if ((isNamed && kindOfKey(second) !== "secret") || !isSecret(value)) return match;
      return before + mark(kind, value);
    });

/** `Bearer authentication` is prose; a token has a digit or a sign in it, or is long. */
export const looksLikeToken = (text: string): boolean => text.length >= 20 || /[^\p{L}]/u.test(text);

/** One place from which an expression of n8n fetches: `$json.token`, `$('Log in').item.json["a b"]`. */
const FETCHED = String.raw`\$[\w$]{0,60}(?:\??\.[A-Za-z_$][\w$]{0,60}|\(['"][^'"]{0,100}['"]\)|\??\.?\[['"][^'"]{0,100}['"]\]|\[\d{1,6}\]|\(\)){0,12}`;
const FETCHING = String.raw`\{\{\s{0,20}${FETCHED}(?:\s{0,20}(?:\?\?|\|\|)\s{0,20}(?:${FETCHED}|''|""|null|undefined)){0,3}\s{0,20}\}\}`;
/** With a scheme before it, or several with signs between: `=Bearer {{ $json.token }}`, `={{ $json.a }}-{{ $json.b }}`. */
const REFERENCE_EXPRESSION = new RegExp(
  String.raw`^=?(?:[A-Za-z]{1,20} )?${FETCHING}(?:[\s_:/.,|#@;&=-]{0,3}${FETCHING}){0,8}$`,
);

/** Whether a text only says where a value comes from and contains no literal. */
export const isReferenceExpression = (text: string): boolean =>
  text.length <= 1_000 && text.includes("{{") && REFERENCE_EXPRESSION.test(text);

/** The secret was already masked elsewhere: `***`, `**hidden**` (n8n, in errors of requests). */
export const isMasked = (text: string): boolean => /^(?:\*{3,}|\*\*hidden\*\*|[•●]{3,})$/.test(text);
