/**
 * Tells of a text whether redaction would leave it as it is, for a fraction of what redacting it costs: rules that
 * could find something are asked, and the others are not.
 *
 * Promises: what it calls untouched, the redactor with the same rules gives back unchanged, wherever it stands. It
 * says no when it cannot tell within the work that redaction itself may take. Linear.
 */
import { mayHoldBase64, replaceBase64, replacePercentEncoded } from "../encoded-runs.ts";
import { HeldStretches, isWholeValue } from "../json-stretches.ts";
import { type JsonStretch, parseJson, replaceJson } from "../json-text.ts";
import type { JsonValue } from "../json-value.ts";
import { markOfKind } from "../marks.ts";
import { createNamesInTexts, type MayNameSecret } from "../names/names-in-texts.ts";
import { ownSpellings } from "../own-secrets.ts";
import { canHoldSecret } from "../plain-text.ts";
import type { RedactionSettings, Rules } from "../rules.ts";
import { SIGN } from "../signs.ts";
import {
  BEGINS_AS_JSON,
  ENDS_AS_JSON,
  MAX_NESTING,
  SHORTEST_ENCODED,
  SHORTEST_TEXT,
} from "../text-redaction.ts";
import type { NamedRule, RuleContext } from "../text-rule.ts";
import { BEGINNING, Work } from "../work.ts";
import { NEEDS, type Need } from "./needs.ts";
import { RecentTexts } from "./recent-texts.ts";
import { TextLook } from "./text-look.ts";

const escapeForRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** Tells the same of a value that stands in a text as JSON. */
export type IsUntouchedJson = (value: JsonValue, nesting: number) => boolean;

/** How much work may be done for one value. What needs more is for the redactor, which makes pauses. */
export interface Allowance {
  /** As the redactor counts it. */
  readonly work: Work;
  /** How many characters rules may still read. */
  rules: number;
}

/** Ordinary data is read by one rule or two, and what was made to be slow by all of them. */
const RULES_FOR_EACH_TEXT = 3;
const RULES_AT_FIRST = 20_000;

export const newAllowance = (): Allowance => ({ work: new Work(), rules: RULES_AT_FIRST });

/** Tells of texts whether redaction would leave them as they are. */
export interface UntouchedTexts {
  /** @param isUntouchedJson tells the same of values of JSON */
  reader(allowance: Allowance, isUntouchedJson: IsUntouchedJson): TextReader;
}

export interface TextReader {
  /**
   * Whether redaction would leave the text as it is.
   * @param nesting how many texts lie around it
   */
  isUntouched(text: string, nesting: number): boolean;
}

export function createUntouchedTexts(
  rules: Rules,
  ownSecrets: readonly string[],
  settings: RedactionSettings,
): UntouchedTexts {
  const spellings = ownSpellings(ownSecrets);
  const asked: Asked = {
    kindOfKey: rules.kindOfKey,
    rules: rules.text.map((rule) => ({ ...rule, need: NEEDS[rule.name] })),
    ofJson: rules.text.filter(({ seesJson }) => seesJson === true),
    own: spellings.length === 0 ? undefined : new RegExp(spellings.map(escapeForRegExp).join("|")),
    mayName: createNamesInTexts(settings),
    untouched: new RecentTexts(MOST_KEPT),
  };
  return { reader: (allowance, isUntouchedJson) => new Reader(asked, allowance, isUntouchedJson) };
}

interface AskedRule extends NamedRule {
  readonly need: Need | undefined;
}

interface Asked {
  readonly kindOfKey: Rules["kindOfKey"];
  readonly rules: readonly AskedRule[];
  /** Those that see JSON as the text that it is. */
  readonly ofJson: readonly NamedRule[];
  /** Any spelling of a secret of ours. */
  readonly own: RegExp | undefined;
  readonly mayName: MayNameSecret;
  /** Each node hands on what it was given, and executions of one workflow have much in common: texts repeat. */
  readonly untouched: RecentTexts;
}

/** In characters. */
const LONGEST_KEPT = 1_000;
const MOST_KEPT = 500_000;

/** Reads texts, and those in them. It counts as much work as the redactor does. */
class Reader implements TextReader {
  readonly #asked: Asked;
  readonly #allowance: Allowance;
  readonly #work: Work;
  readonly #isUntouchedJson: IsUntouchedJson;
  readonly #context: RuleContext;

