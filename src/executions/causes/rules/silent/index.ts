/** Rules for successes that are wrong for whoever relies on them, most trustworthy first. */
import type { Rule } from "../../rule.ts";

export const SILENT_RULES: readonly Rule[] = [];
