/** What an operator can add to redaction: custom patterns, and personal data. */
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";

describe("the operator's rules apply to numbers too", () => {
  const redact = createRedactor([], { patterns: [/\d{10}/g], personalData: true });
  test.each([{ customer: 1234567890 }, [1234567890], { data: [{ id: 1234567890 }] }])("in %j", (value) =>
    expect(JSON.stringify(redact(value).value)).not.toContain("1234567890"),
  );
  test("a card number is redacted with REDACT_PII", () =>
    expect(JSON.stringify(redact({ paidWith: 4111111111111111 }).value)).not.toContain("4111111111111111"));
  test("numbers that no pattern matches stay numbers", () =>
    expect(redact({ a: 1.5, b: 1700000000, c: -3, d: 123456789 }).value).toEqual({
      a: 1.5,
      b: "[REDACTED:custom#1]",
      c: -3,
      d: 123456789,
    }));
});

describe("REDACT_PII", () => {
  const redact = createRedactor([], { personalData: true });
  test.each([
    ["josé.garcia@example.com", "garcia@"],
    ["josé@example.com", "josé"],
    ["ada@müller.de", "ada@"],
    ["+49\u00a0170\u00a01234567", "1234567"],
    ["+49\u2011170\u20111234567", "1234567"],
    ["de89 3704 0044 0532 0130 00", "3704 0044"],
    ["DE89-3704-0044-0532-0130-00", "3704-0044"],
    ["20260131-DE89-3704-0044-0532-0130-00", "3704-0044"],
    ["BE71-096123456769", "096123456769"],
  ])("redacts %s", (text, secret) =>
    expect(redact({ text }).value).not.toEqual(
      expect.objectContaining({ text: expect.stringContaining(secret) }),
    ),
  );
  test.each(["00000000-ad52-6bb5-811f-e22800dc6942", "2f1c0a5e-61d3-4b7a-be59-0242ac120002"])(
    "leaves alone the UUID %s, whose last groups have the check digits of an IBAN",
    (id) => expect(redact({ text: `No order ${id}.` }).value).toEqual({ text: `No order ${id}.` }),
  );
  test("leaves package versions alone", () =>
    expect(redact({ t: "npm i n8n@2.40.5 @types/node@20.1.0" }).value).toEqual({
      t: "npm i n8n@2.40.5 @types/node@20.1.0",
    }));
});
