import type { KindOfKey } from "../../src/redaction/key-rules.ts";
import type { RuleContext } from "../../src/redaction/text-rule.ts";

/** The context for running text rules alone: marks have no number, and work is not counted. */
export const contextOfRules = (kindOfKey: KindOfKey): RuleContext => ({
  kindOfKey,
  mark: (kind) => `[REDACTED:${kind}]`,
  holdsSecret: () => false,
  spend: () => {},
  charge: () => {},
});
