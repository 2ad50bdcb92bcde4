/** Secrets that a name beside them gives away in a text. Tables and markup first: they say most about what is where. */
import { hasAny, SIGN, type Signs } from "../signs.ts";
import type { NamedRule } from "../text-rule.ts";
import { commandLines } from "./command-lines.ts";
import { connectionStrings } from "./connection-strings.ts";
import { formParts } from "./form-parts.ts";
import { inserts } from "./inserts.ts";
import { keywords } from "./keywords.ts";
import { labelledValues } from "./labels.ts";
import { literals } from "./literals.ts";
import { markup } from "./markup.ts";
import { tables } from "./tables.ts";

const { colon, equals, comma, semicolon, pipe, tab, newline, space, gap, quote, hyphen, slash } = SIGN;
const { doubleQuote, parenthesis, less, ampersand, at, digit, tokenSign, beyondAscii } = SIGN;

/** A word of letters alone is a token only when it is as long as this. */
const LONG_TOKEN = 20;

/** A line with commas is a row only below another. */
const mayBeTable = (signs: Signs): boolean =>
  hasAny(signs, pipe | tab | gap) || (hasAny(signs, comma | semicolon) && hasAny(signs, newline));

const mayHoldToken = (signs: Signs): boolean =>
  hasAny(signs, digit | tokenSign | quote) || signs.longestRun >= LONG_TOKEN;

export const NAMED_VALUES: readonly NamedRule[] = [
  {
    name: "connection-strings",
    apply: connectionStrings,
    mayFind: (signs) => hasAny(signs, colon) || (hasAny(signs, at) && hasAny(signs, slash)),
  },
  { name: "markup", apply: markup, mayFind: (signs) => hasAny(signs, less | ampersand) },
  {
    name: "form-parts",
    apply: formParts,
    mayFind: (signs) => hasAny(signs, equals) && hasAny(signs, doubleQuote),
  },
  { name: "inserts", apply: inserts, mayFind: (signs) => hasAny(signs, parenthesis) },
  { name: "tables", apply: tables, mayFind: mayBeTable },
  {
    name: "labels",
    apply: labelledValues,
    mayFind: (signs) => hasAny(signs, colon | equals | newline | beyondAscii),
  },
  {
    name: "literals",
    apply: literals,
    mayFind: (signs) => hasAny(signs, quote) && hasAny(signs, comma | parenthesis | semicolon | equals),
  },
  {
    name: "command-lines",
    apply: commandLines,
    mayFind: (signs) => hasAny(signs, hyphen | slash) && hasAny(signs, space | colon),
  },
  {
    name: "keywords",
    apply: keywords,
    mayFind: (signs) => hasAny(signs, space | tab | beyondAscii) && mayHoldToken(signs),
  },
];
