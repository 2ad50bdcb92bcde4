/**
 * JSON that was redacted before it was printed, and pages of its text. Answers show it unchanged: the rules for texts
 * would redact structure that is shown on purpose, and differently on each page. Only the redactor can make one.
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
