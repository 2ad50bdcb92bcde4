import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toPlainJson, toPlainText } from "../../../scripts/ask/plain-text.ts";
import { anyCharacter } from "../../support/any-character.ts";

const OBEYED = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

/** Strings in which hostile characters are frequent. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom("\u001B[2J", "\u009B31m", "\u202E", "\u0007", "\r\n", "\uD83D", "\u007F", "🚀"),
    ),
  )
  .map((parts) => parts.join(""));

describe("plain text", () => {
  test("letters of all languages and emoji stay", () => {
    expect(toPlainText("notificación «ñandú» 漢字 🚀")).toBe("notificación «ñandú» 漢字 🚀");
  });

  test("an escape sequence is disarmed", () => {
    expect(toPlainText("a\u001B]0;title\u0007b")).toBe("a\uFFFD]0;title\uFFFDb");
  });

  test("line breaks become spaces, long text ends in an ellipsis", () => {
    expect(toPlainText("one\r\n\ttwo")).toBe("one two");
    expect(toPlainText("🚀🚀🚀", 2)).toBe("🚀…");
  });

  test("nothing that a terminal would obey is left of any text", async () => {
    await fc.assert(fc.property(hostileText, (text) => !OBEYED.test(toPlainText(text))));
  });

  test("JSON says the same, with nothing that a terminal would obey but line breaks", async () => {
    await fc.assert(
      fc.property(hostileText, hostileText, (name, text) => {
        const value = { [`k${name}`]: [text] };
        const json = toPlainJson(value);
        expect(json.replaceAll("\n", "")).not.toMatch(OBEYED);
        expect(JSON.parse(json)).toEqual(value);
      }),
    );
  });
});
