/** Secrets that a name beside them gives away in a text. Tables and markup first: they say most about what is where. */
import { hasAny, SIGN, type Signs } from "../signs.ts";
import type { NamedRule, TextRule } from "../text-rule.ts";
import { commandLines } from "./command-lines.ts";
import { connectionStrings } from "./connection-strings.ts";
import { inserts } from "./inserts.ts";
import { keywords } from "./keywords.ts";
import { labelledValues } from "./labels.ts";
import { literals } from "./literals.ts";
import { formParts, markup } from "./markup.ts";
import { oneTimeCodes } from "./one-time-codes.ts";
import { tables } from "./tables.ts";

const { colon, equals, comma, semicolon, pipe, tab, newline, space, gap, quote, hyphen, slash } = SIGN;
const { doubleQuote, parenthesis, less, greater, ampersand, at, digit, tokenSign, beyondAscii } = SIGN;

/** A word of letters alone is a token only when it is as long as this. */
const LONG_TOKEN = 20;

/** A line with commas is a row only below another. */
const mayBeTable = (signs: Signs): boolean =>
  hasAny(signs, pipe | tab | gap) || (hasAny(signs, comma | semicolon) && hasAny(signs, newline));

const mayHoldToken = (signs: Signs): boolean =>
  hasAny(signs, digit | tokenSign | quote) || signs.longestRun >= LONG_TOKEN;

type MayFind = (signs: Signs) => boolean;

const RULES: readonly (readonly [name: string, apply: TextRule, mayFind: MayFind])[] = [
  [
    "connection-strings",
    connectionStrings,
    (on) => hasAny(on, colon) || (hasAny(on, at) && hasAny(on, slash)),
  ],
  ["markup", markup, (on) => hasAny(on, less | ampersand)],
  ["form-parts", formParts, (on) => hasAny(on, equals) && hasAny(on, doubleQuote)],
  ["inserts", inserts, (on) => hasAny(on, parenthesis)],
  ["tables", tables, mayBeTable],
  ["labels", labelledValues, (on) => hasAny(on, colon | equals | newline | greater | beyondAscii)],
  ["one-time-codes", oneTimeCodes, (on) => on.digits >= 3 || (on.digits > 0 && hasAny(on, beyondAscii))],
  ["literals", literals, (on) => hasAny(on, quote) && hasAny(on, comma | parenthesis | semicolon | equals)],
  ["command-lines", commandLines, (on) => hasAny(on, hyphen | slash) && hasAny(on, space | colon)],
  ["keywords", keywords, (on) => hasAny(on, space | tab | newline | beyondAscii) && mayHoldToken(on)],
];

export const NAMED_VALUES: readonly NamedRule[] = RULES.map(([name, apply, mayFind]) => ({
  name,
  apply,
  mayFind,
}));
