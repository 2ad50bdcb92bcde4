/** What is found out about one text before any rule reads it; what is dear, once and only when it is asked for. */
import type { MayNameSecret } from "../names/names-in-texts.ts";
import { hasAny, type Signs, signsOf } from "../signs.ts";

export class TextLook {
  readonly text: string;
  readonly signs: Signs;
  readonly #mayName: MayNameSecret;
  #named: boolean | undefined;

  constructor(text: string, mayName: MayNameSecret) {
    this.text = text;
    this.signs = signsOf(text);
    this.#mayName = mayName;
  }

  /** Whether a part of it could be the name of a secret. */
  get mayName(): boolean {
    this.#named ??= this.#mayName(this.text, this.signs);
    return this.#named;
  }

  has(signs: number): boolean {
    return hasAny(this.signs, signs);
  }

  includes(...parts: readonly string[]): boolean {
    return parts.some((part) => this.text.includes(part));
  }
}
