import type { KindOfKey } from "../../src/redaction/key-rules.ts";
import type { RuleContext } from "../../src/redaction/text-rule.ts";

/** What a rule for texts is given, for rules by themselves: marks say their kind alone, and work is not counted. */
export const contextOfRules = (kindOfKey: KindOfKey): RuleContext => ({
  kindOfKey,
  mark: (kind) => `[REDACTED:${kind}]`,
  holdsSecret: () => false,
  spend: () => {},
  charge: () => {},
});
