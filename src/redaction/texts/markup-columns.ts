/** Which column of an HTML table a text stands in, and whether the first row named it a secret. */
import type { KeyKind } from "../key-rules.ts";

const MAX_COLUMNS = 100;

export class ColumnNames {
  readonly #kindOfKey: (key: string) => KeyKind;
  readonly #secret = new Set<number>();
  #row = 0;
  #column = -1;

  constructor(kindOfKey: (key: string) => KeyKind) {
    this.#kindOfKey = kindOfKey;
  }

  tag(name: string, isClosing: boolean): void {
    if (name.length > 5) return;
    const element = name.toLowerCase();
    if (element === "table") {
      this.#row = 0;
      this.#column = -1;
      this.#secret.clear();
    } else if (element === "tr" && !isClosing) {
      this.#row += 1;
      this.#column = -1;
    } else if ((element === "td" || element === "th") && !isClosing) this.#column += 1;
  }

  /** A text of the first row names its column. */
  text(label: string): void {
    const isNamed = this.#row === 1 && this.#column >= 0 && this.#column < MAX_COLUMNS;
    if (isNamed && this.#kindOfKey(label) === "secret") this.#secret.add(this.#column);
  }

  /** Whether the text at hand stands below such a name. */
  isSecret(): boolean {
    return this.#row > 1 && this.#secret.has(this.#column);
  }
}
