/** All rules for texts, in their order: names first, since they say most; forms after that. */
import { credentialValues } from "./credential-values.ts";
import { customPatternsRule } from "./custom-patterns.ts";
import { providerForms } from "./forms/forms.ts";
import { personalData } from "./personal-data.ts";
import { privateKeys } from "./private-keys.ts";
import { accountNumbers } from "./structure/account-numbers.ts";
import type { NamedRule, TextRule } from "./text-rule.ts";
import { namedValues } from "./texts/named-values.ts";
import { stackPaths } from "./texts/stack-paths.ts";
import { urlSecrets } from "./texts/url-secrets.ts";

/** RFC 2397. A small one may be a text, and is looked into like other base64. */
const DATA_URL =
  /(data:[\w/+.-]{1,80}(?:;[\w=.-]{1,40}){0,3};base64,)([A-Za-z0-9+/=_-]{256}[A-Za-z0-9+/=_-]*)/g;

const dataUrls: TextRule = (text, { mark }) =>
  text.includes(";base64,")
    ? text.replace(DATA_URL, (_match: string, before: string) => before + mark("binary"))
    : text;

export interface TextSettings {
  readonly patterns?: readonly RegExp[];
  readonly personalData?: boolean;
}

export function createTextRules({
  patterns = [],
  personalData: isPersonalData = false,
}: TextSettings): NamedRule[] {
  return [
    { name: "data-urls", apply: dataUrls },
    { name: "private-keys", apply: privateKeys },
    { name: "url-secrets", apply: urlSecrets },
    { name: "named-values", apply: namedValues },
    { name: "credential-values", apply: credentialValues },
    { name: "provider-forms", apply: providerForms },
    ...(patterns.length > 0
      ? [{ name: "custom-patterns", apply: customPatternsRule(patterns), seesJson: true } as const]
      : []),
    { name: "account-numbers", apply: accountNumbers },
    // Numbers are no texts, but in a text of JSON.
    ...(isPersonalData ? [{ name: "personal-data", apply: personalData, seesJson: true } as const] : []),
    { name: "stack-paths", apply: stackPaths },
  ];
}
