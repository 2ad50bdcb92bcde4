/** JSON is read by its structure, once; what its value does not say is read as text. */
import { describe, expect, test } from "vitest";
import { HeldStretches, isWholeValue } from "../../src/redaction/json-stretches.ts";
import { replaceJson } from "../../src/redaction/json-text.ts";
import { createRedactor } from "../../src/redaction/redact.ts";
import { casesOf, inBothLanes } from "../support/lane.ts";
import { createCases } from "./corpus/measure.ts";

const redact = createRedactor([], { patterns: [/"customer":"[a-z]{1,20}"/] });
const shown = (value: unknown): string => JSON.stringify(redact(value).value);

/** One round of all kinds in all places. */
const CASES = 6_500;

describe("JSON as a text is redacted as its value would be", () => {
  test("on the whole corpus nothing is missed that the value itself gives away", inBothLanes, () => {
    const missed = casesOf(createCases().slice(0, CASES)).filter(({ value, secrets }) => {
      const text = JSON.stringify(value);
      // A string of JSON inside a text is a quoted text, and no structure.
      const around = typeof value === "string" ? [] : [`log: ${text} end`];
      return [text, JSON.stringify(value, null, 2), ...around].some((each) => {
        const result = shown({ each }).replaceAll("\\\\", "").replaceAll('\\"', '"');
        return secrets.some((secret) => result.includes(secret));
      });
    });
    expect(missed).toEqual([]);
  });

  test("of two members with one name, the first counts too", () => {
    expect(shown({ body: '{"note":"Bearer abc123def456","note":"fine"}' })).not.toContain("abc123def456");
    expect(shown({ body: 'log {"note":"Bearer abc123def456","note":"fine"} end' })).not.toContain(
      "abc123def456",
    );
  });

  test("a pattern of the operator's sees the text with its quotes", () => {
    expect(redact({ body: '{"customer":"jane","n":1}' }).value).toEqual({
      body: '{[REDACTED:custom#1],"n":1}',
    });
    expect(shown({ body: 'log {"customer":"jane"} end' })).not.toContain("jane");
  });

  test("a name before a stretch takes all of it", () => {
    expect(redact({ log: 'failed: "items":[1],"password":["abc","def"], end' }).value).toEqual({
      log: 'failed: "items":[1],"password":[REDACTED:key#1], end',
    });
  });

  test("whoever writes what stands for a stretch gains nothing by it", () => {
    const text = '["\u0080\u0080\u0080"] {"password":"abc123"} ["\u0080\u0080\u0081"]';
    expect(shown(text)).not.toContain("abc123");
    expect(shown(text)).toContain('[\\"\u0080\u0080\u0080\\"]');
  });
});

describe("stretches", () => {
  const found = (text: string): string[] => {
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
  ])("%s", (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  test("as many as there are codes for are held, in any order of return", () => {
    const held = new HeldStretches("");
    const holders = Array.from({ length: 2_000 }, (_, index) => held.hold(`{"n":${index}}`) ?? "");
    expect(held.restore(holders.toReversed().join(","))).toBe(
      Array.from({ length: 2_000 }, (_, index) => `{"n":${1_999 - index}}`).join(","),
    );
  });

  test("a value is whole if each member that is written is in it", () => {
    for (const json of ['{"a":":","b":[{"c":null}]}', "[]", '{"a":{}}', ' { "a\\"" : 1 } ']) {
      expect(isWholeValue(json, JSON.parse(json))).toBe(true);
    }
    expect(isWholeValue('{"a":1,"a":2}', JSON.parse('{"a":1,"a":2}'))).toBe(false);
  });
});

describe("encoded texts", () => {
  const encode = (text: string, encoding: BufferEncoding = "utf8"): string =>
    Buffer.from(text, encoding).toString("base64");
  const secret = "password=hunter2hunter2";
  const lines = (text: string, sign: string): string => text.replace(/.{64}/g, (line) => line + sign);

  test.each([
    ["in one run", `a ${encode(secret)} b`],
    ["with a letter too many at its end", `a ${encode(`${secret}xx`).replace(/=*$/, "")}A b`],
    ["without the signs at its end", encode(`${secret}x`).replace(/=*$/, "")],
    ["in ISO 8859-1", encode(`Größe der Tür, bitte: ${secret}`, "latin1")],
    ["in lines", lines(encode(`${"x".repeat(45)} ${secret} ${"y".repeat(60)}`), "\n")],
    ["in lines of a text in JSON", lines(encode(`${"x".repeat(45)} ${secret} ${"y".repeat(60)}`), "\\n")],
    ["behind a literal line break", `first\\n${encode(secret)}`],
    ["behind a literal quote", `\\u0022${encode(secret)}\\u0022`],
    ["as a segment of a path", `/files/${encode(`${secret}xx`)}/end`],
    ["percent-encoded", `/next/${encodeURIComponent(`a "${secret}" b`)}/end`],
    ["percent-encoded twice", encodeURIComponent(encodeURIComponent(`a "${secret}" b`))],
  ])("%s", (_name, text) => {
    const result = JSON.stringify(redact({ text }).value);
    expect(result).toMatch(/REDACTED:(?:base64|url-encoded)/);
  });

  test("what only looks like base64 stays", () => {
    const texts = [
      "aGVsbG8gdGhlcmUgd29ybGQ=",
      "n8n-nodes-base.httpRequest",
      "x".repeat(500),
      "%41%42 100% %zz",
    ];
    expect(redact(texts).value).toEqual(texts);
  });
});
