import { describe, expect, test } from "vitest";
import { hasIdentifierForm } from "../../../src/history/request-ids/identifier-form.ts";
import { createRandom, DIGITS, HEX, LOWER, type Random, UPPER, WORD } from "../../redaction/corpus/random.ts";
import { ordinaryTexts } from "../../support/ordinary-texts.ts";
import { threadSeconds } from "../../support/thread-seconds.ts";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const hex = (random: Random, ...lengths: readonly number[]): string =>
  lengths.map((length) => random.text(HEX, length)).join("-");

/** Ids that users may have of a request, by their generator. */
const MADE_BY_MACHINES: readonly [string, (random: Random) => string][] = [
  ["a UUID", (random) => hex(random, 8, 4, 4, 4, 12)],
  ["a UUID in braces", (random) => `{${hex(random, 8, 4, 4, 4, 12).toUpperCase()}}`],
  ["a ULID", (random) => `01J${random.text(CROCKFORD, 23)}`],
  ["a TypeID", (random) => `user_01h${random.text(CROCKFORD.toLowerCase(), 23)}`],
  ["a KSUID", (random) => `2${random.text(WORD, 26)}`],
  ["a nanoid", (random) => random.text(`${WORD}_-`, 21)],
  ["a cuid", (random) => `c${random.text(LOWER + DIGITS, 24)}`],
  ["an id of n8n's", (random) => random.text(WORD, 16)],
  ["16 bytes as base64url", (random) => random.text(`${WORD}_-`, 22)],
  ["32 bytes as base64", (random) => `${random.text(`${WORD}+/`, 43)}=`],
  ["a trace id", (random) => hex(random, 32)],
  ["a span id", (random) => hex(random, 16)],
  ["a traceparent", (random) => `00-${hex(random, 32, 16)}-01`],
  ["uber-trace-id", (random) => `${hex(random, 16)}:${hex(random, 16)}:0:1`],
  ["X-Amzn-Trace-Id", (random) => `Root=1-${hex(random, 8, 24)}`],
  ["X-Cloud-Trace-Context", (random) => `${hex(random, 32)}/${random.text(DIGITS, 19)};o=1`],
  ["CF-Ray", (random) => `${hex(random, 16)}-MAD`],
  ["x-amz-request-id", (random) => random.text(UPPER + DIGITS, 16)],
  ["a MongoDB ObjectId", (random) => hex(random, 24)],
  ["an id of Stripe's", (random) => `req_${random.text(WORD, 14)}`],
  ["a payment of Stripe's", (random) => `pi_3${random.text(WORD, 23)}`],
  ["an order of Amazon's", (random) => [3, 7, 7].map((length) => random.text(DIGITS, length)).join("-")],
  ["a time stamp of Slack's", (random) => `17105${random.text(DIGITS, 5)}.${random.text(DIGITS, 6)}`],
  ["an id of an e-mail", (random) => `<CA${random.text(WORD, 24)}@mail.gmail.com>`],
  ["an order", (random) => `order-2024-${random.text(DIGITS, 6)}`],
  ["a short order", (random) => `ORD-1${random.text(DIGITS, 4)}`],
  ["a number", (random) => `9${random.text(DIGITS, random.below(18))}`],
];

describe("an identifier", () => {
  test.each(MADE_BY_MACHINES)("is %s", (_kind, make) => {
    const random = createRandom(3);
    const made = Array.from({ length: 2_000 }, () => make(random));
    const refused = made.filter((text) => !hasIdentifierForm(text));
    // Random characters happen to form words: at most 2 % for sixteen characters, fewer for longer ids.
    expect(refused.length, refused[0]).toBeLessThanOrEqual(made.length / 50);
    const long = refused.filter((text) => text.length > 20);
    expect(long.length, long[0]).toBeLessThanOrEqual(made.length / 500);
  });

  test.each([
    "req-deep-failure",
    "request:checkout",
    "REQ/with/../slashes/7",
    "trace_nightly-import",
    "req-1",
    "request/7",
    "order-1732373123456",
    "order-20240317103000",
    "INV-000012345678",
    "wamid.1234567890123456789",
    "order-12345678",
    "K34600111222x9Qz4Tb2",
    "bd0729728411e6c7",
    "4711",
    "7",
  ])("is %s", (text) => {
    expect(hasIdentifierForm(text)).toBe(true);
  });
});

describe("no identifier", () => {
  test("is any of 500 ordinary texts, in any spelling", () => {
    const texts = ordinaryTexts(500);
    const spelled = texts.flatMap((text) => [
      text,
      text.toLowerCase(),
      text.toUpperCase(),
      ...["", "-", "_", "."].map((between) => text.replaceAll(/\s+/g, between)),
    ]);
    expect([...new Set(spelled.filter(hasIdentifierForm))]).toEqual([]);
  });

  test.each([
    ["a date without separators", "19840317"],
    ["a year", "1984"],
    ["nothing", ""],
    ["with a blank", "order 4711"],
    ["with non-ASCII letters", "req-ñandú"],
    ["longer than a request id may be", "a1".repeat(300)],
    ["an IPv6 address", "2001:db8::ff00:42"],
    ["a phone number of a chat", "whatsapp:+34600111222"],
    ["a phone number without a plus", "whatsapp:34600111222"],
    ["a phone number after a word", "wa_34600111222"],
    ["a phone number in a tel URI", "tel:34600111222"],
    ["a phone number after a letter", "u34600111222"],
    ["a phone number before a word", "34600111222-session"],
    ["a phone number after a name", "jane_doe_34600111222"],
    ["a phone number in a request id", "req-34600111222"],
    ["a phone number with a date", "34600111222-2024-03-17"],
    ["a sentence after a prefix", "req-jane.doe.has.cancer"],
    ["a name after a prefix", "trace.jane"],
    ["a path after a prefix", "request/leave/sick/jane"],
    ["a date after a prefix", "request/jane/1984-03-17"],
  ])("is %s", (_what, text) => {
    expect(hasIdentifierForm(text)).toBe(false);
  });

  test("is rejected in time proportional to its length", () => {
    const hostile = ["a-".repeat(256), "1.".repeat(256), "aB".repeat(256), "2024".repeat(128)];
    const seconds = threadSeconds(() => {
      for (const text of [...hostile, `${"x@".repeat(255)}y`])
        for (let again = 0; again < 100; again += 1) hasIdentifierForm(text);
    });
    expect(seconds).toBeLessThan(1);
  });
});
