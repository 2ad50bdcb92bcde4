/** Error texts of one kind normalize to the same text, and those of different kinds do not. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { normalizeErrorText } from "../../src/executions/error-text.ts";
import { inBothLanes, runs } from "../support/lane.ts";
import { threadSeconds } from "../support/thread-seconds.ts";

describe("values of a single request are replaced", () => {
  test.each([
    ["numbers", "Order 4711 of 12 items", "Order 92 of 3 items"],
    ["line numbers", "Stock is gone. [line 1]", "Stock is gone. [line 23]"],
    ["item numbers", "Stock is gone. [item 0]", "Stock is gone."],
    ["quoted values", 'no customer "Ana"', 'no customer "Bo Ek, 3rd"'],
    ["values in other quotes", "no 'a', `b` or “c”", "no 'dd', `ee ff` or “g”"],
    [
      "JSON with escapes",
      '400 - "{\\"error\\":\\"Ana\\"}"',
      '500 - "{\\"error\\":\\"Bo, \\\\\\"x\\\\\\"\\"}"',
    ],
    ["members of JSON", 'for {"customer":"Ana","order":4711}', 'for {"customer":"Bo","order":92}'],
    ["URLs", "GET https://shop.example/orders/4711?by=ana failed", "GET http://[::1]:80/x failed"],
    [
      "URLs as n8n 1.x shortens them",
      "//shop.example/orders/4711?by=a@b.example",
      "//shop.example/o/9?by=c@d.example",
    ],
    ["e-mail addresses", "to ana@example.com.", "to bo.ek+x@mail.example.org."],
    ["UUIDs", "job 6fa459ea-ee8a-3ca4-894e-db77e160355e", "job 16fd2706-8baf-433b-82eb-8c7fada847da"],
    ["dates and times", "since 2026-01-10T09:00:00Z", "since 2025-12-31T23:59:59.123+01:00"],
    ["hexadecimal numbers", "object 0xdeadbeef at cafebabe", "object 0x1 at 00ff00ff"],
    ["hexadecimal numbers without a digit", "object deadbeef", "object 12ab"],
    ["IP addresses", "connect ECONNREFUSED 127.0.0.1:5678", "connect ECONNREFUSED 10.0.0.7:80"],
    ["paths", "cannot open /home/ana/a.csv", "cannot open /tmp/b"],
    ["Windows paths", "cannot open C:\\Users\\ana\\a.csv", "cannot open D:\\b.csv"],
    ["relative paths", "cannot open ../data/a.csv", "cannot open ./b.csv"],
    ["lists of any length", "missing ids 1, 2, 3", "missing ids 7"],
    ["white space", "late\n   again", " late again "],
    ["digits of any script", "Auftrag ٤٧", "Auftrag 12"],
  ])("%s", (_name, one, other) => {
    expect(one).not.toBe(other);
    expect(normalizeErrorText(one)).toBe(normalizeErrorText(other));
  });

  test("any value is replaced, wherever the message quotes it", inBothLanes, () => {
    const value = fc.string({ unit: "grapheme", maxLength: 40 }).filter((text) => !/["\\]/.test(text));
    const url = fc.webUrl().filter((text) => !text.includes("'") && /[\w/]$/.test(text));
    fc.assert(
      fc.property(value, fc.nat(), fc.uuid(), url, (name, order, id, address) => {
        const message = `Order ${order} (${id}) of "${name}" is not at ${address} any more`;
        expect(normalizeErrorText(message)).toBe("Order # (#) of ‹text› is not at ‹url› any more");
      }),
      { numRuns: runs(500) },
    );
  });
});

describe("what tells kinds of errors apart stays", () => {
  test.each([
    ["words", "Customer is blocked", "Customer is unknown"],
    ["codes in words", "connect ECONNREFUSED 1.2.3.4", "connect ETIMEDOUT 1.2.3.4"],
    ["names of fields that are not quoted", "$json.body.total is missing", "$json.body.order is missing"],
    ["apostrophes inside words", "can't and won't do it", "can't and won't see it"],
    ["two words with a slash", "read and/or write", "read or write"],
    ["types of content", "no application/json", "no text/plain"],
  ])("%s", (_name, one, other) => {
    expect(normalizeErrorText(one)).not.toBe(normalizeErrorText(other));
  });
});

test("the result is short, and no hostile text makes it slow", () => {
  const hostile = ['"', "“", "'", "`a", "a@", "://", "/", "\\", "[line ", "#, ", " ", "a.", '\\"', "1, "];
  const seconds = threadSeconds(() => {
    for (const part of hostile) {
      const normalized = normalizeErrorText(part.repeat(1_000_000 / part.length));
      expect(normalized.length).toBeLessThanOrEqual(300);
    }
  });
  // Each text is cut to 2,000 characters first.
  expect(seconds).toBeLessThan(1);
});
