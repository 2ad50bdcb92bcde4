/**
 * A text of JSON that was redacted before it was printed, and pages of it. The way out lets it pass as it is: the
 * rules for texts would take structure that is shown on purpose for secrets, and would see each page differently.
 * Only the redactor makes one.
 */
import type { JsonValue } from "./json-reader.ts";

export class PrintedJson {
  readonly text: string;

  static of(clean: JsonValue): PrintedJson {
    return new PrintedJson(`${JSON.stringify(clean, null, 2)}\n`);
  }

  private constructor(text: string) {
    this.text = text;
  }

  slice(from: number, to: number): PrintedJson {
    return new PrintedJson(this.text.slice(from, to));
  }
}
