/**
 * Redacts one text: our own secrets, JSON in it by its structure, what the rules for texts find, and what is
 * encoded in it. Time grows with the length of the text and no faster.
 */
import { decodeBase64, decodePercent } from "./encodings.ts";
import { parseJson, replaceJson } from "./json-text.ts";
import type { JsonValue } from "./json-value.ts";
import { isMark, type PreviewMarks } from "./marks.ts";
import type { Rules } from "./rules.ts";
import type { RuleContext } from "./text-rule.ts";

/** JSON in JSON in base64 in …: each level costs the length of its text once more. */
const MAX_NESTING = 4;
/** One that finds, and one that finds nothing more; text that was made for it may need another. */
const MAX_ROUNDS = 5;

const BASE64_RUN = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16}[A-Za-z0-9+/_-]*={0,2}/g;

/** RFC 3986 section 2.1, between the delimiters of a URL; a plus may be a space. */
const ENCODED_RUN = /[^\s"'<>&#=?\\%]{0,1000}%[0-9A-Fa-f]{2}[^\s"'<>&#=?\\]*/g;

/** No secret is shorter that a rule could tell in a text. */
const SHORTEST_TEXT = 5;

/** What redacts the values around this text, and those inside it. */
export interface Surroundings {
  /** Of a value that stood in the text as JSON; undefined when there is nothing to redact in it. */
  redactValue(value: JsonValue): JsonValue | undefined;
  /** @param nesting how many texts lie around this one */
  holdsSecret(text: string, nesting: number): boolean;
}

export class TextRedaction {
  readonly #rules: Rules;
  readonly #context: RuleContext;
  readonly #surroundings: Surroundings;
  readonly #previews: PreviewMarks | undefined;
  #nesting: number;

  constructor(
    rules: Rules,
    context: RuleContext,
    surroundings: Surroundings,
    previews: PreviewMarks | undefined,
    nesting: number,
  ) {
    this.#rules = rules;
    this.#context = context;
    this.#surroundings = surroundings;
    this.#previews = previews;
    this.#nesting = nesting;
  }

  /** A mark may lay bare what stood too close to the secret before it: again, until nothing is left to mark. */
  text(text: string): string {
    if (text.length < SHORTEST_TEXT) return text;
    let result = this.#previews?.replaceIn(text, this.#context.mark) ?? text;
    if (isMark(result)) return result;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const structured = this.#structuresIn(result);
      result = this.#formsIn(structured);
      if (result === structured) break;
    }
    return result;
  }

  /** Our own secrets, and what JSON tells by its structure. */
  #structuresIn(text: string): string {
    const result = this.#rules.ownSecrets(text, this.#context);
    return this.#nesting < MAX_NESTING ? this.#json(result) : result;
  }

  /** What the text itself tells, and the texts encoded in it. */
  #formsIn(text: string): string {
    let result = text;
    for (const rule of this.#rules.text) result = rule(result, this.#context);
    if (this.#nesting >= MAX_NESTING || result.length < 16) return result;
    return this.#base64(result.includes("%") ? this.#percentEncoded(result) : result);
  }

  #percentEncoded(text: string): string {
    return text.replace(ENCODED_RUN, (run) => {
      const decoded = decodePercent(run);
      return decoded !== undefined && this.holdsSecret(decoded)
        ? this.#context.mark("url-encoded", decoded)
        : run;
    });
  }

  #json(text: string): string {
    if (!text.includes('"')) return text;
    const redacted = (value: JsonValue): string | undefined => {
      this.#nesting += 1;
      const clean = this.#surroundings.redactValue(value);
      this.#nesting -= 1;
      return clean === undefined ? undefined : JSON.stringify(clean);
    };
    const whole = /^\s{0,1000}["{[]/.test(text) ? parseJson(text) : undefined;
    return whole === undefined ? replaceJson(text, redacted) : (redacted(whole.value) ?? text);
  }

  /** A run may be a path with base64 as one of its segments. */
  #base64(text: string): string {
    return text.replace(BASE64_RUN, (run) => {
      if (!run.includes("/") || decodeBase64(run) !== undefined) return this.#base64Run(run);
      return run.replace(/[^/]{16}[^/]*/g, (segment) => this.#base64Run(segment));
    });
  }

  #base64Run(run: string): string {
    const decoded = decodeBase64(run);
    return decoded !== undefined && this.holdsSecret(decoded) ? this.#context.mark("base64", decoded) : run;
  }

  /** Whether a text that was encoded in another holds what would be redacted. */
  holdsSecret(text: string): boolean {
    return this.#surroundings.holdsSecret(text, this.#nesting + 1);
  }
}
