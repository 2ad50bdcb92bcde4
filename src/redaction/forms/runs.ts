/**
 * Runs of characters of one alphabet in a text. The end of a run is found once, however many candidates
 * it contains, so that a text made of prefixes costs no more than its length for each alphabet.
 */
import { alphabetCount, isIn, numberOfAlphabet } from "./alphabets.ts";
import { isEscapedSolidus } from "./boundaries.ts";

const SOLIDUS = 47;
const HOLDS_SOLIDUS = Array.from({ length: alphabetCount }, (_, alphabet) => isIn(SOLIDUS, alphabet));
const WORD = numberOfAlphabet("w");

const BESIDE_WINDOW = 80;
const LONGEST_WORD = 20;

export class Runs {
  readonly text: string;
  /** Characters read, for tests: time grows with them. */
  steps = 0;
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #searched = new Map<readonly string[], { to: number; found: number }>();

  constructor(text: string) {
    this.text = text;
  }

  /** Where the run that contains this place ends; the place itself if it is in no run. */
  endOf(alphabet: number, at: number): number {
    const known = this.#to[alphabet] ?? -1;
    if (at <= known && at >= (this.#from[alphabet] ?? 0)) return known;
    const end = this.#findEnd(alphabet, at);
    this.#from[alphabet] = at;
    this.#to[alphabet] = end;
    return end;
  }

  #findEnd(alphabet: number, from: number): number {
    const { text } = this;
    const holdsSolidus = HOLDS_SOLIDUS[alphabet] === true;
    let at = from;
    while (at < text.length) {
      if (isIn(text.charCodeAt(at), alphabet)) at += 1;
      else if (holdsSolidus && isEscapedSolidus(text, at)) at += 2;
      else break;
    }
    this.steps += at - from + 1;
    return at;
  }

  countBefore(alphabet: number, at: number, most: number): number {
    let count = 0;
    while (count < most && count < at && isIn(this.text.charCodeAt(at - count - 1), alphabet)) count += 1;
    this.steps += count + 1;
    return count;
  }

  /** Whether one of these lower-case words occurs shortly before a place. Call with places in ascending order. */
  isBeside(words: readonly string[], at: number): boolean {
    if (words.length === 0) return true;
    const searched = this.#searched.get(words) ?? { to: 0, found: -1 };
    const from = Math.max(0, at - BESIDE_WINDOW, Math.min(at, searched.to) - LONGEST_WORD);
    const text = this.text.slice(from, at).toLowerCase();
    this.steps += text.length;
    for (const word of words) {
      const index = text.lastIndexOf(word);
      if (index >= 0) searched.found = Math.max(searched.found, from + index);
    }
    searched.to = at;
    this.#searched.set(words, searched);
    return searched.found >= 0 && searched.found >= at - BESIDE_WINDOW;
  }

  endOfWord(at: number): number {
    return this.endOf(WORD, at);
  }
}
