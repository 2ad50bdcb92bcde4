/** Texts that were seen last: those that are asked for again stay, and there is a bound for those that are not. */
export class RecentTexts {
  readonly #most: number;
  #characters = 0;
  #recent = new Set<string>();
  #older = new Set<string>();

  /** @param most characters that are kept in all; up to twice as many for a while */
  constructor(most: number) {
    this.#most = most;
  }

  has(text: string): boolean {
    if (this.#recent.has(text)) return true;
    if (!this.#older.has(text)) return false;
    this.add(text);
    return true;
  }

  add(text: string): void {
    if (this.#characters >= this.#most) {
      this.#older = this.#recent;
      this.#recent = new Set();
      this.#characters = 0;
    }
    this.#recent.add(text);
    this.#characters += text.length;
  }
}
