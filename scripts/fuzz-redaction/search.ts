/** Searches for slow texts: changes the slowest at random, and keeps the changes that are slower. */
import type { Random } from "../../test/redaction/corpus/random.ts";
import { type SlowText, slowText } from "../../test/redaction/slow-texts.ts";
import type { Fragments } from "./fragments.ts";
import { growingRate, type Rate, rateOf } from "./measure.ts";
import type { Target } from "./targets.ts";

export interface Found extends Rate {
  readonly described: SlowText;
}

const SHAPES = slowText.shape.shape.options;
const CARRIERS = slowText.shape.carrier.options;
const KEPT = 24;
const LONGEST = 400;
/** Lines of base64 have 64 or 76 letters. */
const MOST_TIMES = [20, 80];
const SMALL_SIZE = 5_000;
const FIRST_SIZE = 20_000;
const SECOND_SIZE = 120_000;
/** Texts that are fast at the first size are not measured at the second. */
const WORTH_A_LOOK = 0.7;
/** Growth of the cost per character, at four times the length, that suggests a quadratic cost. */
const GROWS = 1.8;
/** Milliseconds for a megabyte: growth of faster texts means nothing. */
const LEAST_OF_GROWING = 20;
const MEGABYTE = 1_000_000;
/** Milliseconds for a megabyte that are near the limit. */
const NEAR = 120;

/** A beginning of this length makes a text slow by itself: texts that share it count as one find. */
const LONG_BEGINNING = 40;

const isAlike = (one: SlowText, other: SlowText): boolean =>
  one.carrier === other.carrier &&
  (one.stretch === other.stretch || (one.before === other.before && one.before.length >= LONG_BEGINNING));

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
    if (this.#found.length > 0 && this.#random.below(12) === 0) this.#measureAgain();
    const described = this.#next();
    const small = rateOf(this.target.cost(described, SMALL_SIZE));
    const first = rateOf(this.target.cost(described, FIRST_SIZE));
    const last = this.#found.at(-1)?.millisecondsForMegabyte ?? 0;
    const isGrowing = first > LEAST_OF_GROWING && first > GROWS * small;
    if (this.#found.length >= KEPT && first < last * WORTH_A_LOOK && !isGrowing) return;
    this.try(described);
  }

  /** Adds finds of an earlier search, or other promising texts. */
  try(described: SlowText): void {
    this.#keep({ described, ...this.#rate(described, SECOND_SIZE) });
  }

  /** The slowest; those near the limit are measured again, at a megabyte. */
  confirm(count: number): Found[] {
    return this.#found
      .slice(0, count)
      .map((found) =>
        found.millisecondsForMegabyte < NEAR
          ? found
          : { described: found.described, ...this.#rate(found.described, MEGABYTE) },
      )
      .sort((a, b) => b.millisecondsForMegabyte - a.millisecondsForMegabyte);
  }

  /** Corrects a find that was slow because the machine was busy. */
  #measureAgain(): void {
    const { described, millisecondsForMegabyte } = this.#random.pick(this.#found);
    const again = this.#rate(described, SECOND_SIZE);
    if (again.millisecondsForMegabyte >= millisecondsForMegabyte) return;
    this.#found = this.#found.map((each) => (each.described === described ? { described, ...again } : each));
    this.#sort();
  }

  #sort(): void {
    this.#found.sort((a, b) => b.millisecondsForMegabyte - a.millisecondsForMegabyte);
  }

  #rate(described: SlowText, size: number): Rate {
    return growingRate((each) => this.target.cost(described, each), size);
  }

  #keep(one: Found): void {
    const others = this.#found.filter((each) => !isAlike(each.described, one.described));
    const same = this.#found.find((each) => isAlike(each.described, one.described));
    if (same !== undefined && same.millisecondsForMegabyte >= one.millisecondsForMegabyte) return;
    this.#found = [...others, one];
    this.#sort();
    this.#found.splice(KEPT);
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

  /** Joined, cut, doubled, repeated, or with a fragment in between. */
  #changedText(text: string): string {
    const at = this.#random.below(text.length + 1);
    const change = this.#random.pick([
      () => text + this.#fragment(),
      () => this.#fragment() + text,
      () => text.slice(0, at) + this.#fragment() + text.slice(at),
      () => text.slice(0, at),
      () => text.slice(at),
      () => text + text,
      () => text.slice(0, at) + this.#fragment() + text.slice(at + 1),
      () => text.repeat(this.#random.pick([2, 8, 64])) + this.#shortFragment(),
      () => this.#shortFragment().repeat(1 + this.#random.below(this.#random.pick(MOST_TIMES))),
    ]);
    return change();
  }
}
