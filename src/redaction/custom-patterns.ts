/**
 * The operator's own patterns. A pattern is accepted only if it is certain to take linear time: whatever the text, the
 * pattern itself bounds how long a match is and in how many ways it is tried.
 *
 * So assertions and back-references are refused, and repetitions need an upper limit. Only the last term may repeat
 * without limit: nothing after it can fail, so nothing is tried twice.
 */
import { besideMarks, replaceBesideMarks } from "./marks.ts";
import type { TextRule } from "./text-rule.ts";

type CheckedPattern = { readonly pattern: RegExp; readonly steps: number } | { readonly problem: string };

/**
 * How many characters all patterns together may examine from one position. At this limit, a megabyte made to be slow
 * for each of them took 4 to 10 ms (docs/decisions.md).
 */
export const MAX_STEPS = 256;
/** This many steps cost as much as all built-in rules together do for one character. */
const STEPS_PER_READING = 16;
const MAX_MATCH_LENGTH = 1_000;
const MAX_PATTERN_LENGTH = 500;

interface Measure {
  /** In how many ways the term may be tried from one position. */
  readonly ways: number;
  /** How many characters all these ways together may examine. */
  readonly steps: number;
  readonly least: number;
  readonly most: number;
  /** It matches exactly one character, so its repetitions differ only in their number. */
  readonly isSingle: boolean;
}

class PatternProblem extends Error {}

const NOTHING: Measure = { ways: 1, steps: 0, least: 0, most: 0, isSingle: false };
const CHARACTER: Measure = { ways: 1, steps: 1, least: 1, most: 1, isSingle: true };

/** Reads the allowed subset of patterns without the `u` and `v` flags (ECMA-262, section 22.2.1). */
class PatternReader {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  measure(): Measure {
    const measure = this.#alternatives();
    if (this.#at < this.#source.length) throw new PatternProblem("has an unmatched closing parenthesis");
    return measure;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match !== null) this.#at = pattern.lastIndex;
    return match;
  }

  #alternatives(): Measure {
    let all = this.#sequence();
    while (this.#take(/\|/y) !== null) {
      const next = this.#sequence();
      const [least, most] = [Math.min(all.least, next.least), Math.max(all.most, next.most)];
      all = { ways: all.ways + next.ways, steps: all.steps + next.steps, least, most, isSingle: false };
    }
    return all;
  }

  #sequence(): Measure {
    let all = NOTHING;
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] ?? "")) {
      const term = this.#repeated(this.#atom());
      all = {
        ways: all.ways * term.ways,
        steps: all.steps + all.ways * term.steps,
        least: all.least + term.least,
        most: all.most + term.most,
        isSingle: false,
      };
    }
    return all;
  }

  #atom(): Measure {
    if (this.#take(/\^|\$|\\[bB]/y) !== null) return NOTHING;
    if (this.#take(/\(\?(?:<?[=!])/y) !== null) throw new PatternProblem("looks ahead or behind");
    if (this.#take(/\((?:\?:|\?<[A-Za-z_]\w*>)?(?!\?)/y) !== null) return this.#group();
    if (this.#take(/\\(?:[1-9]|k<)/y) !== null) throw new PatternProblem("refers back to what it matched");
    if (this.#take(/\\[pP]\{/y) !== null)
      throw new PatternProblem("names a Unicode property, which needs a flag that is not allowed");
    const character =
      /\[(?:[^\]\\]|\\[\s\S])*\]|\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[\s\S])|[^\\[\]()*+?{}|]/y;
    if (this.#take(character) !== null) return CHARACTER;
    throw new PatternProblem(`cannot be read at character ${this.#at + 1}`);
  }

  #group(): Measure {
    this.#depth += 1;
    const measure = this.#alternatives();
    this.#depth -= 1;
    if (this.#take(/\)/y) === null) throw new PatternProblem("has an unclosed parenthesis");
    return { ...measure, isSingle: false };
  }

  #repeated(term: Measure): Measure {
    const sign = this.#take(/[*+?]\??|\{(\d{1,9})(?:(,)(\d{0,9}))?\}\??/y);
    if (sign === null) return term;
    const [whole, from, comma, to] = sign;
    const least = from === undefined ? Number(whole.startsWith("+")) : Number(from);
    const most = whole.startsWith("?")
      ? 1
      : from === undefined || to === ""
        ? undefined
        : Number(comma === undefined ? from : to);
    if (most === undefined) return this.#endless(term, least, whole.endsWith("?"));
    if (most > MAX_MATCH_LENGTH) throw new PatternProblem(`repeats more than ${MAX_MATCH_LENGTH} times`);
    if (this.#isLast() && term.isSingle && !whole.endsWith("?")) {
      return { ways: 1, steps: least, least, most, isSingle: false };
    }
    return {
      ...waysAndSteps(term, least, most),
      least: term.least * least,
      most: term.most * most,
      isSingle: false,
    };
  }

  /** `*`, `+` or `{n,}`. */
  #endless(term: Measure, least: number, isLazy: boolean): Measure {
    if (!this.#isLast() || isLazy || !term.isSingle) {
      throw new PatternProblem(
        "repeats without an upper limit before its end, which can take forever: write {1,64} in place of +, and {0,64} in place of *",
      );
    }
    return { ways: 1, steps: least, least, most: least, isSingle: false };
  }

  /** Whether nothing that could fail follows, so that the term never backtracks. */
  #isLast(): boolean {
    return this.#depth === 0 && /^(?:\||$)/.test(this.#source.slice(this.#at));
  }
}