  constructor(asked: Asked, allowance: Allowance, isUntouchedJson: IsUntouchedJson) {
    const { work } = allowance;
    this.#asked = asked;
    this.#allowance = allowance;
    this.#work = work;
    this.#isUntouchedJson = isUntouchedJson;
    this.#context = { mark: markOfKind, kindOfKey: asked.kindOfKey, spend: work.spend, charge: work.charge };
  }

  isUntouched(text: string, nesting: number): boolean {
    if (text.length < SHORTEST_TEXT) return true;
    if (this.#work.isUsedUp) return false;
    return this.#work.within(
      text.length,
      () => this.#read(text, nesting),
      () => false,
    );
  }

  #read(text: string, nesting: number): boolean {
    const { own, ofJson } = this.#asked;
    if (own?.test(text) === true) return false;
    if (!canHoldSecret(text)) return this.#passes(ofJson, text);
    this.#work.spend(BEGINNING);
    const isKept = nesting === 0 && text.length <= LONGEST_KEPT;
    if (isKept && this.#asked.untouched.has(text)) return true;
    const isUntouched = this.#isClean(text, nesting);
    if (isKept && isUntouched) this.#asked.untouched.add(text);
    return isUntouched;
  }

  #isClean(text: string, nesting: number): boolean {
    const isJson = nesting < MAX_NESTING && text.includes('"') ? this.#isJson(text, nesting) : undefined;
    return isJson ?? this.#isPlain(text, nesting);
  }

  /** Undefined when there is no JSON in the text. */
  #isJson(text: string, nesting: number): boolean | undefined {
    if (BEGINS_AS_JSON.test(text) && ENDS_AS_JSON.test(text)) {
      this.#work.spend(BEGINNING + text.length);
      const parsed = parseJson(text);
      if (parsed !== undefined)
        return (
          isWholeValue(text, parsed.value) &&
          this.#isUntouchedJson(parsed.value, nesting + 1) &&
          this.#passes(this.#asked.ofJson, text)
        );
    }
    return /[{[]/.test(text) ? this.#isAroundJson(text, nesting) : undefined;
  }

  /** Stretches of JSON are read by their structure, and the text around them without them, as the redactor does. */
  #isAroundJson(text: string, nesting: number): boolean {
    const held = new HeldStretches(text);
    let isClean = true;
    const hold = ({ value, source, isPlain }: JsonStretch): string | undefined => {
      isClean &&= this.#isUntouchedJson(value, nesting + 1);
      return isClean && isPlain && isWholeValue(source, value) ? held.hold(source) : undefined;
    };
    const around = replaceJson(text, hold, () => this.#work.spend(BEGINNING));
    return (
      isClean && this.#isPlain(around, nesting) && (held.isEmpty || this.#passes(this.#asked.ofJson, text))
    );
  }

  #isPlain(text: string, nesting: number): boolean {
    this.#work.spend(text.length);
    this.#allowance.rules += RULES_FOR_EACH_TEXT * text.length;
    const look = new TextLook(text, this.#asked.mayName);
    for (const rule of this.#asked.rules) {
      const { mayFind, need } = rule;
      if (mayFind?.(look.signs) === false || need?.(look) === false) continue;
      if (!this.#passesRule(rule, text)) return false;
    }
    return (
      (!look.has(SIGN.percent) || this.#hidesNothing(text, replacePercentEncoded, nesting)) &&
      (look.signs.longestRun < SHORTEST_ENCODED ||
        !mayHoldBase64(text) ||
        this.#hidesNothing(text, replaceBase64, nesting))
    );
  }

  #passes(rules: readonly NamedRule[], text: string): boolean {
    return rules.every((rule) => this.#passesRule(rule, text));
  }

  #passesRule({ apply }: NamedRule, text: string): boolean {
    this.#allowance.rules -= text.length;
    return this.#allowance.rules >= 0 && apply(text, this.#context) === text;
  }

  /** Whether what is encoded in it is untouched, too. */
  #hidesNothing(text: string, replaceEncoded: typeof replaceBase64, nesting: number): boolean {
    if (nesting >= MAX_NESTING) return true;
    let isClean = true;
    replaceEncoded(text, (decoded) => {
      this.#work.spend(BEGINNING);
      isClean &&= decoded.length < SHORTEST_TEXT || this.#read(decoded, nesting + 1);
      return undefined;
    });
    return isClean;
  }
}
