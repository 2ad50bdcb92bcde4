/** Rules for successes that are wrong for whoever relies on them, most trustworthy first. */
import type { Rule } from "../../rule.ts";
import { addedTexts } from "./added-texts.ts";
import { noCategory, notExtracted } from "./agents-chains.ts";
import { sharedMemory } from "./agents-memory.ts";
import { emptyAnswer, emptyAnswers, inventedArguments, sameCalls, toolsNotCalled } from "./agents-tools.ts";
import { brokenValues } from "./broken-values.ts";
import { changedValues } from "./changed-values.ts";
import { DECISION_RULES } from "./decisions-compared.ts";
import { filesUnlikeBefore } from "./files-unlike-before.ts";
import { DROPPED_RULES } from "./items-dropped.ts";
import { FIRST_RULES } from "./items-first.ts";
import { MIXED_RULES } from "./items-mixed.ts";
import { REPEATED_RULES } from "./items-repeated.ts";
import { MISTAKEN_RULES } from "./mistaken-types.ts";
import { reportedFailures } from "./reported-failures.ts";
import { UNLIKE_BEFORE_RULES } from "./unlike-before.ts";
import { WRITE_RULES } from "./writes.ts";

export const SILENT_RULES: readonly Rule[] = [
  emptyAnswers,
  emptyAnswer,
  sharedMemory,
  noCategory,
  notExtracted,
  toolsNotCalled,
  sameCalls,
  inventedArguments,
  ...UNLIKE_BEFORE_RULES,
  filesUnlikeBefore,
  reportedFailures,
  brokenValues,
  ...MISTAKEN_RULES,
  addedTexts,
  ...MIXED_RULES,
  ...FIRST_RULES,
  ...WRITE_RULES,
  ...DROPPED_RULES,
  ...REPEATED_RULES,
  ...DECISION_RULES,
  changedValues,
];
