/** All rules for texts, in order: first by names, which are the best evidence; then by forms. */
import { credentialValues } from "./credential-values.ts";
import { customPatternsRule } from "./custom-patterns.ts";
import { base64, percentEncoded } from "./encoded-runs.ts";
import { keysBesideNames, mayHoldForm, mayHoldKeyBeside, providerForms } from "./forms/forms.ts";
import { personalData } from "./personal-data.ts";
import { privateKeys } from "./private-keys.ts";
import { hasAny, SIGN, type Signs } from "./signs.ts";
import { accountNumbers } from "./structure/account-numbers.ts";
import type { NamedRule, TextRule } from "./text-rule.ts";
import { commandLines } from "./texts/command-lines.ts";
import { connectionStrings } from "./texts/connection-strings.ts";
import { duplicateKeys } from "./texts/duplicate-keys.ts";
import { keywords } from "./texts/keywords.ts";
import { labelledValues } from "./texts/labels.ts";
import { literals } from "./texts/literals.ts";
import { formParts, markup } from "./texts/markup.ts";
import { oneTimeCodes } from "./texts/one-time-codes.ts";
import { stackPaths } from "./texts/stack-paths.ts";
import { inserts, tables } from "./texts/tables.ts";
import { links, urlSecrets } from "./texts/urls.ts";

const { colon, equals, comma, semicolon, pipe, tab, newline, space, gap, quote, hyphen, slash } = SIGN;
const { doubleQuote, parenthesis, less, greater, ampersand, at, digit, tokenSign, beyondAscii } = SIGN;
const { capital, percent } = SIGN;

/** RFC 2397. A short one may be a text and is decoded like other base64. */
const DATA_URL =
  /(data:[\w/+.-]{1,80}(?:;[\w=.-]{1,40}){0,3};base64,)([A-Za-z0-9+/=_-]{256}[A-Za-z0-9+/=_-]*)/g;

const dataUrls: TextRule = (text, { mark }) =>
  text.includes(";base64,")
    ? text.replace(DATA_URL, (_match: string, before: string) => before + mark("binary"))
    : text;

/** Anything shorter is not the base64 of a text or of the beginning of a private key. */
const SHORTEST_ENCODED = 16;
/** A word of letters alone is a token only if it is at least this long. */
const LONG_TOKEN = 20;

/** A line with commas or semicolons can be a row only if there is another line. */
const mayBeTable = (on: Signs): boolean =>
  hasAny(on, pipe | tab | gap) || (hasAny(on, comma | semicolon) && hasAny(on, newline));

const mayHoldToken = (on: Signs): boolean =>
  hasAny(on, digit | tokenSign | quote) || on.longestRun >= LONG_TOKEN;

/** A sentence has spaces or letters beyond ASCII; a login, `ada@example.com:…`, has `@` and a colon. */
const mayHoldSentence = (on: Signs): boolean =>
  hasAny(on, space | tab | newline | beyondAscii) || (hasAny(on, at) && hasAny(on, colon));

type Row = readonly [name: string, apply: TextRule, mayFind: (on: Signs) => boolean];

const toRule = ([name, apply, mayFind]: Row): NamedRule => ({ name, apply, mayFind });

const FIRST: readonly Row[] = [
  ["data-urls", dataUrls, (on) => hasAny(on, semicolon)],
  ["private-keys", privateKeys, (on) => hasAny(on, hyphen) || on.longestRun >= SHORTEST_ENCODED],
  ["url-secrets", urlSecrets, (on) => hasAny(on, equals | percent | slash)],
  // Secrets revealed by a name next to them. Tables and markup come early, since they define the layout.
  [
    "connection-strings",
    connectionStrings,
    (on) => hasAny(on, colon) || (hasAny(on, at) && hasAny(on, slash)),
  ],
  ["markup", markup, (on) => hasAny(on, less | ampersand)],
  ["form-parts", formParts, (on) => hasAny(on, equals) && hasAny(on, doubleQuote)],
  ["inserts", inserts, (on) => hasAny(on, parenthesis)],
  ["duplicate-keys", duplicateKeys, (on) => hasAny(on, parenthesis | quote) && hasAny(on, space | newline)],
  ["tables", tables, mayBeTable],
  ["labels", labelledValues, (on) => hasAny(on, colon | equals | newline | greater | beyondAscii)],
  ["one-time-codes", oneTimeCodes, (on) => on.digits >= 3 || (on.digits > 0 && hasAny(on, beyondAscii))],
  ["literals", literals, (on) => hasAny(on, quote) && hasAny(on, comma | parenthesis | semicolon | equals)],
  ["command-lines", commandLines, (on) => hasAny(on, hyphen | slash) && hasAny(on, space | colon)],
  ["keywords", keywords, (on) => mayHoldSentence(on) && mayHoldToken(on)],
  // Secrets revealed by their form.
  ["credential-values", credentialValues, (on) => hasAny(on, space | tab)],
  ["provider-forms", providerForms, mayHoldForm],
  ["keys-beside-names", keysBesideNames, mayHoldKeyBeside],
  ["links", links, (on) => hasAny(on, slash) && hasAny(on, digit) && on.longestWord >= 16],
];
const LAST: readonly Row[] = [
  ["stack-paths", stackPaths, (on) => hasAny(on, digit) && hasAny(on, colon | comma)],
  ["percent-encoding", percentEncoded, (on) => hasAny(on, percent)],
  ["base64", base64, (on) => on.longestRun >= SHORTEST_ENCODED],
];

/** An IBAN may have only its two check digits. */
const mayHoldAccount = (on: Signs): boolean => on.digits >= 9 || (on.digits >= 2 && hasAny(on, capital));

export interface TextSettings {
  readonly patterns?: readonly RegExp[];
  readonly personalData?: boolean;
}

export function createTextRules({
  patterns = [],
  personalData: isPersonalData = false,
}: TextSettings): NamedRule[] {
  const custom = { name: "custom-patterns", apply: customPatternsRule(patterns), seesJson: true } as const;
  // Numbers are texts only inside JSON text.
  const personal = { name: "personal-data", apply: personalData, seesJson: true } as const;
  return [
    ...FIRST.map(toRule),
    ...(patterns.length > 0 ? [custom] : []),
    { name: "account-numbers", apply: accountNumbers, mayFind: mayHoldAccount },
    ...(isPersonalData ? [personal] : []),
    ...LAST.map(toRule),
  ];
}
