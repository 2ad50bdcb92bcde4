/** Card numbers, IBANs and US social security numbers are redacted without any setting. */
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";

const redact = createRedactor([]);
const clean = (value: unknown) => redact(value).value;

const CARD = "4111111111111111";
const IBAN = "ES9121000418450200051332";
const SSN = "078-05-1120";

describe("an account number under a field name that says so is redacted", () => {
  test.each([
    ["card_number", CARD, "card", "1111"],
    ["cardNumber", Number(CARD), "card", "1111"],
    ["Card No.", "4111 1111 1111 1111", "card", "1111"],
    ["pan", "4111-1111-1111-1111", "card", "1111"],
    ["Kreditkartennummer", CARD, "card", "1111"],
    ["iban", IBAN, "iban", "1332"],
    ["account_number", "ES91 2100 0418 4502 0005 1332", "iban", "1332"],
    ["ssn", SSN, "ssn", "1120"],
    ["socialSecurityNumber", 78051120 + 100_000_000, "ssn", "1120"],
  ])("%s: %s", (name, value, kind, last) => {
    expect(clean({ [name]: value })).toEqual({ [name]: `[REDACTED:${kind}#1]…${last}` });
    expect(clean({ name, value })).toEqual({ name, value: `[REDACTED:${kind}#1]…${last}` });
    expect(clean(clean({ [name]: value }))).toEqual({ [name]: `[REDACTED:${kind}#1]…${last}` });
  });
});

describe("an account number in a text is redacted", () => {
  test.each([
    ["paid with 4111 1111 1111 1111.", "paid with [REDACTED:card#1]…1111."],
    ["card: 4111111111111111", "card: [REDACTED:card#1]…1111"],
    ["to ES91 2100 0418 4502 0005 1332 PAID", "to [REDACTED:iban#1]…1332 PAID"],
    ["lookup failed (SSN 078-05-1120)", "lookup failed (SSN [REDACTED:ssn#1]…1120)"],
  ])("%s", (text, redacted) => {
    expect(clean(text)).toBe(redacted);
    expect(clean(redacted)).toBe(redacted);
  });
});

describe("a number that only resembles an account number stays", () => {
  test.each<[unknown]>([
    [{ orderId: CARD }],
    [`order ${CARD}`],
    [{ cardNumber: "4111111111111112" }],
    [{ cardNumber: "1234567890123456" }],
    [{ account: "078-05-1120", iban: "ES9021000418450200051332" }],
    [{ ssn: "000-12-3456" }],
    ["078-05-1120"],
    [{ cardLast4: "1111" }],
    ["2026-11-21 10:30:00 1795185565718 +34 612 345 678"],
  ])("%j", (value) => {
    expect(clean(value)).toEqual(value);
  });
});
