/** All rules for texts, in their order: names first, since they say most; forms after that. */
import { credentialValues } from "./credential-values.ts";
import { customPatternsRule } from "./custom-patterns.ts";
import { base64, percentEncoded } from "./encoded-runs.ts";
import { keysBesideNames, mayHoldForm, mayHoldKeyBeside, providerForms } from "./forms/forms.ts";
import { personalData } from "./personal-data.ts";
import { privateKeys } from "./private-keys.ts";
import { hasAny, SIGN } from "./signs.ts";
import { accountNumbers } from "./structure/account-numbers.ts";
import type { NamedRule, TextRule } from "./text-rule.ts";
import { links } from "./texts/links.ts";
import { NAMED_VALUES } from "./texts/named-values.ts";
import { stackPaths } from "./texts/stack-paths.ts";
import { urlSecrets } from "./texts/url-secrets.ts";

const { equals, percent, slash, space, tab, digit, colon, comma } = SIGN;

/** RFC 2397. A small one may be a text, and is looked into like other base64. */
const DATA_URL =
  /(data:[\w/+.-]{1,80}(?:;[\w=.-]{1,40}){0,3};base64,)([A-Za-z0-9+/=_-]{256}[A-Za-z0-9+/=_-]*)/g;

const dataUrls: TextRule = (text, { mark }) =>
  text.includes(";base64,")
    ? text.replace(DATA_URL, (_match: string, before: string) => before + mark("binary"))
    : text;

/** What stands for the beginning of a private key in base64 is longer. */
const SHORTEST_ARMOUR = 16;
const SHORTEST_ENCODED = 16;

export interface TextSettings {
  readonly patterns?: readonly RegExp[];
  readonly personalData?: boolean;
}

export function createTextRules({
  patterns = [],
  personalData: isPersonalData = false,
}: TextSettings): NamedRule[] {
  return [
    { name: "data-urls", apply: dataUrls, mayFind: (signs) => hasAny(signs, SIGN.semicolon) },
    {
      name: "private-keys",
      apply: privateKeys,
      mayFind: (signs) => hasAny(signs, SIGN.hyphen) || signs.longestRun >= SHORTEST_ARMOUR,
    },
    { name: "url-secrets", apply: urlSecrets, mayFind: (on) => hasAny(on, equals | percent | slash) },
    ...NAMED_VALUES,
    { name: "credential-values", apply: credentialValues, mayFind: (on) => hasAny(on, space | tab) },
    { name: "provider-forms", apply: providerForms, mayFind: mayHoldForm },
    { name: "keys-beside-names", apply: keysBesideNames, mayFind: mayHoldKeyBeside },
    {
      name: "links",
      apply: links,
      mayFind: (signs) => hasAny(signs, SIGN.slash) && hasAny(signs, SIGN.digit) && signs.longestWord >= 16,
    },
    ...(patterns.length > 0
      ? [{ name: "custom-patterns", apply: customPatternsRule(patterns), seesJson: true } as const]
      : []),
    {
      name: "account-numbers",
      apply: accountNumbers,
      // An IBAN may have but its two check digits.
      mayFind: (signs) => signs.digits >= 9 || (signs.digits >= 2 && hasAny(signs, SIGN.capital)),
    },
    // Numbers are no texts, but in a text of JSON.
    ...(isPersonalData ? [{ name: "personal-data", apply: personalData, seesJson: true } as const] : []),
    {
      name: "stack-paths",
      apply: stackPaths,
      mayFind: (on) => hasAny(on, digit) && hasAny(on, colon | comma),
    },
    { name: "percent-encoding", apply: percentEncoded, mayFind: (on) => hasAny(on, percent) },
    { name: "base64", apply: base64, mayFind: ({ longestRun }) => longestRun >= SHORTEST_ENCODED },
  ];
}
