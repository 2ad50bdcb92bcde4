/** Replaces stretches of a text, found from its beginning to its end. */
export class Edits {
  readonly #text: string;
  #result = "";
  #done = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the last replaced stretch ends. */
  get done(): number {
    return this.#done;
  }

  /** A stretch that begins before the end of the last one is left: it has been taken. */
  replace(from: number, to: number, by: string): void {
    if (from < this.#done) return;
    this.#result += this.#text.slice(this.#done, from) + by;
    this.#done = to;
  }

  result(): string {
    return this.#done === 0 ? this.#text : this.#result + this.#text.slice(this.#done);
  }
}
