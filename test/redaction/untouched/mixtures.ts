/** Values that nobody would write: secrets, ordinary data and what was recorded, mixed, nested and encoded at random. */
import { createCases, ordinaryValue } from "../corpus/measure.ts";
import type { Random } from "../corpus/random.ts";
import { SHAPES } from "../corpus/shapes.ts";
import { recordedValues } from "./recorded-values.ts";

export interface Mixture {
  value(): unknown;
}

/** Names that rules for structures look for. */
const TELLING_NAMES = [
  ..."name value key id type kind data mimeType headers columns rows row fields values query qs params".split(
    " ",
  ),
  ..."parameters properties schemas security securitySchemes flows scopes tokenUrl runData nodeTypes".split(
    " ",
  ),
  ..."definitions required items left right question answer 0 1 label path op sessionIdType sessionKey".split(
    " ",
  ),
  ..."customerNumber deviceToken card iban ssn args command rawHeaders sensitive secret credentials".split(
    " ",
  ),
  ..."__proto__ toJSON A B $ @ _ text content".split(" "),
  "account number",
];
const BETWEEN = [" ", "\n", ": ", "=", ", ", "\t", "|", "&", '"', "  ", "", '": "'];
const NUMBERS = [1, 0, true, false, null, 4_111_111_111_111_111, 123_456_789, 3.5];
const MAX_TEXT = 5_000;

class RandomMixture implements Mixture {
  readonly #random: Random;
  readonly #names: readonly string[];
  readonly #texts: readonly string[];
  readonly #parts: readonly object[];

  constructor(random: Random, names: readonly string[], texts: readonly string[], parts: readonly object[]) {
    this.#random = random;
    this.#names = names;
    this.#texts = texts;
    this.#parts = parts;
  }

  value(depth = 0): unknown {
    const { below, pick } = this.#random;
    switch (below(depth > 4 ? 4 : 10)) {
      case 0:
        return pick(NUMBERS);
      case 1:
      case 2:
      case 3:
        return this.#text(depth);
      case 4:
        return pick(this.#parts);
      case 5:
      case 6:
        return Array.from({ length: below(5) }, () => this.value(depth + 1));
      default:
        return Object.fromEntries(
          Array.from({ length: below(5) }, () => [pick(this.#names), this.value(depth + 1)]),
        );
    }
  }

  #text(depth: number): string {
    const { below, pick } = this.#random;
    const text = pick(this.#texts);
    switch (below(14)) {
      case 0:
        return text + pick(BETWEEN) + pick(this.#texts);
      case 1:
        return JSON.stringify(this.value(Math.max(depth, 3)));
      case 2:
        return `see ${JSON.stringify(this.value(Math.max(depth, 3)))} end`;
      case 3:
        return Buffer.from(text).toString("base64");
      case 4:
        return encodeURIComponent(text.toWellFormed());
      case 5:
        return pick(this.#names) + pick(BETWEEN) + text;
      case 6:
        return pick(this.#names);
      case 7:
        return text.slice(below(text.length));
      default:
        return text;
    }
  }
}

export async function createMixture(random: Random, ownSecrets: readonly string[]): Promise<Mixture> {
  const names = new Set(TELLING_NAMES);
  const texts = new Set([
    ...SHAPES.map(({ write }) => write("password", "8VrKH7V4QPYpneZa9URed1yL")),
    ...ownSecrets.map((secret) => `it is ${secret}.`),
    ...[
      "ACME-ABCDEFGH1",
      "customerNumber: 4711 a",
      "客户编号: a1b2c3d4",
      "+34 600 123 456",
      "ada@example.com",
    ],
  ]);
  const parts: object[] = [];
  const gather = (value: unknown): void => {
    if (typeof value === "string") texts.add(value);
    if (typeof value !== "object" || value === null) return;
    parts.push(value);
    if (!Array.isArray(value)) for (const name of Object.keys(value)) names.add(name);
    for (const member of Object.values(value)) gather(member);
  };
  createCases().forEach(({ value }, index) => {
    if (index % 7 === 0) gather(value);
  });
  gather(ordinaryValue(60_000));
  for (const value of await recordedValues()) gather(value);
  const short = [...texts].filter((text) => text !== "" && text.length < MAX_TEXT);
  return new RandomMixture(random, [...names], short, parts);
}
