/** Time grows as the size does: ten times the text takes about ten times as long, whatever stands in it. */
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";
import { ordinaryValue } from "./corpus/measure.ts";

const redact = createRedactor(["a-secret-of-this-test"], {
  personalData: true,
  patterns: [/ACME-[A-Z0-9]{8,32}/],
});

function millisecondsFor(value: unknown): number {
  const began = performance.now();
  redact(value);
  return performance.now() - began;
}

const MEGABYTE = 1_000_000;
const times = (text: string, size: number): string => text.repeat(Math.ceil(size / text.length));

/** Each stretch begins what a rule looks for, and does not end it. */
const STRETCHES = [
  "a",
  "A1",
  " ",
  "\n",
  "0",
  "1 ",
  "/",
  "=",
  "==",
  "%41",
  "%2",
  "#",
  "@",
  "a@",
  "a.b@c.",
  "+1 ",
  "ES91 2100 ",
  "4111 ",
  "://",
  "://a:",
  "://a#",
  "://a@",
  "?a=",
  "?token=",
  "?token=%41",
  "%3Ftoken%3D",
  "&key=a",
  '"',
  '\\"',
  "\\",
  '"token":',
  '"token":"',
  '"token":{',
  '"token":[',
  '\\"token\\":\\"',
  "token=",
  "token: ",
  "token='",
  "token=`",
  "x-api-key: a\n",
  "Cookie:",
  "Cookie: a",
  "Authorization:",
  "Authorization: Digest ",
  "password=$(",
  "password={{",
  "password:a.b.",
  "--token ",
  "--token a ",
  "-u a:",
  "<token>",
  "<token>a",
  "<a b",
  'name="token"\r\n\r\n',
  'name="token"',
  "Bearer ",
  "Basic ",
  "Basic abcd",
  "eyJ",
  "eyJhbGciOiJI.",
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN ",
  "ghp_",
  "sk-",
  "sk-a-",
  "xoxb-",
  "AKIA",
  "SG.",
  "key-",
  "dapi",
  "hooks.slack.com/services/",
  "maker.ifttt.com/trigger/a/with/key/",
  ".atlasv1.",
  "at /",
  "at f (/",
  "at (",
  'File "/',
  "data:a;base64,",
  "data:;a=b;",
  "YWJj",
  "YWJj/",
  "eyJhIjoxfQ",
  "[REDACTED:",
  "[REDACTED:key#1]",
  "{",
  "[",
  '{"a":',
  '[{"a":1},',
  '{"a":1}',
  "{{ ",
  '["',
  "ACME-",
  "ACME-A",
  "Ａ",
  "\u200b",
  "é",
];

describe("a megabyte of what begins a secret", () => {
  test.each(STRETCHES.map((stretch) => [JSON.stringify(stretch), stretch]))("%s", (_name, stretch) => {
    const text = times(stretch, MEGABYTE);
    expect(millisecondsFor({ text })).toBeLessThan(4_000);
    expect(millisecondsFor({ [times(stretch, MEGABYTE / 10)]: 1 })).toBeLessThan(2_000);
  });
});

describe("ten megabytes take about ten times one", () => {
  /** The noise of small measurements, and of the collector. */
  const SLACK = 3;
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
  ])(
    "%s",
    (_name, make) => {
      millisecondsFor(make(MEGABYTE / 10));
      const one = millisecondsFor(make(MEGABYTE));
      const ten = millisecondsFor(make(10 * MEGABYTE));
      expect(ten).toBeLessThan(10 * SLACK * Math.max(one, 50));
    },
    60_000,
  );
});
