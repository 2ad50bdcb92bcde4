/** A text may skip the rules only if no rule would change it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canHoldSecret } from "../../src/redaction/plain-text.ts";
import { createRules } from "../../src/redaction/rules.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { contextOfRules } from "./rule-context.ts";

const { onText: rules, kindOfKey } = createRules([], { personalData: true });

/** Applies every rule, without the shortcut. */
function applyAllRules(text: string): string {
  const context = contextOfRules(kindOfKey);
  return rules.reduce((result, { apply }) => apply(result, context), text);
}

const piece = fc.oneof(
  fc.constantFrom(
    ...["password", "token", "Bearer", "Basic", "key", "sk-", "sk_live_", "AKIA", "ghp_", "eyJ", "at"],
    ...["-u", "--token", "555", "123-45-6789", "4111"],
    ...["-", "_", ".", "2026-11-22", "T10:00:00", "Z", "+01:00"],
    ...[" ", ":", "=", "pin"],
  ),
  fc.stringMatching(/^[A-Za-z0-9]{1,12}$/),
  fc.stringMatching(/^\d{1,12}$/),
);
const anyShortText = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "grapheme-ascii", maxLength: 40 }),
  fc.uuid(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);

test("no rule changes a text that skips the rules", inBothLanes, () => {
  let skipped = 0;
  fc.assert(
    fc.property(anyShortText, (text) => {
      if (canHoldSecret(text)) return;
      skipped += 1;
      expect(applyAllRules(text)).toBe(text);
    }),
    { numRuns: runs(20_000) },
  );
  expect(skipped).toBeGreaterThan(runs(4_000));
});

describe("ordinary values skip the rules", () => {
  test.each([
    ["", "success", "order-4711", "n8n-nodes-base", "4.5", "-17", "1732000000", "2026-11-22"],
    ["2026-11-22T10:00:00.000Z", "2026-11-22 10:00:00", "0b2f3a4c-1111-4222-8333-444455556666"],
  ])("%s and others", (...texts) => {
    expect(texts.filter(canHoldSecret)).toEqual([]);
  });
});

describe("a text that may hold a secret does not skip the rules", () => {
  test.each([
    "password=x",
    "a b",
    "555-123-4567",
    "123-45-6789",
    "4111111111111111",
    "sk_live_0123456789",
    "OTP-482913",
    "pin.0000",
    "Ａ",
    '"a"',
  ])("%s", (text) => {
    expect(canHoldSecret(text)).toBe(true);
  });
});
