/**
 * Runs of characters of one alphabet in a text. The end of a run is found once, however many candidates
 * stand in it: so that a text made of prefixes costs no more than its length for each alphabet.
 */
import { alphabetCount, isIn, numberOfAlphabet } from "./alphabets.ts";
import { isEscapedSolidus } from "./boundaries.ts";

const SOLIDUS = 47;
const HOLDS_SOLIDUS = Array.from({ length: alphabetCount }, (_, alphabet) => isIn(SOLIDUS, alphabet));
const WORD = numberOfAlphabet("w");

/** The last run found of each alphabet, of the text that they belong to: most texts ask for none. */
const FROM = new Int32Array(alphabetCount);
const TO = new Int32Array(alphabetCount);
let owner = 0;
let made = 0;

export class Runs {
  readonly text: string;
  /** Characters looked at, for tests: time grows with them. */
  steps = 0;
  /** Where the last character stood that may begin an escape, for the one who reads from the beginning. */
  lastEscape = -1_000;
  readonly #number: number;

  constructor(text: string) {
    this.text = text;
    made += 1;
    this.#number = made;
  }

  /** Where the run that holds this place ends; the place itself when it is in none. */
  endOf(alphabet: number, at: number): number {
    if (owner !== this.#number) this.#own();
    const known = TO[alphabet] ?? -1;
    if (at <= known && at >= (FROM[alphabet] ?? 0)) return known;
    const end = this.#findEnd(alphabet, at);
    FROM[alphabet] = at;
    TO[alphabet] = end;
    return end;
  }

  /** What was found in another text counts no more. */
  #own(): void {
    owner = this.#number;
    TO.fill(-1);
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

  /** How many characters of the alphabet stand before a place, at most so many. */
  countBefore(alphabet: number, at: number, most: number): number {
    let count = 0;
    while (count < most && count < at && isIn(this.text.charCodeAt(at - count - 1), alphabet)) count += 1;
    this.steps += count + 1;
    return count;
  }

  endOfWord(at: number): number {
    return this.endOf(WORD, at);
  }
}
