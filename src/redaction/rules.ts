/** All rules of one redactor: names, identities and texts, including what the settings add. */
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

export function createRules(ownSecrets: readonly string[], settings: RedactionSettings): Rules {
  const kindOfKey = createKeyClassifier(settings);
  const own = ownSecretsRule(ownSecrets);
  const onText = [{ name: "own-secrets", apply: own, seesJson: true } as const, ...createTextRules(settings)];
  return {
    kindOfKey,
    nameOf: nameReader(kindOfKey),
    ownSecrets: own,
    onText,
    onJson: onText.filter(({ seesJson }) => seesJson === true),
  };
}
