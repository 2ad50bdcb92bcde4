/**
 * Limits the work of redaction, which depends on texts that strangers wrote. Counted in characters read once by all rules,
 * since a Worker's clock stands still while it computes.
 *
 * Two limits: one for each text, in proportion to its length, and one for all texts of an answer.
 */

/** Thrown through a text whose limit is reached, and caught where that text began. */
class TooMuchWork extends Error {}

/** Work allowed per character of a text: the text is read, and so is anything encoded in it. */
const READINGS = 3;
/** Fixed allowance per text: short texts in many layers are not an attack. */
const ALLOWANCE = 20_000;
export const BEGINNING = 60;
export const VISIT = 4;

/** Limit for all texts of an answer, in characters: everything a reader keeps of an execution (6 MB), read twice. */
const MAX_ANSWER_WORK = 12_000_000;

export class Work {
  #spent = 0;
  #textEnds: number | undefined;

  get spent(): number {
    return this.#spent;
  }

  /** No further text may start; the one being read may finish. */
  get isUsedUp(): boolean {
    return this.#textEnds === undefined && this.#spent >= MAX_ANSWER_WORK;
  }

  /** A rule that reads parts of a text more than once reports how many characters it reread. */
  readonly spend = (characters: number): void => {
    this.#spent += characters;
    if (this.#textEnds !== undefined && this.#spent > this.#textEnds) throw new TooMuchWork();
  };

  /** Work that is slow for every text: counts only against the answer. */
  readonly charge = (characters: number): void => {
    this.#spent += characters;
    if (this.#textEnds !== undefined) this.#textEnds += characters;
  };

  /** Runs what redacts a text of this length; or `tooMuch` if the limit is exceeded. Nested texts share its limit. */
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
