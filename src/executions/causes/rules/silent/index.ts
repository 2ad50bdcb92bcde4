/** Rules for successes that are wrong for whoever relies on them, most trustworthy first. */
import type { Rule } from "../../rule.ts";
import { noCategory, notExtracted } from "./agents-chains.ts";
import { sharedMemory } from "./agents-memory.ts";
import { emptyAnswers, toolsNotCalled } from "./agents-tools.ts";

export const SILENT_RULES: readonly Rule[] = [
  ...[emptyAnswers, sharedMemory, noCategory, notExtracted, toolsNotCalled],
];
