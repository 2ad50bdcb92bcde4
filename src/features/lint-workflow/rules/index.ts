/** The guide's rules, in its order. */
import type { AuditRule } from "../rule.ts";
import { architectureRules } from "./architecture.ts";
import { atdfRules } from "./atdf.ts";
import { criticalNodesRules } from "./critical-nodes.ts";
import { documentationRules } from "./documentation.ts";
import { errorWorkflowRules } from "./error-workflow.ts";
import { namingRules } from "./naming.ts";
import { outputRules } from "./output.ts";
import { routerRules } from "./router.ts";
import { securityRules } from "./security.ts";
import { tagsRules } from "./tags.ts";
import { traceabilityRules } from "./traceability.ts";
import { validationRules } from "./validation.ts";

export const RULES: readonly AuditRule[] = [
  ...architectureRules,
  ...namingRules,
  ...atdfRules,
  ...outputRules,
  ...validationRules,
  ...criticalNodesRules,
  ...errorWorkflowRules,
  ...routerRules,
  ...securityRules,
  ...traceabilityRules,
  ...tagsRules,
  ...documentationRules,
];
