/** Searches for slow texts: the slowest are changed at random, and what is slower takes their place. */
import type { Random } from "../../test/redaction/corpus/random.ts";
import { type SlowText, slowText } from "../../test/redaction/slow-texts.ts";
import type { Fragments } from "./fragments.ts";
import type { Cost, Target } from "./targets.ts";

export interface Found {
  readonly described: SlowText;
  readonly millisecondsForMegabyte: number;
}

const SHAPES = slowText.shape.shape.options;
const CARRIERS = slowText.shape.carrier.options;
const KEPT = 24;
const LONGEST = 400;
const FIRST_SIZE = 20_000;
const SECOND_SIZE = 120_000;
/** What is fast at the first size is not measured at the second. */
const WORTH_A_LOOK = 0.7;
const MEGABYTE = 1_000_000;
/** Milliseconds for a megabyte. */
const NEAR = 80;

const rate = ({ milliseconds, characters }: Cost): number => (milliseconds * MEGABYTE) / characters;

export class Search {
  readonly target: Target;
  readonly #random: Random;
  readonly #fragments: Fragments;
  #found: Found[] = [];

  constructor(target: Target, random: Random, fragments: Fragments) {
    this.target = target;
    this.#random = random;
    this.#fragments = fragments;
  }

  /** The slowest first. */
  get found(): readonly Found[] {
    return this.#found;
  }

  /** Tries one more text. */
  step(): void {
    const described = this.#next();
    const first = rate(this.target.cost(described, FIRST_SIZE, 2));
    const last = this.#found.at(-1)?.millisecondsForMegabyte ?? 0;
    // What grows faster than its length is slower at the second size.
    if (this.#found.length >= KEPT && first < last * WORTH_A_LOOK) return;
    this.#keep(described, rate(this.target.cost(described, SECOND_SIZE, 2)));
  }

  /** Puts in what an earlier search has found. */
  try(described: SlowText): void {
    this.#keep(described, rate(this.target.cost(described, SECOND_SIZE, 2)));
  }

  /** The slowest; those that are near what is allowed, as they are at a megabyte. */
  confirm(count: number): Found[] {
    return this.#found
      .slice(0, count)
      .map((found) =>
        found.millisecondsForMegabyte < NEAR
          ? found
          : {
              described: found.described,
              millisecondsForMegabyte: rate(this.target.cost(found.described, MEGABYTE, 3)),
            },
      )
      .sort((a, b) => b.millisecondsForMegabyte - a.millisecondsForMegabyte);
  }

  #keep(described: SlowText, millisecondsForMegabyte: number): void {
    const others = this.#found.filter(
      (each) => each.described.stretch !== described.stretch || each.described.carrier !== described.carrier,
    );
    const same = this.#found.find((each) => !others.includes(each));
    if (same !== undefined && same.millisecondsForMegabyte >= millisecondsForMegabyte) return;
    this.#found = [...others, { described, millisecondsForMegabyte }]
      .sort((a, b) => b.millisecondsForMegabyte - a.millisecondsForMegabyte)
      .slice(0, KEPT);
  }

  #fragment(): string {
    const one = this.#shortFragment();
    return this.#random.below(4) === 0 ? one + this.#shortFragment() : one;
  }

  #shortFragment(): string {
    const { common, ofRules } = this.#fragments;
    return this.#random.pick(this.#random.below(2) === 0 ? common : ofRules);
  }

  #next(): SlowText {
    if (this.#found.length < KEPT || this.#random.below(4) === 0) return this.#new();
    const { described } = this.#random.pick(this.#found);
    const times = 1 + this.#random.below(3);
    return Array.from({ length: times }).reduce<SlowText>((text) => this.#changed(text), described);
  }

  #new(): SlowText {
    const { pick, below } = this.#random;
    return {
      before: below(2) === 0 ? "" : this.#fragment(),
      after: below(2) === 0 ? "" : this.#fragment(),
      stretch: this.#fragment(),
      middle: below(2) === 0 ? "" : this.#fragment(),
      second: below(2) === 0 ? "" : this.#fragment(),
      shape: below(2) === 0 ? "repeated" : pick(SHAPES),
      carrier: below(2) === 0 ? "text" : pick(CARRIERS),
    };
  }

  #changed(described: SlowText): SlowText {
    const { pick, below } = this.#random;
    const choice = below(10);
    if (choice === 0) return { ...described, shape: pick(SHAPES) };
    if (choice === 1) return { ...described, carrier: pick(CARRIERS) };
    const part = choice < 6 ? "stretch" : pick(["before", "after", "middle", "second"] as const);
    const text = this.#changedText(described[part]).slice(0, LONGEST);
    return { ...described, [part]: part === "stretch" && text === "" ? this.#fragment() : text };
  }

  /** Joined, cut, doubled, interleaved, or with another sign. */
  #changedText(text: string): string {
    const at = this.#random.below(text.length + 1);
    switch (this.#random.below(8)) {
      case 0:
        return text + this.#fragment();
      case 1:
        return this.#fragment() + text;
      case 2:
        return text.slice(0, at) + this.#fragment() + text.slice(at);
      case 3:
        return text.slice(0, at);
      case 4:
        return text.slice(at);
      case 5:
        return text + text;
      case 6:
        return text.slice(0, at) + this.#fragment() + text.slice(at + 1);
      default:
        return this.#shortFragment().repeat(1 + this.#random.below(20));
    }
  }
}
