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
  test("keeps letters of all languages and emoji", () => {
    expect(toPlainText("notificación «ñandú» 漢字 🚀")).toBe("notificación «ñandú» 漢字 🚀");
  });

  test("disarms an escape sequence", () => {
    expect(toPlainText("a\u001B]0;title\u0007b")).toBe("a\uFFFD]0;title\uFFFDb");
  });

  test("turns line breaks into spaces, and cuts long text with an ellipsis", () => {
    expect(toPlainText("one\r\n\ttwo")).toBe("one two");
    expect(toPlainText("🚀🚀🚀", 2)).toBe("🚀…");
  });

  test("contains nothing that a terminal obeys, for any text", async () => {
    await fc.assert(fc.property(hostileText, (text) => !OBEYED.test(toPlainText(text))));
  });

  test("as JSON keeps its value, with nothing that a terminal obeys except line breaks", async () => {
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
