/**
 * Limits the work of redaction, since strangers write the texts. Work is counted in characters read once by all rules,
 * because a Worker's clock stands still while it computes.
 *
 * Two limits: one for each text, in proportion to its length, and one for all texts of an answer.
 */

/** Thrown through a text whose limit is reached, and caught where that text began. */
class TooMuchWork extends Error {}

/** Work allowed per character of a text, for reading it and anything encoded in it. */
const READINGS = 3;
/** Fixed allowance per text: short texts in many layers are not an attack. */
const ALLOWANCE = 20_000;
/** The cost of starting on a text, and of visiting a value, whatever its length. */
export const START_COST = 60;
export const VISIT_COST = 4;

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

  /** Runs the redaction of a text of this length, and `tooMuch` if it exceeds the limit. Nested texts share the limit. */
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
