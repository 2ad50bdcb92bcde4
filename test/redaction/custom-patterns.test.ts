/** Custom patterns: an accepted one is linear on any text, and any other is rejected. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkPattern } from "../../src/redaction/custom-patterns.ts";
import { createRedactor } from "../../src/redaction/redact.ts";
import { inBothLanes, runs } from "../support/lane.ts";

const problemOf = (text: string): string => {
  const checked = checkPattern(text);
  return "problem" in checked ? checked.problem : "";
};
const patternOf = (text: string): RegExp => {
  const checked = checkPattern(text);
  if ("pattern" in checked) return checked.pattern;
  throw new Error(checked.problem);
};

describe("a pattern is accepted", () => {
  test.each([
    "ACME-[A-Z0-9]{8,32}",
    "/acme-\\d{6}/i",
    "\\b\\d{3}-\\d{2}-\\d{4}\\b",
    "(?:\\d{4}[ -]?){3}\\d{4}",
    "(?<name>cust|client)_[0-9a-f]{16}",
    "^ORD\\d{6}$",
    "tok_\\w+",
    "tok_\\w+|key_\\w*",
    "[^\\]]{4}x",
    "\\x41\\u0042{3}",
    "a{2,}",
  ])("%s", (text) => {
    expect(problemOf(text)).toBe("");
  });
});

describe("a pattern is rejected with the reason", () => {
  test.each([
    ["(a+)+b", "upper limit"],
    ["(a|a)*b", "upper limit"],
    ["(x+x+)+y", "upper limit"],
    ["a+$", "upper limit"],
    ["a+?", "upper limit"],
    ["\\d+\\b", "upper limit"],
    ["(?:ab)+", "upper limit"],
    ["(a+)", "upper limit"],
    [".*secret.*", "upper limit"],
    ["a{3,}b", "upper limit"],
    ["a{1,30}a{1,30}b", "in all ways"],
    ["^(a?){30}a{30}$", "in all ways"],
    ["(a|b|ab){1,9}", "in all ways"],
    ["\\w{300}z", "in all ways"],
    ["[a-z]{1,16}[a-z]{1,16}!", "in all ways"],
    ["\\w{0,100}\\w{0,100}z", "in all ways"],
    ["(a)\\1", "refers back"],
    ["(?<x>a)\\k<x>", "refers back"],
    ["a(?=b)", "ahead or behind"],
    ["(?<!a)b", "ahead or behind"],
    ["\\p{L}{3}", "Unicode property"],
    ["a*", "empty text"],
    ["", "empty text"],
    ["^$", "empty text"],
    ["a{2000}", "1000 times"],
    ["(a{900}){2}", "1000 characters"],
    ["(", "not a valid regular expression"],
    ["[z-a]", "not a valid regular expression"],
    ["/a/g", "flags"],
    ["x".repeat(501), "500 characters"],
  ])("%s", (text, reason) => {
    expect(problemOf(text)).toContain(reason);
  });
});

/** Patterns from few letters, so that their parts compete for the same text. */
const anyPattern = fc
  .array(
    fc.constantFrom(
      ...["a", "b", "[ab]", "\\w", ".", "(?:a|b)", "(?:ab?)", "(a|ab)"],
      ...["{1,4}", "{2}", "?", "+", "*", "{3,}"],
      ...["|", "^", "$", "\\b", "-", "(", ")"],
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(""));

/** The engine does not say how many characters it examined; the CPU time of this thread is close enough. */
function threadMilliseconds(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  return process.threadCpuUsage(before).user / 1_000;
}

test("an accepted pattern takes linear time, even on texts made to be slow", inBothLanes, () => {
  const slow = (size: number): string[] => [
    "a".repeat(size),
    "ab".repeat(size / 2),
    `${"a".repeat(size / 2)}-${"b".repeat(size / 2)}`,
  ];
  const [short, long] = [slow(2_000), slow(40_000)];
  let accepted = 0;
  fc.assert(
    fc.property(anyPattern, (text) => {
      const checked = checkPattern(text);
      if ("problem" in checked) return;
      accepted += 1;
      const pattern = new RegExp(checked.pattern.source, "g");
      const costOf = (texts: readonly string[]): number =>
        threadMilliseconds(() => {
          for (const each of texts) each.replace(pattern, "");
        });
      const one = Math.max(0.5, costOf(short));
      expect(Math.min(costOf(long), costOf(long)) / one).toBeLessThan(20 * 10);
    }),
    { numRuns: runs(2_000) },
  );
  expect(accepted).toBeGreaterThan(runs(100));
});

test("the cost of custom patterns counts towards the limit of an answer", () => {
  const texts = Array.from({ length: 100 }, (_, index) => `${"a b ".repeat(5_000)}${index}`);
  const withheld = (patterns: readonly RegExp[]): number =>
    createRedactor([], { patterns })(texts).counts.withheld ?? 0;
  expect(withheld([patternOf("ACME-[A-Z0-9]{4,32}")])).toBe(0);
  expect(withheld([patternOf("[a-z]{1,100}!")])).toBeGreaterThan(50);
});

test("only the match is redacted, and redacting again changes nothing", () => {
  const redact = createRedactor([], {
    patterns: [patternOf("ACME-[A-Z0-9]{4,32}"), patternOf("RED\\w+|custom")],
  });
  const once = redact({ a: "for ACME-12AB and ACME-12AB, not acme-12ab", b: "Bearer abc123 REDX" });
  expect(once.value).toEqual({
    a: "for [REDACTED:custom#1] and [REDACTED:custom#1], not acme-12ab",
    b: "Bearer [REDACTED:bearer#1] [REDACTED:custom#2]",
  });
  expect(once.counts).toEqual({ custom: 3, bearer: 1 });
  expect(redact(once.value).value).toEqual(once.value);
});
