/**
 * The terms of one execution, which a search over all history can query: each value up to a maximum length, its pairs
 * with the last names of its path, and the words of texts.
 *
 * Pass only redacted data, or a filter that says "perhaps" would confirm a guess. Marks and adjacent words have no
 * term.
 */
import { MARKS } from "../../redaction/marks.ts";
import { MAX_NESTED_JSON, parseContainer } from "../payload/json-scalars.ts";
import { type FilterContents, TermSet, writeFilter } from "./term-filter.ts";
import { type Name, Names, type TermHasher } from "./term-hasher.ts";
import { eachWord } from "./words.ts";

/** UTF-16 units of a value or word. Longer ones have no term. */
export const MAX_TERM = 128;
/** A single letter occurs in every text. */
export const MIN_WORD = 2;

const BEGINS_MARK = "[REDACTED:";
/** Cheaper than the parser's exception, which most texts in brackets would cause. */
const mayBeContainer = (text: string): boolean => /^\s*[[{]/.test(text) && /[}\]]$/.test(text.trimEnd());

/** The last two names of a value's path, ignoring positions in lists. */
interface Place {
  readonly last: Name | null;
  readonly before: Name | null;
  /** How many JSON texts enclose it. */
  readonly nested: number;
}

interface Open extends Place {
  readonly value: object;
}

/** Makes the terms of executions. It caches member names. */
export class TermMaker {
  readonly hasher: TermHasher;
  readonly names: Names;

  constructor(hasher: TermHasher) {
    this.hasher = hasher;
    this.names = new Names(hasher);
  }

  begin(): ExecutionTerms {
    return new ExecutionTerms(this);
  }
}

export class ExecutionTerms {
  readonly #hasher: TermHasher;
  readonly #names: Names;
  readonly #terms = new TermSet();
  #hasCutWords = false;

  constructor({ hasher, names }: TermMaker) {
    this.#hasher = hasher;
    this.#names = names;
  }

  /** True once there can be no filter, so that adding more is useless. */
  get isFull(): boolean {
    return this.#terms.isFull;
  }

  /** @param value redacted JSON, wrapped in the keys of its path */
  add(value: unknown): void {
    const open: Open[] = [];
    this.#see(value, { last: null, before: null, nested: 0 }, open);
    for (let next = open.pop(); next !== undefined && !this.isFull; next = open.pop())
      this.#seeMembers(next, open);
  }

  /** @param size whether part of it was too large to have terms, and whether all of it is too large to be searched */
  filter(size: Pick<FilterContents, "isPartial" | "isTooLarge">): Uint8Array {
    return writeFilter({
      terms: this.#terms,
      count: this.#terms.count,
      hasCutWords: this.#hasCutWords,
      ...size,
    });
  }

  #seeMembers({ value, last, before, nested }: Open, open: Open[]): void {
    if (Array.isArray(value)) {
      const place = { last, before, nested };
      for (const item of value) this.#see(item, place, open);
    } else {
      for (const key of Object.keys(value))
        this.#see(Reflect.get(value, key), { last: this.#names.of(key), before: last, nested }, open);
    }
  }

  #see(value: unknown, place: Place, open: Open[]): void {
    if (typeof value === "string") this.#text(value, place, open);
    else if (typeof value === "number") this.#value(String(value), place);
    else if (typeof value === "object" && value !== null) open.push({ value, ...place });
  }

  #text(text: string, place: Place, open: Open[]): void {
    if (text.includes(BEGINS_MARK) && text.search(MARKS) !== -1) this.#wordsBesideMarks(text);
    else this.#value(text, place);
    if (place.nested === MAX_NESTED_JSON || !mayBeContainer(text)) return;
    this.#see(parseContainer(text), { ...place, nested: place.nested + 1 }, open);
  }

  #value(text: string, { last, before }: Place): void {
    const isWhole = text.length <= MAX_TERM;
    if (isWhole && text !== "") {
      this.#hasher.text(text);
      this.#terms.add(this.#hasher);
      if (last !== null) this.#pairs(last, before);
    }
    eachWord(text, 0, text.length, (from, to) => {
      if (!(isWhole && to - from === text.length)) this.#word(text, from, to);
    });
  }

  /** The value must have been hashed last. */
  #pairs(last: Name, before: Name | null): void {
    const value = this.#hasher.term;
    this.#hasher.pair(value, last.term);
    this.#terms.add(this.#hasher);
    if (before === null) return;
    this.#hasher.pair(value, this.#names.below(before, last));
    this.#terms.add(this.#hasher);
  }

  #wordsBesideMarks(text: string): void {
    let from = 0;
    for (const { index, 0: mark } of text.matchAll(MARKS)) {
      this.#wordsOf(text, from, index);
      from = index + mark.length;
    }
    this.#wordsOf(text, from, text.length);
  }

  #wordsOf(text: string, from: number, to: number): void {
    eachWord(text, from, to, (begin, end) => {
      const isCut = (begin === from && from > 0) || (end === to && to < text.length);
      if (isCut) this.#hasCutWords = true;
      else this.#word(text, begin, end);
    });
  }

  #word(text: string, from: number, to: number): void {
    if (to - from < MIN_WORD || to - from > MAX_TERM) return;
    this.#hasher.text(text, from, to);
    this.#terms.add(this.#hasher);
  }
}
