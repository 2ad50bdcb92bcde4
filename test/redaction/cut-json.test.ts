/** JSON that is truncated, broken or escaped inside a text is redacted by its structure. */
import { describe, expect, test } from "vitest";
import { JsonReader } from "../../src/redaction/json-reader.ts";
import { createRedactor } from "../../src/redaction/redact.ts";

const redact = createRedactor([]);
const clean = (value: unknown) => redact(value).value;

const CANARIES = ["Kb7wQz94xLpT", "Xd2mVn58yRsG", "Hc6jFt31uBwE"];
const BODY = JSON.stringify({
  user: "jo",
  password: CANARIES[0],
  headers: [
    { name: "Accept", value: "*/*" },
    { name: "X-Api-Key", value: CANARIES[1] },
  ],
  raw: JSON.stringify({ list: [1, 2, { token: CANARIES[2] }] }),
  end: "x",
});

/** Pieces of a secret long enough to be useful to a reader. */
function leakedPieces(text: string): string[] {
  return CANARIES.flatMap((canary) =>
    Array.from({ length: canary.length - 5 }, (_, at) => canary.slice(at, at + 6)).filter((piece) =>
      text.includes(piece),
    ),
  );
}

describe.each([
  ["plain", BODY],
  ["escaped", JSON.stringify(BODY).slice(1, -1)],
  ["escaped twice", JSON.stringify(JSON.stringify(BODY).slice(1, -1)).slice(1, -1)],
  ["in a sentence", `Request failed: ${BODY}`],
])("%s JSON leaks no secret", (_name, body) => {
  test.each(["", "… [1234 more bytes]", "…", "..."])("when it is cut anywhere and ends with %j", (mark) => {
    for (let end = 1; end <= body.length; end += 1) {
      const shown = String(clean(body.slice(0, end) + mark));
      expect(leakedPieces(shown), `cut at ${end}: ${shown}`).toEqual([]);
    }
  });
});

test("truncated JSON stays truncated, and the text around it stays", () => {
  expect(clean('see {"a":1,"headers":[{"name":"X-Api-Key","value":"hunt')).toBe(
    'see {"a":1,"headers":[{"name":"X-Api-Key","value":"[REDACTED:key#1]',
  );
  expect(clean('{"k":"password","v":"x1"}, oops} and [["a", "b"]')).toBe(
    '{"k":"password","v":"[REDACTED:key#1]"}, oops} and [["a", "b"]',
  );
});

test("a secret that was cut off before its first character has no mark", () => {
  const cut = '{"rows":"a b","password":"… [495 more bytes]';
  expect(clean(cut)).toBe(cut);
  expect(clean(`{"rows":"a b","password":"${CANARIES[0]}… [495 more bytes]`)).toBe(
    '{"rows":"a b","password":"[REDACTED:key#1]… [495 more bytes]',
  );
});

describe("reading takes a number of steps proportional to the text's length", () => {
  test.each(["[", '{"', '{"a":', '{\\"a\\":1,', '["', '{"password":"x"},', "\\", '{"a\\"'])(
    "of repeated %j",
    (part) => {
      const text = part.repeat(Math.ceil(50_000 / part.length));
      const reader = new JsonReader(text);
      let read = 0;
      for (let at = text.search(/[{[]/); at >= 0 && at < text.length; ) {
        reader.read(at);
        read += reader.at - at;
        const next = text.slice(Math.max(at + 1, reader.end)).search(/[{[]/);
        at = next < 0 ? -1 : Math.max(at + 1, reader.end) + next;
      }
      expect(read).toBeLessThan(text.length * 6);
    },
  );
});
