/** A text in which no name of a secret could stand holds none. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKeyClassifier } from "../../../src/redaction/key-rules.ts";
import { LANGUAGES } from "../../../src/redaction/names/languages.ts";
import { createLetterAutomaton, LETTERS, letterOf } from "../../../src/redaction/names/letter-automaton.ts";
import { createNamesInTexts } from "../../../src/redaction/names/names-in-texts.ts";
import {
  ABOUT,
  ANYWHERE,
  BASELINE_ANYWHERE,
  BASELINE_LAST,
  JOINED_ENDS,
  JOINED_STARTS,
  KEYS_ANYWHERE,
  KEYS_LAST,
  LAST,
  OTHER_WORDS,
  OWNERS,
  PROVIDERS,
  SUFFIXES,
} from "../../../src/redaction/names/vocabulary.ts";
import { signsOf } from "../../../src/redaction/signs.ts";
import { inBothLanes, runs } from "../../support/lane.ts";
import { ordinaryValue } from "../corpus/measure.ts";

const kindOfKey = createKeyClassifier({});
const mayName = createNamesInTexts({});
const mayStandIn = (text: string): boolean => mayName(text, signsOf(text));

const ENGLISH = [
  ...[BASELINE_ANYWHERE, ANYWHERE, BASELINE_LAST, LAST, JOINED_ENDS, JOINED_STARTS, KEYS_ANYWHERE, KEYS_LAST],
  ...[OTHER_WORDS, OWNERS, PROVIDERS, SUFFIXES, ABOUT],
].flatMap((words) => [...words]);
const FOREIGN = Object.values(LANGUAGES).flatMap((words) =>
  Object.values(words)
    .flatMap((list) => list.split(","))
    .map((word) => word.trim().replace("*", "en")),
);
const SHORT = [
  "key",
  "keys",
  "pass",
  "auth",
  "pw",
  "pat",
  "sk",
  "pin",
  "otp",
  "sig",
  "authentication",
  "tokens",
];

test("every word of every table by itself, and beside another", () => {
  const names = [...new Set([...ENGLISH, ...FOREIGN, ...SHORT])].flatMap((word) => [
    ...[word, word.toUpperCase(), `my_${word}`, `${word}2`, `stripe${word}`, `API${word}`, `x-${word}-id`],
    ...[`${word} key`, `${word.slice(0, 1).toUpperCase()}${word.slice(1)}Prod`],
  ]);
  expect(names.length).toBeGreaterThan(9_000);
  const secret = names.filter((name) => kindOfKey(name) !== "none");
  expect(secret.length).toBeGreaterThan(3_000);
  expect(secret.filter((name) => !mayStandIn(name))).toEqual([]);
});

const respelled = (word: string, way: number): string =>
  [
    word,
    word.toUpperCase(),
    word.slice(0, 1).toUpperCase() + word.slice(1),
    word.replace("a", "@").replace("o", "0").replace("s", "$"),
    word.replace("e", "3").replace("i", "1").replace("s", "5"),
    word.replace("a", "а").replace("e", "é"),
    [...word].join("."),
    word.replace("s", "ſ").replace("k", "\u212a"),
    `${word.slice(0, 2)}\u200b${word.slice(2)}`,
    `${word.slice(0, 3)}7${word.slice(3)}`,
  ][way] ?? word;
const anyWord = fc
  .tuple(fc.constantFrom(...ENGLISH, ...FOREIGN, ...SHORT, ...SHORT), fc.nat(9))
  .map(([word, way]) => respelled(word, way));
const anyName = fc
  .array(fc.tuple(anyWord, fc.constantFrom("", "", "_", "-", " ", ".", "1", "[", "\u00a0")), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.flat().join(""));
const anySurroundings = fc.constantFrom(
  ...["", " ", "\n", "(", '"', "a ", "task ", "é ", "東京 ", "{", "/", "x".repeat(70), "two  gaps "],
);

test("any name, and any text around it", inBothLanes, () => {
  let secret = 0;
  fc.assert(
    fc.property(anyName, anySurroundings, anySurroundings, (name, before, after) => {
      if (kindOfKey(name) === "none") return;
      secret += 1;
      const text = `${before}${name}${after === "" || /^[a-zx]/.test(after) ? `: ${after}` : after}`;
      expect([text, mayStandIn(text)]).toEqual([text, true]);
    }),
    { numRuns: runs(60_000) },
  );
  expect(secret).toBeGreaterThan(runs(60_000) / 4);
});

test("names of an operator", () => {
  const own = createNamesInTexts({ keys: ["customerNumber", "x-tenant-2-id"] });
  const may = (text: string): boolean => own(text, signsOf(text));
  expect(
    ["customer_number: 4711", "CUSTOMER NUMBER = 4711", "X_TENANT_2_ID=a"].filter((text) => !may(text)),
  ).toEqual([]);
  expect(may("the number of a customer")).toBe(false);
  expect(createNamesInTexts({ keys: ["客户编号"] })("plain", signsOf("plain"))).toBe(true);
});

describe("most texts are seen to have none", () => {
  test.each([
    "https://shop.example.com/orders/17/lines?page=2",
    "The design of a task was passed to its author: 7 paths",
    "El rango de fechas es válido – 20 €",
    "code of the order, https://api.example.com",
    "gzip, deflate; q=0.5",
    "keyboard, passenger, Monday, 10:30",
  ])("%j", (text) => {
    expect(mayStandIn(text)).toBe(false);
  });

  test("but for other scripts, and marks", () => {
    expect(["東京", "пароль", "see [REDACTED:key]"].filter((text) => !mayStandIn(text))).toEqual([]);
  });

  test("of ordinary data", () => {
    const texts: string[] = [];
    const gather = (value: unknown): void => {
      if (typeof value === "string") texts.push(value);
      else if (typeof value === "object" && value !== null)
        for (const each of Object.values(value)) gather(each);
    };
    gather(ordinaryValue(60_000));
    const named = texts.filter((text) => kindOfKey(text) === "none" && mayStandIn(text));
    expect(named.length / texts.length).toBeLessThan(0.3);
  });
});

test("an automaton finds every word that ends at a letter", () => {
  const word = fc.stringMatching(/^[abc]{1,4}$/);
  fc.assert(
    fc.property(
      fc.uniqueArray(word, { minLength: 1, maxLength: 8 }),
      fc.stringMatching(/^[abcABC]{0,20}$/),
      (words, text) => {
        const { next, bits } = createLetterAutomaton(
          words.map((letters, index) => ({ letters, bits: 1 << index })),
        );
        let state = 0;
        for (let at = 0; at < text.length; at += 1) {
          state = next[state * LETTERS + letterOf(text.charCodeAt(at))] ?? 0;
          const ended = words.reduce(
            (sum, letters, index) =>
              sum |
              (text
                .slice(0, at + 1)
                .toLowerCase()
                .endsWith(letters)
                ? 1 << index
                : 0),
            0,
          );
          expect(bits[state]).toBe(ended);
        }
      },
    ),
  );
});
