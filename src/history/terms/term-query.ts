/**
 * Checks a search against term filters. It never rules out an execution in which the search would find a hit, if the
 * terms were made from the data that the search reads; the remaining executions have to be read.
 */
import { spellingsOf, withoutPositions } from "../../json/path-text.ts";
import { MARKS } from "../../redaction/marks.ts";
import { KEYWORDS, type SearchedFor } from "../payload/search-target.ts";
import { MAX_TERM, MIN_WORD, type TermMaker } from "./execution-terms.ts";
import type { TermFilter } from "./term-filter.ts";
import type { Term } from "./term-hasher.ts";
import { eachWord } from "./words.ts";

export interface TermQuery {
  candidates(filter: TermFilter): boolean;
}

export interface Unanswerable {
  readonly unanswerable: string;
}

const PART_OF_WORD: Unanswerable = {
  unanswerable: "the text may be part of a word, and the index knows only whole words",
};
const NO_WORD: Unanswerable = {
  unanswerable: `it contains no word of ${MIN_WORD} to ${MAX_TERM} characters`,
};
const NO_VALUE: Unanswerable = { unanswerable: "the index does not know empty values" };
const NO_KEYWORD: Unanswerable = { unanswerable: "the index does not know true, false and null" };

/** Paths with more parts are not split: that would cost more than it rules out. */
const MAX_PARTS = 12;

/** Text inside a mark is never found. */
const NEVER: TermQuery = { candidates: () => false };

/** An unpaired surrogate may be half a character. */
const BROKEN = /\p{Cs}/u;

/** All terms must be there. @param areBesideMarks whether they may occur next to marks, where words have no term */
const allTerms = (terms: readonly Term[], areBesideMarks: boolean): TermQuery => ({
  candidates(filter) {
    if (filter.isTooLarge && !filter.isConclusive) return false;
    if (!filter.isConclusive || (areBesideMarks && filter.hasCutWords)) return true;
    for (const term of terms) if (!filter.mayHold(term)) return false;
    return true;
  },
});

export function createTermQuery(question: SearchedFor, maker: TermMaker): TermQuery | Unanswerable {
  if ("path" in question) return queryOfValue(question.path, question.value, maker);
  const text = "text" in question ? question.text : question.words;
  if (text.search(MARKS) !== -1) return NEVER;
  const terms = BROKEN.test(text) ? [] : wordTerms(text, certaintyOf(question, text), maker);
  if (terms.length > 0) return allTerms(terms, true);
  return "text" in question && text.length >= MIN_WORD ? PART_OF_WORD : NO_WORD;
}

/** Whether a word of the query is a whole word wherever the text occurs. */
type IsCertain = (from: number, to: number, isPart: boolean) => boolean;

const HAS_JOINT = /[_-]/;

function certaintyOf(question: SearchedFor, text: string): IsCertain {
  const isInside = (from: number, to: number): boolean => from > 0 && to < text.length;
  // Adjacent text may join words, but does not turn them into parts.
  if ("words" in question)
    return (from, to, isPart) => isPart || isInside(from, to) || !HAS_JOINT.test(text.slice(from, to));
  return isInside;
}

function wordTerms(text: string, isCertain: IsCertain, { hasher }: TermMaker): Term[] {
  const terms: Term[] = [];
  eachWord(text, 0, text.length, (from, to, isPart) => {
    if (to - from < MIN_WORD || to - from > MAX_TERM || !isCertain(from, to, isPart)) return;
    hasher.text(text, from, to);
    terms.push(hasher.term);
  });
  return terms;
}

function queryOfValue(path: string, value: string, maker: TermMaker): TermQuery | Unanswerable {
  if (value === "") return NO_VALUE;
  if (KEYWORDS.has(value)) return NO_KEYWORD;
  if (value.search(MARKS) !== -1) return NEVER;
  if (value.length <= MAX_TERM) {
    maker.hasher.text(value);
    const whole = allTerms([maker.hasher.term], false);
    const spellings = spellingsOf(path).map(withoutPositions);
    if (spellings.some((spelling) => spelling.split(".").length > MAX_PARTS)) return whole;
    const pairs = [...new Set(spellings)]
      .flatMap((spelling) => [...lastKeysOf(spelling)])
      .map(([last, before]) => allTerms(pairTerms(last, before, value, maker), false));
    return {
      candidates: (filter) => whole.candidates(filter) && pairs.some((pair) => pair.candidates(filter)),
    };
  }
  const terms = wordTerms(value, () => true, maker);
  return terms.length > 0 ? allTerms(terms, false) : NO_WORD;
}

/** The last key of a path and the one before it, if any, for each way to split it: a key may itself contain dots. */
function* lastKeysOf(path: string): Generator<readonly [last: string, before?: string]> {
  const parts = path.split(".");
  for (const from of parts.keys()) {
    const last = parts.slice(from).join(".");
    if (from === 0) yield [last];
    for (let start = from - 1; start >= 0; start -= 1) yield [last, parts.slice(start, from).join(".")];
  }
}

/** The terms of the value and of its pairs with the last keys of the path. */
function pairTerms(
  last: string,
  before: string | undefined,
  value: string,
  { hasher, names }: TermMaker,
): Term[] {
  hasher.text(value);
  const whole = hasher.term;
  const lastName = names.of(last);
  hasher.pair(whole, lastName.term);
  const atLast = hasher.term;
  if (before === undefined) return [whole, atLast];
  hasher.pair(whole, names.below(names.of(before), lastName));
  return [whole, atLast, hasher.term];
}
