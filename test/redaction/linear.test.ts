/**
 * Redaction takes linear time, whatever the text. Compared is the CPU time of this thread at several sizes, not
 * wall-clock time, which depends on how busy the machine is.
 */
import { describe, expect, test } from "vitest";
import { Marks } from "../../src/redaction/marks.ts";
import { createRedactor } from "../../src/redaction/redact.ts";
import { createRules } from "../../src/redaction/rules.ts";
import { ValueRedaction } from "../../src/redaction/value-redaction.ts";
import { Work } from "../../src/redaction/work.ts";
import { casesOf, inBothLanes, sizeOf } from "../support/lane.ts";
import { threadSeconds } from "../support/thread-seconds.ts";
import { ordinaryValue } from "./corpus/measure.ts";
import { expectLinear as expectLinearIn, times } from "./linear-time.ts";
import { makeValue, rememberedTexts, type SlowText } from "./slow-texts.ts";

const SETTINGS = { personalData: true, patterns: [/ACME-[A-Z0-9]{8,32}/] };
const redact = createRedactor(["a-secret-of-this-test"], SETTINGS);
const rules = createRules(["a-secret-of-this-test"], { personalData: true });

/** The number of characters read, as redaction itself counts them. */
function workOf(value: unknown): number {
  const work = new Work();
  new ValueRedaction(rules, new Marks().of, { work }).value(value, { depth: 0 });
  return work.spent;
}

const expectLinear = (make: (size: number) => unknown, size: number): void =>
  expectLinearIn(redact, make, size);

/** Each stretch begins something that a rule looks for, and does not end it. */
const STRETCHES = [
  ...["a", "A1", " ", "\n", "0", "1 ", "/", "=", "==", "%41", "%2", "#", "@"],
  ...["a@", "a.b@c.", "+1 ", "ES91 2100 ", "4111 "],
  ...["://", "://a:", "://a#", "://a@", "?a=", "?token=", "?token=%41", "%3Ftoken%3D", "&key=a"],
  ...['"', '\\"', "\\", '"token":', '"token":"', '"token":{', '"token":[', '\\"token\\":\\"'],
  ...["token=", "token: ", "token='", "token=`", "x-api-key: a\n", "Cookie:", "Cookie: a"],
  ...["Authorization:", "Authorization: Digest ", "password=$(", "password={{", "password:a.b."],
  ...["--token ", "--token a ", "-u a:", "<token>", "<token>a", "<a b"],
  ...['name="token"\r\n\r\n', 'name="token"'],
  ...["Bearer ", "Basic ", "Basic abcd", "eyJ", "eyJhbGciOiJI."],
  ...["-----BEGIN PRIVATE KEY-----", "-----BEGIN "],
  ...["ghp_", "sk-", "sk-a-", "xoxb-", "AKIA", "SG.", "key-", "dapi", "hooks.slack.com/services/"],
  ...["maker.ifttt.com/trigger/a/with/key/", ".atlasv1."],
  ...["at /", "at f (/", "at (", 'File "/'],
  ...["data:a;base64,", "data:;a=b;", "YWJj", "YWJj/", "eyJhIjoxfQ"],
  ...["[REDACTED:", "[REDACTED:key#1]"],
  ...["{", "[", '{"a":', '[{"a":1},', '{"a":1}', "{{ ", '["'],
  ...["ACME-", "ACME-A", "Ａ", "\u200b", "é"],
];

const plain = { before: "", after: "", middle: "", second: "", shape: "repeated", carrier: "text" } as const;

describe("repeated beginnings of secrets take linear time", () => {
  test.each(casesOf(STRETCHES, 10).map((stretch) => [JSON.stringify(stretch), stretch]))(
    "%s",
    inBothLanes,
    (_name, stretch) => {
      expectLinear((size) => ({ text: times(stretch, size) }), 20_000);
      expectLinear((size) => ({ text: `${times(stretch, size)}%` }), 20_000);
      expectLinear((size) => ({ [times(stretch, size)]: 1 }), 20_000);
    },
  );
});

/** The limits that redaction sets: about four readings of each character, and an allowance for each text. */
const MOST_FOR_A_CHARACTER = 5;
const MOST_FOR_A_TEXT = 21_000;

describe("no text takes more work than its length allows", () => {
  test.each(STRETCHES.map((stretch) => [JSON.stringify(stretch), stretch]))(
    "%s",
    inBothLanes,
    (_name, stretch) => {
      for (const size of [5_000, sizeOf(100_000, 20_000)]) {
        const text = times(stretch, size);
        expect(workOf({ text })).toBeLessThan(MOST_FOR_A_CHARACTER * text.length + MOST_FOR_A_TEXT);
      }
    },
  );
});

describe("texts found by the fuzzer take linear time", () => {
  const found = rememberedTexts().map(({ target, ...described }): [string, SlowText] => [
    `${target}: ${JSON.stringify(described).slice(0, 200)}`,
    described,
  ]);
  test("and there are some", () => {
    expect(found.length).toBeGreaterThan(0);
  });
  test.each(casesOf(found, 10))("%s", inBothLanes, (_name, described) => {
    expectLinear((size) => makeValue(described, size), 15_000);
    expectLinear((size) => makeValue({ ...described, ...plain, stretch: described.stretch }, size), 15_000);
  });
});

test("a chain of names costs no more than the same names as separate words", () => {
  const redact = createRedactor([]);
  const secondsOf = (text: string): number => {
    redact(text);
    return Math.min(...[1, 2, 3].map(() => threadSeconds(() => redact(text))));
  };
  // It was twenty times as much while each name was read to the end of the chain.
  expect(secondsOf(":key".repeat(5_000))).toBeLessThan(8 * secondsOf(" : key".repeat(5_000)));
});

describe("large values take linear time", () => {
  test.each([
    ["ordinary data", (size: number) => ordinaryValue(size)],
    ["the same as JSON in a string", (size: number) => JSON.stringify(ordinaryValue(size))],
    ["one long text", (size: number) => times("the order was sent to the customer. ", size)],
    ["letters", (size: number) => times("a", size)],
    ["base64", (size: number) => Buffer.from(times("hello there, ", size)).toString("base64")],
    ["a token", (size: number) => `Bearer ${times("a1", size)}`],
    ["a key of a provider", (size: number) => `ghp_${times("a1", size)}`],
    ["a JWT", (size: number) => `eyJhbGciOiJI.${times("a1", size)}.x`],
    ["a parameter", (size: number) => `https://x.test/?next=${times("%41", size)}`],
    ["a fragment of JSON", (size: number) => `{"a":[${times('{"b":1},', size)}`],
    [
      "a list of secrets",
      (size: number) => Array.from({ length: size / 50 }, (_, n) => ({ password: `secret-${n}` })),
    ],
    ["a quoted text", (size: number) => `"token":"${times("a\\n", size)}"`],
  ])("%s", inBothLanes, (_name, make) => {
    expectLinear(make, sizeOf(100_000, 25_000));
  });
});
