/**
 * The limits of each structure: ways to write it that nothing else would tell, and what only looks like it. The
 * secret is a word, so that its form says nothing.
 */
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";

const redact = createRedactor([]);
const shown = (value: unknown): string => JSON.stringify(redact(value).value);
const SECRET = "grenadine7";
const WORD = "grenadine";

describe("hidden", () => {
  test.each<[string, unknown]>([
    [
      "the member that a field's type names",
      { name: "password", type: "phrase", phrase: SECRET, required: true },
    ],
    ["the one other member of an object with a name", { field: "password", shown_as: SECRET }],
    ["the text of an element", { $: { name: "password" }, _: WORD, note: "x" }],
    [
      "a word in a list that is told to hold names and values",
      { rawHeaders: ["Host", "x", "Authorization", WORD] },
    ],
    ["a column of authorizations", { columns: ["user", "auth"], rows: [["jo", SECRET]] }],
    ["a column of tokens", { columns: ["user", "tokens"], rows: [["jo", SECRET]] }],
    ["cells under their number", { columns: ["user", "password"], rows: [{ "0": "jo", "1": WORD }] }],
    [
      "cells in a member of the row",
      { columns: ["user", "password"], rows: [{ id: 1, cells: ["jo", WORD] }] },
    ],
    ["what is no run among runs", { runData: { password: [WORD] } }],
    ["what is no type of a node", { nodeTypes: { password: WORD } }],
    ["what is no schema among properties", { type: "object", properties: { password: WORD } }],
    ["properties of nothing", { properties: { password: { type: "string", title: WORD } } }],
    ["a state that is none", { password: { status: WORD } }],
    ["a time that is none", { password: { created_at: WORD } }],
    ["what is more than a token says of itself", { token: { sub: "jo", data: WORD } }],
  ])("%s", (_name, value) => {
    expect(shown(value)).not.toContain(WORD);
    expect(shown(value)).toContain("[REDACTED:");
  });
});

describe("shown", () => {
  test.each<[string, unknown]>([
    ["a value beside an expression", { name: "={{ $json.password }}", value: SECRET }],
    ["a value beside the name of a node", { nodeName: "password", value: SECRET, run: 0 }],
    ["words in a list that are not by turns", { list: ["password", SECRET, 5, "x"] }],
    [
      "rows below a sentence",
      [
        ["Please note: this, and more!", "password"],
        ["x", SECRET],
      ],
    ],
  ])("%s", (_name, value) => {
    expect(shown(value)).toContain(WORD);
  });
});