const BEYOND_LIMIT = MAX_STEPS + 1;

function waysAndSteps(term: Measure, least: number, most: number): Pick<Measure, "ways" | "steps"> {
  let [ways, steps, waysSoFar] = [0, 0, 1];
  for (let times = 0; times <= most && ways <= BEYOND_LIMIT && steps <= BEYOND_LIMIT; times += 1) {
    if (times >= least) ways += waysSoFar;
    if (times < most) steps += waysSoFar * term.steps;
    waysSoFar = Math.min(waysSoFar * term.ways, BEYOND_LIMIT);
  }
  return { ways, steps };
}

/** `/pattern/flags`, or the pattern alone. */
const DELIMITED = /^\/([\s\S]+)\/([a-z]*)$/;

function parse(text: string): RegExp {
  const [, delimited, flags = ""] = DELIMITED.exec(text) ?? [];
  if (!/^[ims]*$/.test(flags)) throw new PatternProblem("has flags other than i, m and s");
  try {
    return new RegExp(delimited ?? text, flags);
  } catch {
    throw new PatternProblem("is not a valid regular expression");
  }
}

function requireBounded(pattern: RegExp): number {
  const { steps, least, most } = new PatternReader(pattern.source).measure();
  if (least === 0) throw new PatternProblem("matches the empty text");
  if (most > MAX_MATCH_LENGTH) throw new PatternProblem(`matches more than ${MAX_MATCH_LENGTH} characters`);
  if (steps > MAX_STEPS) {
    throw new PatternProblem(
      `can look at more than ${MAX_STEPS} characters from one place, counted in all ways, which is slow: narrow its repetitions or alternatives`,
    );
  }
  return steps;
}

/** The compiled pattern, or its problem, described without quoting it. */
export function checkPattern(text: string): CheckedPattern {
  if (text.length > MAX_PATTERN_LENGTH) return { problem: `is longer than ${MAX_PATTERN_LENGTH} characters` };
  try {
    const pattern = parse(text);
    return { pattern, steps: requireBounded(pattern) };
  } catch (error) {
    if (error instanceof PatternProblem) return { problem: error.message };
    throw error;
  }
}

function stepsOf(pattern: RegExp): number {
  const checked = checkPattern(`/${pattern.source}/${pattern.flags.replaceAll("g", "")}`);
  return "steps" in checked ? checked.steps : MAX_STEPS;
}

/** The cost of patterns counts against the whole answer: slow ones shrink answers instead of slowing the server down. */
export function customPatternsRule(patterns: readonly RegExp[]): TextRule {
  const beside = patterns.map(besideMarks);
  const readings = patterns.reduce((sum, pattern) => sum + stepsOf(pattern), 0) / STEPS_PER_READING;
  return (text, { mark, charge }) => {
    charge(text.length * readings);
    const replace = (match: string): string => (match === "" ? match : mark("custom", match));
    return beside.reduce((result, pattern) => replaceBesideMarks(result, pattern, replace), text);
  };
}
