/** Turns facts into findings for an answer. Sentences are made here and nowhere else. */
import { ANOTHER_WORKFLOW } from "../../../platform/another-workflow.ts";
import { defined } from "../../../platform/defined.ts";
import { quoted } from "../../../platform/display-name.ts";
import {
  type AnyFact,
  type CauseId,
  type Confidence,
  causeOf,
  type Fact,
  type FactOf,
  type FixedFact,
  type VariedKind,
} from "../fact.ts";
import { AGENTS_SENTENCES } from "./agents-sentences.ts";
import { CHAIN_SENTENCES } from "./chain-sentences.ts";
import { CLAUSES } from "./clauses.ts";
import { COMPARED_SENTENCES } from "./compared-sentences.ts";
import { FIXED_CLAUSES, isFixedKind } from "./fixed-clauses.ts";
import { ITEMS_SENTENCES } from "./items-sentences.ts";
import { OUTCOME_SENTENCES } from "./outcome-sentences.ts";
import { REPORTED_SENTENCES } from "./reported-sentences.ts";
import { SENTENCES } from "./sentences.ts";

/** The sentence holds names, types, counts, codes and our own words; payload is only in `value`, `was` and `said`. */
export interface Finding extends Omit<AnyFact, "names" | "isSaidByService" | "root" | "since"> {
  readonly cause: CauseId;
  readonly sentence: string;
  readonly confidence: Confidence;
}

export type WholeSentences = typeof SENTENCES &
  typeof REPORTED_SENTENCES &
  typeof ITEMS_SENTENCES &
  typeof CHAIN_SENTENCES &
  typeof AGENTS_SENTENCES &
  typeof OUTCOME_SENTENCES &
  typeof COMPARED_SENTENCES;

const WHOLE_SENTENCES: WholeSentences = {
  ...SENTENCES,
  ...REPORTED_SENTENCES,
  ...ITEMS_SENTENCES,
  ...CHAIN_SENTENCES,
  ...AGENTS_SENTENCES,
  ...OUTCOME_SENTENCES,
  ...COMPARED_SENTENCES,
};

export function toFinding(fact: Fact): Finding {
  const { node, field, failedNode, executionId, root, confidence = "exact" } = fact;
  const { value = root?.value, was = root?.was, said = root?.said } = fact;
  const { valuePath = root?.valuePath, saidPath = root?.saidPath } = fact;
  return {
    cause: causeOf(fact),
    node,
    sentence: sentenceOf(fact),
    confidence,
    ...defined({ field, failedNode, value, was, said, valuePath, saidPath }),
    ...(executionId === ANOTHER_WORKFLOW ? {} : defined({ executionId })),
  };
}

const sentenceOf = (fact: Fact): string =>
  fact.since === undefined ? ownSentenceOf(fact) : `${ownSentenceOf(fact)} ${sentenceOf(fact.since)}`;

function ownSentenceOf(fact: Fact): string {
  const { failedNode, node, isSaidByService, root, names = [] } = fact;
  const words = wordsOf(fact);
  const unsaid = names.filter((name) => !words.includes(quoted(name)));
  const named = unsaid.length === 0 ? "" : `; its error names ${unsaid.map(quoted).join(" and ")}`;
  const end = `${named}${root === undefined ? "." : `: ${sentenceOf(root)}`}`;
  if (Object.hasOwn(WHOLE_SENTENCES, fact.kind)) return words.replace(/\.$/, () => end);
  const because = isSaidByService === true ? "; its error says: " : " because ";
  return `${quoted(failedNode ?? node ?? "")} failed${because}${words}${end}`;
}

const WORDS: { readonly [One in VariedKind]: (fact: FactOf<One>) => string } = {
  ...CLAUSES,
  ...WHOLE_SENTENCES,
};

const isFixed = (fact: Fact): fact is FixedFact => isFixedKind(fact.kind);

const wordsOf = (fact: Fact): string =>
  isFixed(fact) ? FIXED_CLAUSES[fact.kind] : variedWords(fact.kind, fact);

const variedWords = <One extends VariedKind>(kind: One, fact: FactOf<One>): string => WORDS[kind](fact);
