/**
 * How much work redaction may take, counted in characters that were read by all rules once: the clock of a Worker
 * stands still while it works, and a text that strangers wrote decides how much there is to do.
 *
 * Two limits: one for each text, in proportion to its length, and one for all texts of an answer.
 */

/** Thrown through a text whose limit is reached, and caught where that text began. */
class TooMuchWork extends Error {}

/** What a text may cost for each of its characters: it is read, and what is encoded in it is read too. */
const READINGS = 3;
/** And for being there: short texts in many layers are nobody's attack. */
const ALLOWANCE = 20_000;
export const BEGINNING = 60;
export const VISIT = 4;

/** Of an answer: all that a reader keeps of an execution (6 MB), read twice. */
const MAX_ANSWER_WORK = 12_000_000;

export class Work {
  readonly #most: number;
  #spent = 0;
  #textEnds: number | undefined;

  /** @param most of all texts together, in characters */
  constructor(most = MAX_ANSWER_WORK) {
    this.#most = most;
  }

  get spent(): number {
    return this.#spent;
  }

  /** No further text may begin; the one that is being read may come to its end. */
  get isUsedUp(): boolean {
    return this.#textEnds === undefined && this.#spent >= this.#most;
  }

  /** A rule that looks at parts of a text more than once tells how many characters that were. */
  readonly spend = (characters: number): void => {
    this.#spent += characters;
    if (this.#textEnds !== undefined && this.#spent > this.#textEnds) throw new TooMuchWork();
  };

  /** Work that no text can help: it counts for the answer alone. */
  readonly charge = (characters: number): void => {
    this.#spent += characters;
    if (this.#textEnds !== undefined) this.#textEnds += characters;
  };

  /** Runs what redacts a text of this length; `tooMuch` in its place when that takes too much. Texts in it are part of it. */
  within<Result>(length: number, run: () => Result, tooMuch: () => Result): Result {
    if (this.#textEnds !== undefined) return run();
    this.#textEnds = this.#spent + READINGS * length + ALLOWANCE;
    try {
      return run();
    } catch (error) {
      if (error instanceof TooMuchWork) return tooMuch();
      throw error;
    } finally {
      this.#textEnds = undefined;
    }
  }
}
