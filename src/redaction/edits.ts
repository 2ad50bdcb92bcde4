/** The changes a rule makes to a text: it replaces stretches, in ascending order. */
import { credentialIn } from "./credential-values.ts";
import type { RuleContext } from "./text-rule.ts";

export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export class Edits {
  readonly #text: string;
  #result = "";
  #done = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get done(): number {
    return this.#done;
  }

  /** Ignores a stretch that begins inside the previous one. */
  replace(from: number, to: number, replacement: string): void {
    if (from < this.#done) return;
    this.#result += this.#text.slice(this.#done, from) + replacement;
    this.#done = to;
  }

  result(): string {
    return this.#done === 0 ? this.#text : this.#result + this.#text.slice(this.#done);
  }
}

/** Base class for rules that walk through a text. */
export abstract class TextReader {
  protected readonly text: string;
  protected readonly context: RuleContext;
  protected readonly edits: Edits;

  constructor(text: string, context: RuleContext) {
    this.text = text;
    this.context = context;
    this.edits = new Edits(text);
  }

  protected isSecretName(name: string): boolean {
    return this.context.kindOfKey(name) === "secret";
  }

  protected take({ from, to }: Stretch): void {
    const { kind, secret } = credentialIn(this.text.slice(from, to));
    this.edits.replace(from, to, this.context.mark(kind, secret));
  }
}
