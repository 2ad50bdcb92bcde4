/** A rule is skipped only for texts that it would not have changed. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { BESIDE_FACTS, FORMS } from "../../src/redaction/forms/forms.ts";
import { leastLength } from "../../src/redaction/forms/notation.ts";
import { createRules } from "../../src/redaction/rules.ts";
import { hasAny, SIGN, signsOf } from "../../src/redaction/signs.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { valueOfForm, valueOfNotation } from "./corpus/form-values.ts";
import { createCases } from "./corpus/measure.ts";
import { createRandom } from "./corpus/random.ts";
import { SHAPES } from "./corpus/shapes.ts";
import { contextOfRules } from "./rule-context.ts";

const { onText: rules, kindOfKey } = createRules([], { personalData: true });
const context = contextOfRules(kindOfKey);

/** Names of rules that are skipped for this text although they would change it. */
function wronglySkipped(text: string): string[] {
  const signs = signsOf(text);
  return rules
    .filter(({ apply, mayFind }) => mayFind?.(signs) === false && apply(text, context) !== text)
    .map(({ name }) => name);
}

const random = createRandom(3);
const secrets = FORMS.map((form) => valueOfForm(form, random).text);
const texts = [
  ...createCases().flatMap(({ value }) => (typeof value === "string" ? [value] : [])),
  ...SHAPES.map(({ write }) => write("password", "8VrKH7V4QPYpneZa9URed1yL")),
];

/** St Lucia's IBANs may be letters except for the check digits (ISO 13616 registry; ISO 7064 MOD 97-10). */
const IBAN_OF_LETTERS = "LC79QWERTYUIOPASDFGHJKLZXCVBNMQW";

/** Texts with hardly more than the signs that a rule requires. */
const BARE = [
  IBAN_OF_LETTERS,
  "ssn 219-09-1234",
  "Error: x\n    at f (/home/node/app/x.js:1:2)",
  'File "/srv/app.py", line 7',
  `key\n${btoa("-----BEGIN PRIVATE KEY-----")}`,
  "sqlplus scott/tiger@orcl",
  "requirepass kQ!rTvWx",
  "+34 600 123 456",
  "ada@example.com:hunter2x9",
];

const piece = fc.oneof(
  fc.constantFrom(
    ...["password", "token", "Bearer ", "Basic ", "key", "is", " ", "\n", ":", "=", '"', "'", "|", ",", "\t"],
    ...[
      "<password>",
      "</password>",
      "-u ",
      "--token ",
      "(",
      "https://",
      "@",
      "?",
      "&",
      "#",
      "%41",
      "at ",
      ":1:2",
    ],
    ...[
      "DE89 3704 0044 0532 0130 00",
      "4111 1111 1111 1111",
      "…",
      "...",
      "-----BEGIN PRIVATE KEY-----",
      "\u00a0",
    ],
  ),
  fc.constantFrom(...secrets),
  fc.stringMatching(/^[A-Za-z0-9!$_.-]{1,20}$/),
);
const anyText = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(""));

test("no rule is wrongly skipped for any text", inBothLanes, () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect([text, wronglySkipped(text)]).toEqual([text, []]);
    }),
    { numRuns: runs(10_000) },
  );
});

test("no rule is wrongly skipped for the corpus, whole or cut off near the end", () => {
  expect(texts.length).toBeGreaterThan(1_000);
  for (const text of texts) {
    for (const cut of [0, 5, 11]) {
      const part = text.slice(0, Math.max(0, text.length - cut));
      expect([part, wronglySkipped(part)]).toEqual([part, []]);
    }
  }
});

test("no rule is wrongly skipped for any form, whole or cut off", () => {
  for (const secret of secrets) {
    for (const text of [secret, secret.slice(0, -3), `${secret.slice(0, -2)}…`, `key ${secret} is`]) {
      expect([text, wronglySkipped(text)]).toEqual([text, []]);
    }
  }
});

test("no rule is wrongly skipped for a form cut off as far as it is still recognized", () => {
  for (const secret of secrets) {
    const cut = secret.slice(0, Math.ceil(secret.length * 0.62));
    for (const text of [`see ${cut}`, `see ${cut}…`, `see ${cut}...`, `see ${cut}… at noon`])
      expect([text, wronglySkipped(text)]).toEqual([text, []]);
  }
});

test.each(BARE)("no rule is wrongly skipped for %j, which has hardly more than it requires", (text) => {
  expect(rules.some(({ apply }) => apply(text, context) !== text)).toBe(true);
  expect(wronglySkipped(text)).toEqual([]);
});

test("no form is shorter than the texts for which forms are skipped", () => {
  expect(Math.min(...FORMS.map(({ parts }) => leastLength(parts)))).toBeGreaterThanOrEqual(14);
});

test("no key beside a provider's name is shorter than the texts for which they are skipped", () => {
  const words = BESIDE_FACTS.map(({ notation }) => signsOf(valueOfNotation(notation, random)).longestWord);
  expect(Math.min(...words)).toBeGreaterThanOrEqual(15);
});

/** The same as `signsOf`, with one regular expression for each sign. */
const PATTERN_OF_SIGN: Readonly<Record<keyof typeof SIGN, RegExp>> = {
  digit: /[0-9]/,
  capital: /[A-Z]/,
  base64: /[A-Za-z0-9+/_-]/,
  space: / /,
  tab: /\t/,
  newline: /[\n\r]/,
  colon: /:/,
  equals: /=/,
  comma: /,/,
  semicolon: /;/,
  pipe: /\|/,
  doubleQuote: /"/,
  quote: /["'`]/,
  parenthesis: /\(/,
  less: /</,
  greater: />/,
  ampersand: /&/,
  percent: /%/,
  slash: /\//,
  hyphen: /-/,
  at: /@/,
  tokenSign: /[!#$%^&*+=?~@|{}]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what ASCII is
  beyondAscii: /[^\u0000-\u007f]/,
  gap: / {2}/,
};
const longest = (text: string, runs: RegExp): number =>
  Math.max(0, ...[...text.matchAll(runs)].map(([run]) => run.length));

test("signsOf reports exactly the signs that a text has", () => {
  const character = fc.oneof(
    fc.string({ unit: "binary-ascii", maxLength: 3 }),
    fc.string({ unit: "grapheme" }),
  );
  const text = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (any) => {
      const signs = signsOf(any);
      const reported = Object.entries(SIGN).filter(([, sign]) => hasAny(signs, sign));
      const expected = Object.entries(PATTERN_OF_SIGN).filter(([, pattern]) => pattern.test(any));
      expect(reported.map(([name]) => name)).toEqual(expected.map(([name]) => name));
      expect(signs).toMatchObject({
        digits: any.match(/[0-9]/g)?.length ?? 0,
        longestRun: longest(any, /[A-Za-z0-9+/_-]+/g),
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they end a word
        longestWord: longest(any, /[^\u0000-\u0020]+/g),
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they end a word
        lastWord: /[^\u0000-\u0020]*$/.exec(any)?.[0].length ?? 0,
      });
    }),
    { numRuns: 3_000 },
  );
});

test("signsOf measures runs and words, and reports signs", () => {
  const signs = signsOf("abc-1 2  end…");
  expect(signs).toMatchObject({ digits: 2, longestRun: 5, longestWord: 5, lastWord: 4 });
  expect(hasAny(signs, SIGN.gap)).toBe(true);
  expect(hasAny(signs, SIGN.beyondAscii)).toBe(true);
  expect(hasAny(signs, SIGN.capital | SIGN.quote | SIGN.newline)).toBe(false);
});
