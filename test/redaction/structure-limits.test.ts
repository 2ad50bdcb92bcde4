/**
 * Edge cases of each structural rule: variants that only this rule recognizes, and look-alikes. The secret is an
 * ordinary word, so that its form cannot give it away.
 */
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";

const redact = createRedactor([]);
const shown = (value: unknown): string => JSON.stringify(redact(value).value);
const SECRET = "grenadine7";
const WORD = "grenadine";

describe("a word is redacted as", () => {
  test.each<[string, unknown]>([
    [
      "the member that a field's type names",
      { name: "password", type: "phrase", phrase: SECRET, required: true },
    ],
    ["the only other member of an object with a name", { field: "password", shown_as: SECRET }],
    ["the text of an XML element", { $: { name: "password" }, _: WORD, note: "x" }],
    ["an item of a list of names and values", { rawHeaders: ["Host", "x", "Authorization", WORD] }],
    ["a cell of a column named auth", { columns: ["user", "auth"], rows: [["jo", SECRET]] }],
    ["a cell of a column named tokens", { columns: ["user", "tokens"], rows: [["jo", SECRET]] }],
    ["a cell under its column number", { columns: ["user", "password"], rows: [{ "0": "jo", "1": WORD }] }],
    [
      "a cell in a member of the row",
      { columns: ["user", "password"], rows: [{ id: 1, cells: ["jo", WORD] }] },
    ],
    ["an entry of runData that is no run", { runData: { password: [WORD] } }],
    ["a node type that is none", { nodeTypes: { password: WORD } }],
    ["a property of a schema that is no schema", { type: "object", properties: { password: WORD } }],
    ["a property outside a schema", { properties: { password: { type: "string", title: WORD } } }],
    ["a status that is none", { password: { status: WORD } }],
    ["a time that is none", { password: { created_at: WORD } }],
    ["a member of a token that is no claim", { token: { sub: "jo", data: WORD } }],
  ])("%s", (_name, value) => {
    expect(shown(value)).not.toContain(WORD);
    expect(shown(value)).toContain("[REDACTED:");
  });
});

describe("a word is shown as", () => {
  test.each<[string, unknown]>([
    ["a value whose name is an expression", { name: "={{ $json.password }}", value: SECRET }],
    ["a value beside a node's name", { nodeName: "password", value: SECRET, run: 0 }],
    ["an item of a list that is not names and values by turns", { list: ["password", SECRET, 5, "x"] }],
    [
      "a cell below a sentence",
      [
        ["Please note: this, and more!", "password"],
        ["x", SECRET],
      ],
    ],
  ])("%s", (_name, value) => {
    expect(shown(value)).toContain(WORD);
  });
});
