/**
 * An opening followed by one very long value, terminated or not, is read only once. The openings are taken from the
 * sources of the rules and from typical payloads.
 */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fragmentsOf } from "../../scripts/fuzz-redaction/fragments.ts";
import { fastest } from "../../scripts/fuzz-redaction/measure.ts";
import { inProject } from "../../scripts/project.ts";
import { createRedactor } from "../../src/redaction/redact.ts";
import { casesOf, inBothLanes, isHeavyLane } from "../support/lane.ts";
import { expectLinear, times } from "./linear-time.ts";

const redact = createRedactor(["a-secret-of-this-test"], { personalData: true });

/** Every opening is tried at this size; a suspiciously slow one is also tried at eight times the size. */
const SIZE = 16_000;
/** Suspicious is what takes this many times as long as the stretch alone, and at least this many milliseconds. */
const SUSPICIOUS = 4;
const LEAST_MILLISECONDS = 8;
const LONGEST_OPENING = 24;
const EVERY = 150;

const STRETCHES = [
  ...["a", "A", "aA", "Aa0", "0", "_a", "a_", "%41", "a b ", "nition", "é", "密"],
  ...["-", "=", "+", ".", ":", "/"],
  ...["a,", "a\n", "a=b&", "&a=", "<a", "[", "{", '"', "\\", "{ ", '\\"', `${"a".repeat(64)}\n`],
];
const ENDINGS = ["", "%", "\n", '"', " x"];

const CARRIERS: readonly ((text: string) => unknown)[] = [
  (text) => ({ text }),
  (text) => ({ [text]: "x1Y2z3" }),
  (text) => ({ headers: { authorization: text, "x-note": text } }),
  (text) => ({ text: JSON.stringify({ a: [text] }) }),
  (text) => ({ columns: ["id", "note"], rows: [[1, text]] }),
  (text) => [text, "-p", text],
  (text) => ({ query: { code: text } }),
  (text) => ({ password: { [text]: "2026-01-02" } }),
];

const { common, ofRules } = fragmentsOf(join(inProject(), "src/redaction"));
/** Openings that are tried in each lane, as a text. */
const ALWAYS_TRIED = ["&key=", "?code=", "https://a/?sig=", "#key=", "password for ", "client_id=", "name: "];
const OPENINGS = [
  ...ALWAYS_TRIED,
  ...casesOf(
    [...new Set([...common, ...ofRules])].filter((text) => text.length <= LONGEST_OPENING),
    EVERY,
  ),
];

describe("an opening before one long value takes linear time", inBothLanes, () => {
  test.each(STRETCHES.map((stretch) => [JSON.stringify(stretch.slice(0, 10)), stretch]))(
    "made of %s",
    (_name, stretch) => {
      const usualTimes = CARRIERS.map((carry) => {
        const value = carry(times(stretch, SIZE));
        return fastest(2, () => redact(value));
      });
      if (isHeavyLane)
        for (const carry of CARRIERS) expectLinear(redact, (size) => carry(times(stretch, size)), SIZE);
      for (const [index, opening] of OPENINGS.entries()) {
        const ending = ENDINGS[index % ENDINGS.length] ?? "";
        const text = (size: number): string => opening + times(stretch, size) + ending;
        const otherCarrier = 1 + (index % (CARRIERS.length - 1));
        const isAlwaysTried = index < ALWAYS_TRIED.length;
        for (const place of isHeavyLane ? [0, otherCarrier] : [isAlwaysTried ? 0 : index % CARRIERS.length]) {
          const carry = CARRIERS[place] ?? CARRIERS[0];
          const make = (size: number): unknown => carry?.(text(size));
          const value = make(SIZE);
          const most = Math.max(LEAST_MILLISECONDS, SUSPICIOUS * (usualTimes[place] ?? 0));
          if (fastest(1, () => redact(value)) > most) expectLinear(redact, make, SIZE);
        }
      }
    },
  );
});

describe("a value that was once read in quadratic time takes linear time", () => {
  test.each<[string, (size: number) => unknown]>([
    ["a parameter of a URL", (size) => ({ text: `&key=${times("nition", size)}` })],
    ["lines that look like base64 and are not", (size) => ({ text: times(`${"a".repeat(64)}\n`, size) })],
    ["such lines with a path in each", (size) => ({ text: times(`${"abcd/efg".repeat(8)}\n`, size) })],
    ["a long name in a secret's object", (size) => ({ password: { [`${times("expir", size)}_`]: "x" } })],
    [
      "a long name in a secret's object, with a time",
      (size) => ({ password: { [`${times("expir", size)}_`]: "2026-01-02" } }),
    ],
    [
      "the program before its flags",
      (size) => [times("a/", size / 2), ...Array.from({ length: size / 16 }, () => ["-p", "xyz"]).flat()],
    ],
  ])("%s", (_name, make) => {
    expectLinear(redact, make, SIZE);
  });
});

test("a long name that occurs often is classified only once", () => {
  const words = "คีย์ ключ कुंजी ключа מפתח مفتاح 钥匙 密钥 キー 鍵 կոդ κλειδί გასაღები кілт рамз ".repeat(4);
  const costOf = (name: (index: number) => string): number => {
    const names = Array.from({ length: 400 }, (_, index) => ({ [name(index).slice(0, 256)]: 1 }));
    return fastest(3, () => redact(names));
  };
  let count = 0;
  const different = (): string => {
    count += 1;
    return `${count} ${words}`;
  };
  expect(2 * costOf(() => words)).toBeLessThan(costOf(different));
});
