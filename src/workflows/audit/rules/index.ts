/** The guide's rules, in its order. */
import type { AuditRule } from "../rule.ts";
import { namingToolPrefix } from "./naming-tool-prefix.ts";

export const RULES: readonly AuditRule[] = [namingToolPrefix];
