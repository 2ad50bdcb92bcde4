/** All rules of one redactor: names, identities and texts, including what the settings add. */
import { memoizeByObject } from "../platform/memoize.ts";
import { createKeyClassifier, type KeySettings, type KindOfKey } from "./key-rules.ts";
import { ownSecretsRule } from "./own-secrets.ts";
import { type NameOf, nameReader } from "./structure/member-names.ts";
import type { NamedRule, TextRule } from "./text-rule.ts";
import { createTextRules, type TextSettings } from "./text-rules.ts";

/** What an operator may add to the baseline, which cannot be switched off. */
export interface RedactionSettings extends KeySettings, TextSettings {}

export interface Rules {
  readonly kindOfKey: KindOfKey;
  readonly nameOf: NameOf;
  readonly ownSecrets: TextRule;
  /** In order of application; our own secrets come first. */
  readonly onText: readonly NamedRule[];
  /** Rules that must see the JSON text itself, not only the values in it. */
  readonly onJson: readonly NamedRule[];
}

/** The rules that depend only on the settings. */
interface RulesOfSettings extends Pick<Rules, "kindOfKey" | "nameOf"> {
  readonly texts: readonly NamedRule[];
}

/** Shared by calls, so that each name is classified once. */
const rulesOfSettings = memoizeByObject((settings: RedactionSettings): RulesOfSettings => {
  const kindOfKey = createKeyClassifier(settings);
  return { kindOfKey, nameOf: nameReader(kindOfKey), texts: createTextRules(settings) };
});

/** @param secretsOfCaller secrets of one call besides our own; the list must not change */
export function createRules(
  ownSecrets: readonly string[],
  settings: RedactionSettings,
  secretsOfCaller: readonly string[] = [],
): Rules {
  const { kindOfKey, nameOf, texts } = rulesOfSettings(settings);
  const own = ownSecretsRule(ownSecrets, secretsOfCaller);
  const onText = [{ name: "own-secrets", apply: own, seesJson: true } as const, ...texts];
  return {
    kindOfKey,
    nameOf,
    ownSecrets: own,
    onText,
    onJson: onText.filter(({ seesJson }) => seesJson === true),
  };
}
