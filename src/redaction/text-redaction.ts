/**
 * Redacts one text: our own secrets, JSON by its structure, whatever the rules for texts find, and encoded texts in it.
 * Each character is read once on each level of encoding, and again only near a new mark. A text that would take more
 * work than its length allows is withheld as a whole.
 */
import { pattern } from "../platform/pattern.ts";
import { ChangedStretch } from "./changed-stretch.ts";
import type { JsonValue } from "./json-reader.ts";
import { HeldStretches, isWholeValue } from "./json-stretches.ts";
import { type JsonStretch, parseWithLongNumbers, replaceJson } from "./json-text.ts";
import { isMark, type PreviewMarks } from "./marks.ts";
import { canHoldSecret } from "./plain-text.ts";
import { wholePrivateKeys } from "./private-keys.ts";
import type { Rules } from "./rules.ts";
import { type Signs, signsOf } from "./signs.ts";
import type { NamedRule, RuleContext } from "./text-rule.ts";
import { replacePrintedTexts } from "./texts/quoted-text.ts";
import { START_COST, type Work } from "./work.ts";

/** JSON in JSON in base64 in …: each level costs the length of its text again. */
const MAX_NESTING = 4;
/** Usually two rounds: one that finds secrets, and one that finds no more. Crafted texts may need more. */
const MAX_ROUNDS = 5;
const SHORTEST_TEXT = 5;
const LONGEST_REMEMBERED = 1_000;
const MOST_REMEMBERED = 5_000;

