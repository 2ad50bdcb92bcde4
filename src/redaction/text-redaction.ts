/**
 * Redacts one text: our own secrets, JSON in it by its structure, what the rules for texts find, and what is
 * encoded in it. Each character is read once on each level of encoding, and again only for what a mark may have
 * laid bare; a text that would take more work than its length allows is withheld as a whole.
 */
import { ChangedStretch } from "./changed-stretch.ts";
import { replaceBase64, replacePercentEncoded } from "./encoded-runs.ts";
import { HeldStretches, isWholeValue } from "./json-stretches.ts";
import { type JsonStretch, parseJson, replaceJson } from "./json-text.ts";
import type { JsonValue } from "./json-value.ts";
import { isMark, type PreviewMarks } from "./marks.ts";
import { canHoldSecret } from "./plain-text.ts";
import type { Rules } from "./rules.ts";
import { hasAny, SIGN, type Signs, signsOf } from "./signs.ts";
import type { NamedRule, RuleContext } from "./text-rule.ts";
import { replacePrintedTexts } from "./texts/quoted-text.ts";
import { BEGINNING, type Work } from "./work.ts";

/** JSON in JSON in base64 in …: each level costs the length of its text once more. */
const MAX_NESTING = 4;
/** One that finds, and one that finds nothing more; text that was made for it may need another. */
const MAX_ROUNDS = 5;

/** No secret is shorter that a rule could tell in a text. */
const SHORTEST_TEXT = 5;
const SHORTEST_ENCODED = 16;

const LONGEST_REMEMBERED = 1_000;
const MOST_REMEMBERED = 5_000;

/** What redacts the values around this text, and those inside it. */
export interface Surroundings {
  /** Of a value that stood in the text as JSON; undefined when there is nothing to redact in it. */
  redactValue(value: JsonValue): JsonValue | undefined;
  /** @param nesting how many texts lie around this one */
  holdsSecret(text: string, nesting: number): boolean;
}

