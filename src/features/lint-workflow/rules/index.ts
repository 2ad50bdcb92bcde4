/** The guide's rules, in its order. */
import type { AuditRule } from "../rule.ts";
import { architectureRules } from "./architecture.ts";
import { atdfRules } from "./atdf.ts";
import { failureRules } from "./failures.ts";
import { namingRules } from "./naming.ts";
import { outputRules } from "./output.ts";
import { routerRules } from "./router.ts";
import { securityRules } from "./security.ts";
import { traceabilityRules } from "./traceability.ts";

export const RULES: readonly AuditRule[] = [
  ...architectureRules,
  ...namingRules,
  ...atdfRules,
  ...outputRules,
  ...failureRules,
  ...routerRules,
  ...securityRules,
  ...traceabilityRules,
];
