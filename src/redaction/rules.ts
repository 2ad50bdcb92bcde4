/** All that one redactor goes by: names, identities and texts, with what the settings add. */
import { createKeyClassifier, type KeyKind, type KeySettings } from "./key-rules.ts";
import { ownSecretsRule } from "./own-secrets.ts";
import type { NamedRule, TextRule } from "./text-rule.ts";
import { createTextRules, type TextSettings } from "./text-rules.ts";

/** What an operator may add to the baseline, which nothing switches off. */
export interface RedactionSettings extends KeySettings, TextSettings {}

export interface Rules {
  readonly kindOfKey: (key: string) => KeyKind;
  readonly ownSecrets: TextRule;
  readonly text: readonly NamedRule[];
}

export function createRules(ownSecrets: readonly string[], settings: RedactionSettings): Rules {
  return {
    kindOfKey: createKeyClassifier(settings),
    ownSecrets: ownSecretsRule(ownSecrets),
    text: createTextRules(settings),
  };
}