/** Within a name or a value, or between them: colours of a terminal (ECMA-48), and characters without a shape. */
const UNSEEN = pattern("gi")`
  \u001b\[[\d;?]{0,40}[A-Za-z]|[\u00ad\u200b\u200e\u200f\u2060-\u2064\ufeff]
  |[\u200c\u200d](?=[\0-\u007f]|$)|&(?:shy|zwn?j|[lr]rm|#173|#820[3-7]);
`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: their first characters
const MAY_BE_UNSEEN = /[&\u001b\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/;
const BLANK_ENTITY = /&(?:nbsp|#160|#xa0);/gi;
const BEGINS_AS_JSON = /^\s{0,1000}["{[]/;
/** Cheaper than a parser error. */
const ENDS_AS_JSON = /["}\]]\s{0,1000}$/;

interface Surroundings {
  readonly work: Work;
  readonly previews: PreviewMarks | undefined;
  /** How many texts enclose the texts redacted here. */
  readonly nesting: number;
  /** Redacts a value found as JSON in a text; undefined if there is nothing to redact in it. */
  readonly redactValue: (value: JsonValue) => JsonValue | undefined;
  /** @param nesting how many texts enclose this one */
  readonly holdsSecret: (text: string, nesting: number) => boolean;
}

export class TextRedaction {
  readonly #rules: Rules;
  readonly #context: RuleContext;
  readonly #around: Surroundings;
  readonly #work: Work;
  /** Texts without secrets, with their nesting. Nodes pass on their input, so texts repeat. */
  readonly #clean = new Map<string, number>();
  #nesting: number;

  constructor(rules: Rules, context: RuleContext, surroundings: Surroundings) {
    this.#rules = rules;
    this.#context = context;
    this.#around = surroundings;
    this.#work = surroundings.work;
    this.#nesting = surroundings.nesting;
  }

  /** The text with marks in place of secrets; the mark `too-complex`, or `withheld` once the answer's limit is reached. */
  text(text: string): string {
    if (text.length < SHORTEST_TEXT) return text;
    if (!MAY_BE_UNSEEN.test(text)) return this.#plainText(text);
    const plain = text.replace(UNSEEN, "");
    const blank = plain.includes("\u00a0") ? "\u202f" : "\u00a0";
    const source = plain.replace(BLANK_ENTITY, blank);
    const redacted = this.#plainText(source);
    if (redacted === source) return text;
    return source === plain ? redacted : redacted.replaceAll(blank, "&nbsp;");
  }

  #plainText(text: string): string {
    const { mark } = this.#context;
    const result = this.#around.previews?.replaceIn(text, mark) ?? text;
    if (isMark(result)) return result;
    if (!canHoldSecret(result)) return this.ofJson(result);
    if (this.#work.isUsedUp) return mark("withheld");
    if (this.#isKnownClean(result)) return result;
    const redacted = this.#work.within(
      result.length,
      () => this.#read(result),
      () => mark("too-complex"),
    );
    const isClean = redacted === result && result.length <= LONGEST_REMEMBERED;
    if (isClean && this.#clean.size < MOST_REMEMBERED) this.#clean.set(result, this.#nesting);
    return redacted;
  }

  /** A number or a short word, as JSON text has it. */
  ofJson(text: string): string {
    return text.length < SHORTEST_TEXT ? text : this.#applyRules(this.#rules.onJson, text);
  }

  /** A text that was clean is also clean deeper inside other texts, where fewer encodings are read. */
  #isKnownClean(text: string): boolean {
    if (text.length > LONGEST_REMEMBERED) return false;
    const nesting = this.#clean.get(text);
    return nesting !== undefined && nesting <= this.#nesting;
  }

  /** Redacts a text by its structure if it is JSON as a whole, otherwise by the rules for texts. */
  #read(text: string): string {
    this.#work.spend(START_COST);
    const own = this.#rules.ownSecrets(text, this.#context);
    if (this.#nesting >= MAX_NESTING || !own.includes('"'))
      return this.#applyRules(this.#rules.onText, own, 1);
    const json = this.#asJson(own);
    if (json === undefined) return this.#readAround(own);
    const result = this.#applyRules(this.#rules.onJson, json);
    // A mark made by these rules may have broken the JSON.
    return result === json ? result : this.#readAround(result);
  }

  /** The text redacted by its structure; undefined if it is not JSON, or its parsed value lacks some of its members. */
  #asJson(text: string): string | undefined {
    if (!BEGINS_AS_JSON.test(text) || !ENDS_AS_JSON.test(text)) return undefined;
    const parsed = parseWithLongNumbers(text);
    if (parsed === undefined) {
      this.#work.spend(START_COST);
      return undefined;
    }
    return this.#redactedJson(parsed.value) ?? (isWholeValue(text, parsed.value) ? text : undefined);
  }

  /** Redacts stretches of JSON by their structure, and the text around them by the rules for texts. */
  #readAround(text: string): string {
    const { onText, onJson } = this.#rules;
    if (this.#nesting >= MAX_NESTING || !text.includes('"')) return this.#applyRules(onText, text);
    const source = wholePrivateKeys(text, this.#context);
    const held = new HeldStretches(source);
    const around = this.#withoutPrintedTexts(this.#withoutJson(source, held));
    if (held.isEmpty) return this.#applyRules(onText, around);
    const context: RuleContext = {
      ...this.#context,
      mark: (kind, secret) => this.#context.mark(kind, secret === undefined ? secret : held.restore(secret)),
    };
    return this.#applyRules(onJson, held.restore(this.#applyRules(onText, around, 0, context)));
  }

  #withoutJson(text: string, held: HeldStretches): string {
    const replace = ({ value, source, isPlain }: JsonStretch): string | undefined => {
      const redacted = this.#redactedJson(value);
      if (!isPlain) return redacted;
      if (redacted !== undefined) return held.hold(redacted) ?? redacted;
      return isWholeValue(source, value) ? held.hold(source) : undefined;
    };
    return replaceJson(text, replace, () => this.#work.spend(START_COST));
  }

  /** Redacts texts printed as JSON (`"line\\nline"`) in their original form, whose lines and quotes reveal secrets. */
  #withoutPrintedTexts(text: string): string {
    return replacePrintedTexts(text, (printed) => {
      this.#work.spend(START_COST);
      const parsed = parseWithLongNumbers(printed);
      return parsed === undefined ? undefined : this.#redactedJson(parsed.value);
    });
  }

  #redactedJson(value: JsonValue): string | undefined {
    this.#nesting += 1;
    try {
      const clean = this.#around.redactValue(value);
      return clean === undefined ? undefined : JSON.stringify(clean);
    } finally {
      this.#nesting -= 1;
    }
  }

  /**
   * Applies rules in order, again and again until none changes anything: once a mark replaces a secret, another secret
   * next to it may be recognized.
   * @param done how many of the first rules have already been applied
   */
  #applyRules(rules: readonly NamedRule[], text: string, done = 0, context = this.#context): string {
    const stretch = new ChangedStretch();
    const reading = 1 / this.#rules.onText.length;
    let part = text;
    let unchanged = done;
    for (let round = 0; round < MAX_ROUNDS && unchanged < rules.length; round += 1) {
      if (round > 0) part = stretch.narrow(part);
      let signs: Signs | undefined;
      for (let index = round === 0 ? done : 0; index < rules.length && unchanged < rules.length; index += 1) {
        const rule = rules[index];
        if (rule === undefined) break;
        this.#work.spend(part.length * reading);
        unchanged += 1;
        if (rule.mayFind !== undefined) {
          signs ??= signsOf(part);
          if (!rule.mayFind(signs)) continue;
        }
        const changed = rule.apply(part, context);
        if (changed === part) continue;
        stretch.addChange(part, changed);
        part = changed;
        signs = undefined;
        unchanged = 0;
      }
    }
    return stretch.whole(part);
  }

  /** Whether a text that was encoded in another contains a secret; false if it is nested too deeply to be read. */
  encodedHoldsSecret(text: string): boolean {
    return this.#nesting < MAX_NESTING && this.#insideHoldsSecret(text);
  }

  #insideHoldsSecret(text: string): boolean {
    this.#work.spend(START_COST);
    return this.#around.holdsSecret(text, this.#nesting + 1);
  }

  /** Whether anything would be redacted in a text; true if finding out takes too much work. */
  holdsSecret(text: string): boolean {
    if (this.#work.isUsedUp) return true;
    return this.#work.within(
      text.length,
      () => this.#insideHoldsSecret(text),
      () => true,
    );
  }
}
