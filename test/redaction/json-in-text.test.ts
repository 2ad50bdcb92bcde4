/** JSON within a text is redacted by its structure; what its parsed value does not hold is redacted as text. */
import { describe, expect, test } from "vitest";
import { HeldStretches, isWholeValue } from "../../src/redaction/json-stretches.ts";
import { replaceJson } from "../../src/redaction/json-text.ts";
import { createRedactor } from "../../src/redaction/redact.ts";
import { casesOf, inBothLanes } from "../support/lane.ts";
import { createCases } from "./corpus/measure.ts";

const redact = createRedactor([], { patterns: [/"customer":"[a-z]{1,20}"/] });
const shown = (value: unknown): string => JSON.stringify(redact(value).value);

/** One round of every kind of secret in every place. */
const CASES = 6_500;

describe("JSON within a text", () => {
  test("is redacted like its value, on the whole corpus", inBothLanes, () => {
    const missed = casesOf(createCases().slice(0, CASES)).filter(({ value, secrets }) => {
      const text = JSON.stringify(value);
      // A JSON string inside a text is a quotation, and has no structure.
      const around = typeof value === "string" ? [] : [`log: ${text} end`];
      return [text, JSON.stringify(value, null, 2), ...around].some((each) => {
        const result = shown({ each }).replaceAll("\\\\", "").replaceAll('\\"', '"');
        return secrets.some((secret) => result.includes(secret));
      });
    });
    expect(missed).toEqual([]);
  });

  test("is redacted in the first of two members with the same name too", () => {
    expect(shown({ body: '{"note":"Bearer abc123def456","note":"fine"}' })).not.toContain("abc123def456");
    expect(shown({ body: 'log {"note":"Bearer abc123def456","note":"fine"} end' })).not.toContain(
      "abc123def456",
    );
  });

  test("is matched by the operator's patterns with its quotes", () => {
    expect(redact({ body: '{"customer":"jane","n":1}' }).value).toEqual({
      body: '{[REDACTED:custom#1],"n":1}',
    });
    expect(shown({ body: 'log {"customer":"jane"} end' })).not.toContain("jane");
  });

  test("is redacted as a whole after a secret's name", () => {
    expect(redact({ log: 'failed: "items":[1],"password":["abc","def"], end' }).value).toEqual({
      log: 'failed: "items":[1],"password":[REDACTED:key#1], end',
    });
  });

  test("is redacted although the text contains the redactor's own placeholders", () => {
    const text = '["\u0080\u0080\u0080"] {"password":"abc123"} ["\u0080\u0080\u0081"]';
    expect(shown(text)).not.toContain("abc123");
    expect(shown(text)).toContain('[\\"\u0080\u0080\u0080\\"]');
  });
});

describe("JSON stretches of a text", () => {
  const findStretches = (text: string): string[] => {
    const sources: string[] = [];
    replaceJson(text, ({ source }) => {
      sources.push(source);
      return undefined;
    });
    return sources;
  };

  test.each([
    ['a {"b":1} c ["d"] e', ['{"b":1}', '["d"]']],
    ['{"cut":[{"a":1},{"b":"}"}', ['{"cut":[{"a":1},{"b":"}"}']],
    ['5" wide" {"a":[["x"]]}', ['{"a":[["x"]]}']],
    ['{"a" 1} {"b":2}', ['{"b":2}']],
  ])("are found in %s", (text, expected) => {
    expect(findStretches(text)).toEqual(expected);
  });

  test("are restored by the thousand, in any order", () => {
    const held = new HeldStretches("");
    const holders = Array.from({ length: 2_000 }, (_, index) => held.hold(`{"n":${index}}`) ?? "");
    expect(held.restore(holders.toReversed().join(","))).toBe(
      Array.from({ length: 2_000 }, (_, index) => `{"n":${1_999 - index}}`).join(","),
    );
  });

  test("are fully represented by their value unless a member is written twice", () => {
    for (const json of ['{"a":":","b":[{"c":null}]}', "[]", '{"a":{}}', ' { "a\\"" : 1 } ']) {
      expect(isWholeValue(json, JSON.parse(json))).toBe(true);
    }
    expect(isWholeValue('{"a":1,"a":2}', JSON.parse('{"a":1,"a":2}'))).toBe(false);
  });
});

describe("an encoded text that holds a secret is redacted", () => {
  const encode = (text: string, encoding: BufferEncoding = "utf8"): string =>
    Buffer.from(text, encoding).toString("base64");
  const secret = "password=hunter2hunter2";
  const inLines = (text: string, lineEnd: string): string => text.replace(/.{64}/g, (line) => line + lineEnd);

  test.each([
    ["as unbroken base64", `a ${encode(secret)} b`],
    ["as base64 with one letter too many at its end", `a ${encode(`${secret}xx`).replace(/=*$/, "")}A b`],
    ["as base64 without padding", encode(`${secret}x`).replace(/=*$/, "")],
    ["as base64 of ISO 8859-1", encode(`Größe der Tür, bitte: ${secret}`, "latin1")],
    ["as base64 in lines", inLines(encode(`${"x".repeat(45)} ${secret} ${"y".repeat(60)}`), "\n")],
    [
      "as base64 in lines, escaped for JSON",
      inLines(encode(`${"x".repeat(45)} ${secret} ${"y".repeat(60)}`), "\\n"),
    ],
    ["as base64 after a literal line break", `first\\n${encode(secret)}`],
    ["as base64 after a literal quote", `\\u0022${encode(secret)}\\u0022`],
    ["as base64 in a URL path", `/files/${encode(`${secret}xx`)}/end`],
    ["as percent-encoding", `/next/${encodeURIComponent(`a "${secret}" b`)}/end`],
    ["as percent-encoding, twice", encodeURIComponent(encodeURIComponent(`a "${secret}" b`))],
  ])("%s", (_name, text) => {
    const result = JSON.stringify(redact({ text }).value);
    expect(result).toMatch(/REDACTED:(?:base64|url-encoded)/);
  });

  test("but a text that only looks encoded stays", () => {
    const texts = [
      "aGVsbG8gdGhlcmUgd29ybGQ=",
      "n8n-nodes-base.httpRequest",
      "x".repeat(500),
      "%41%42 100% %zz",
    ];
    expect(redact(texts).value).toEqual(texts);
  });
});
