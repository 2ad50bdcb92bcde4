/** Rules for successes that are wrong for whoever relies on them, most trustworthy first. */
import type { Rule } from "../../rule.ts";
import { brokenValues } from "./broken-values.ts";
import { reportedFailures } from "./reported-failures.ts";

export const SILENT_RULES: readonly Rule[] = [reportedFailures, brokenValues];