const BEGINS_AS_JSON = /^\s{0,1000}["{[]/;
/** Cheaper than an error of the parser. */
const ENDS_AS_JSON = /["}\]]\s{0,1000}$/;

interface Step {
  readonly apply: (text: string, context: RuleContext, redaction: TextRedaction) => string;
  readonly mayFind?: ((signs: Signs) => boolean) | undefined;
}

/** In their order, over and over, until none changes anything. */
interface Steps {
  readonly onText: readonly Step[];
  readonly onJson: readonly Step[];
}

/** Many redactions go by the same rules: one for each text that was encoded in another. */
const stepsOfRules = new WeakMap<Rules, Steps>();

function stepsOf(rules: Rules): Steps {
  const known = stepsOfRules.get(rules);
  if (known !== undefined) return known;
  const own: Step = { apply: rules.ownSecrets };
  const step = ({ apply, mayFind }: NamedRule): Step => ({ apply, mayFind });
  const steps: Steps = {
    onText: [
      own,
      ...rules.text.map(step),
      {
        apply: (text, { mark }, redaction) => redaction.percentEncoded(text, mark),
        mayFind: (signs) => hasAny(signs, SIGN.percent),
      },
      {
        apply: (text, { mark }, redaction) => redaction.base64(text, mark),
        mayFind: (signs) => signs.longestRun >= SHORTEST_ENCODED,
      },
    ],
    onJson: [own, ...rules.text.filter(({ seesJson }) => seesJson === true).map(step)],
  };
  stepsOfRules.set(rules, steps);
  return steps;
}

export class TextRedaction {
  readonly #rules: Rules;
  readonly #context: RuleContext;
  readonly #surroundings: Surroundings;
  readonly #previews: PreviewMarks | undefined;
  readonly #work: Work;
  readonly #steps: Steps;
  /** Each node of an execution hands on what it was given: texts repeat. With how many texts lay around them. */
  readonly #clean = new Map<string, number>();
  #nesting: number;

  constructor(
    rules: Rules,
    context: RuleContext,
    surroundings: Surroundings,
    work: Work,
    previews: PreviewMarks | undefined,
    nesting: number,
  ) {
    this.#rules = rules;
    this.#context = context;
    this.#surroundings = surroundings;
    this.#work = work;
    this.#previews = previews;
    this.#nesting = nesting;
    this.#steps = stepsOf(rules);
  }

  /** The text with marks in place of secrets, or the mark `too-complex`, or `withheld` once an answer took too much. */
  text(text: string): string {
    if (text.length < SHORTEST_TEXT) return text;
    const result = this.#previews?.replaceIn(text, this.#context.mark) ?? text;
    if (isMark(result)) return result;
    if (!canHoldSecret(result)) return this.#untilQuiet(this.#steps.onJson, result, this.#context);
    if (this.#work.isUsedUp) return this.#context.mark("withheld");
    if (this.#isKnownClean(result)) return result;
    const redacted = this.#work.within(
      result.length,
      () => this.#read(result),
      () => this.#context.mark("too-complex"),
    );
    if (redacted === result) this.#rememberClean(result);
    return redacted;
  }

  /** What holds nothing holds nothing deeper inside other texts, where less is read. */
  #isKnownClean(text: string): boolean {
    const nesting = this.#clean.get(text);
    return nesting !== undefined && nesting <= this.#nesting;
  }

  #rememberClean(text: string): void {
    if (text.length <= LONGEST_REMEMBERED && this.#clean.size < MOST_REMEMBERED)
      this.#clean.set(text, this.#nesting);
  }

  #read(text: string): string {
    this.#work.spend(BEGINNING);
    const own = this.#rules.ownSecrets(text, this.#context);
    if (this.#nesting >= MAX_NESTING || !own.includes('"')) return this.#textAround(own);
    const whole = this.#wholeJson(own);
    if (whole === undefined) return this.#textAround(own);
    const result = this.#untilQuiet(this.#steps.onJson, whole, this.#context);
    // A mark that these made may have left no JSON.
    return result === whole ? result : this.#textAround(result);
  }

  /** JSON that was redacted by its structure needs no second reading; undefined when it is none, or says more than its value. */
  #wholeJson(text: string): string | undefined {
    if (!BEGINS_AS_JSON.test(text) || !ENDS_AS_JSON.test(text)) return undefined;
    const parsed = parseJson(text);
    if (parsed === undefined) {
      this.#work.spend(BEGINNING);
      return undefined;
    }
    const redacted = this.#redactedJson(parsed.value);
    return redacted ?? (isWholeValue(text, parsed.value) ? text : undefined);
  }

  /** What the text itself tells, and the texts encoded in it, with stretches of JSON read by their structure. */
  #textAround(text: string): string {
    if (this.#nesting >= MAX_NESTING || !text.includes('"'))
      return this.#untilQuiet(this.#steps.onText, text, this.#context);
    const held = new HeldStretches(text);
    const around = this.#quotedTexts(this.#withoutJson(text, held));
    if (held.isEmpty) return this.#untilQuiet(this.#steps.onText, around, this.#context);
    const context: RuleContext = {
      ...this.#context,
      mark: (kind, secret) => this.#context.mark(kind, secret === undefined ? secret : held.restore(secret)),
    };
    const result = held.restore(this.#untilQuiet(this.#steps.onText, around, context));
    return this.#untilQuiet(this.#steps.onJson, result, this.#context);
  }

  #withoutJson(text: string, held: HeldStretches): string {
    const replace = ({ value, source, isPlain }: JsonStretch): string | undefined => {
      const redacted = this.#redactedJson(value);
      if (!isPlain) return redacted;
      if (redacted !== undefined) return held.hold(redacted) ?? redacted;
      return isWholeValue(source, value) ? held.hold(source) : undefined;
    };
    return replaceJson(text, replace, () => this.#work.spend(BEGINNING));
  }

  /** A text that was printed as JSON (`"line\\nline"`) is read as it was: lines and quotes tell where its secrets are. */
  #quotedTexts(text: string): string {
    return replacePrintedTexts(text, (printed) => {
      this.#work.spend(BEGINNING);
      const parsed = parseJson(printed);
      return parsed === undefined ? undefined : this.#redactedJson(parsed.value);
    });
  }

  #redactedJson(value: JsonValue): string | undefined {
    this.#nesting += 1;
    try {
      const clean = this.#surroundings.redactValue(value);
      return clean === undefined ? undefined : JSON.stringify(clean);
    } finally {
      this.#nesting -= 1;
    }
  }

  /** A mark may lay bare what stood too close to the secret before it: again, until nothing is left to mark. */
  #untilQuiet(steps: readonly Step[], text: string, context: RuleContext): string {
    const stretch = new ChangedStretch();
    let result = text;
    let signs: Signs | undefined;
    let quiet = 0;
    for (let turn = 0; quiet < steps.length && turn < MAX_ROUNDS * steps.length; turn += 1) {
      const index = turn % steps.length;
      if (index === 0 && turn > 0) {
        result = stretch.narrowed(result);
        signs = undefined;
      }
      const step = steps[index];
      this.#work.spend(result.length / this.#steps.onText.length);
      quiet += 1;
      if (step?.mayFind !== undefined) {
        signs ??= signsOf(result);
        if (!step.mayFind(signs)) continue;
      }
      const next = step?.apply(result, context, this) ?? result;
      if (next === result) continue;
      stretch.note(result, next);
      quiet = 0;
      result = next;
      signs = undefined;
    }
    return stretch.whole(result);
  }

  /** A step of its own. */
  percentEncoded(text: string, mark: RuleContext["mark"]): string {
    if (this.#nesting >= MAX_NESTING) return text;
    return replacePercentEncoded(text, (decoded) =>
      this.#holdsSecret(decoded) ? mark("url-encoded", decoded) : undefined,
    );
  }

  /** A step of its own. */
  base64(text: string, mark: RuleContext["mark"]): string {
    if (this.#nesting >= MAX_NESTING) return text;
    return replaceBase64(text, (decoded) =>
      this.#holdsSecret(decoded) ? mark("base64", decoded) : undefined,
    );
  }

  #holdsSecret(text: string): boolean {
    this.#work.spend(BEGINNING);
    return this.#surroundings.holdsSecret(text, this.#nesting + 1);
  }

  /** Whether a text that was encoded in another holds what would be redacted; yes, when it takes too much work to tell. */
  holdsSecret(text: string): boolean {
    if (this.#work.isUsedUp) return true;
    return this.#work.within(
      text.length,
      () => this.#holdsSecret(text),
      () => true,
    );
  }
}
