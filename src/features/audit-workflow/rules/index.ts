/** The sets of rules: those of the guide in its order, and what changes with n8n 3.0. */
import type { AuditRule } from "../rule.ts";
import { architectureRules } from "./architecture.ts";
import { atdfRules } from "./atdf.ts";
import { failureRules } from "./failures.ts";
import { n8n3Rules } from "./n8n-3.ts";
import { namingRules } from "./naming.ts";
import { outputRules } from "./output.ts";
import { routerRules } from "./router.ts";
import { securityRules } from "./security.ts";
import { traceabilityRules } from "./traceability.ts";

export const GUIDE_RULES: readonly AuditRule[] = [
  ...architectureRules,
  ...namingRules,
  ...atdfRules,
  ...outputRules,
  ...failureRules,
  ...routerRules,
  ...securityRules,
  ...traceabilityRules,
];

export const RULE_SETS = { guide: GUIDE_RULES, "n8n-3": n8n3Rules } as const;
export type RuleSet = keyof typeof RULE_SETS;

export const RULES: readonly AuditRule[] = Object.values(RULE_SETS).flat();
