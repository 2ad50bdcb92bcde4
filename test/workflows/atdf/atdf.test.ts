/** ATDF blocks: which are valid, and the findings by line for those that are not. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAtdf } from "../../../src/workflows/atdf/read-atdf.ts";
import { MAX_ATDF_LENGTH } from "../../../src/workflows/atdf/source.ts";
import { inBothLanes, runs } from "../../support/lane.ts";
import { threadSeconds } from "../../support/thread-seconds.ts";

const VALID = `---
description: Gets a user's profile from their id.
version: 1.2.0
how_to_use:
  inputs:
    - name: user_id # what the agent fills in
      type: string
      required: true
      description: Unique identifier of the user.
    - name: limit
      type: integer
      required: false
      description: How many, at most.
      default: 10
  outputs:
    status: string (success/error)
    data:
      name: string
    meta:
      timestamp: string (ISO 8601)
when_to_use: When a user's profile is needed.
---
`;

/** As the guide prints it, which is not valid YAML. */
const GUIDE = VALID.replace("version: 1.2.0\n", "").replace(
  "    data:\n      name: string\n",
  "    data: (if status is success)\n      name: string\n    data: (if status is error)\n      code: string\n",
);

const codesOf = (text: string): string[] =>
  readAtdf(text).findings.map(({ line, code, path }) => `${line} ${code} ${path}`.trim());
const without = (part: string): string => VALID.replace(part, "");

test("a valid block is read in full", () => {
  expect(readAtdf(VALID)).toEqual({
    valid: true,
    findings: [],
    block: {
      description: "Gets a user's profile from their id.",
      version: "1.2.0",
      whenToUse: "When a user's profile is needed.",
      inputs: [
        {
          name: "user_id",
          type: "string",
          required: true,
          description: "Unique identifier of the user.",
          line: 6,
        },
        { name: "limit", type: "integer", required: false, description: "How many, at most.", line: 10 },
      ],
      outputs: ["status", "data", "meta"],
    },
  });
});

const HEAD = "description: d\nversion: 1.0\nwhen_to_use: w\n";
const OUT = "  outputs: {status: string, data: object, meta: object}\n";

describe("further valid forms", () => {
  test.each([
    ["no markers", VALID.replaceAll("---\n", "")],
    [
      "JSON",
      JSON.stringify({
        description: "d",
        version: "1",
        when_to_use: "w",
        how_to_use: { inputs: [], outputs: { status: "s", data: {}, meta: {} } },
      }),
    ],
    [
      "inputs by name",
      `${HEAD}how_to_use:\n  inputs:\n    a: {type: string, required: true, description: x}\n${OUT}`,
    ],
    [
      "inputs as JSON Schema",
      `${HEAD}how_to_use:\n  inputs:\n    type: object\n    properties:\n      a: {type: number, description: x}\n    required: [a]\n${OUT}`,
    ],
    ["no inputs", `${HEAD}how_to_use:\n  inputs: []\n${OUT}`],
    [
      "outputs as a list",
      `${HEAD}how_to_use:\n  inputs: []\n  outputs: [{name: status}, {name: data}, {name: meta}]\n`,
    ],
    [
      "the version in metadata",
      `${HEAD.replace("version: 1.0", "metadata: {version: v2}")}how_to_use:\n  inputs: []\n${OUT}`,
    ],
    [
      "several use cases",
      `${HEAD.replace("when_to_use: w", "when_to_use:\n  - one\n  - two")}how_to_use:\n  inputs: []\n${OUT}`,
    ],
    ["Windows line ends", VALID.replaceAll("\n", "\r\n")],
    [
      "types with comments",
      VALID.replace("type: string", "type: string (UUID)").replace("type: integer", "type: array<string>"),
    ],
    ["further keys", `${VALID.replace("---\ndesc", "---\ntool_id: x\ntags: [a]\ndesc")}`],
  ])("%s", (_form, text) => {
    expect(readAtdf(text)).toMatchObject({ valid: true, findings: [] });
  });
});

describe("each mistake is a finding with its line", () => {
  test.each([
    [
      "the guide's own example",
      GUIDE,
      ["2 missing version", "16 not_yaml", "18 duplicate_key how_to_use.outputs", "18 not_yaml"],
    ],
    [
      "no description",
      without("description: Gets a user's profile from their id.\n"),
      ["2 missing description"],
    ],
    ["no version", without("version: 1.2.0\n"), ["2 missing version"]],
    ["no when_to_use", without("when_to_use: When a user's profile is needed.\n"), ["2 missing when_to_use"]],
    [
      "an empty when_to_use",
      VALID.replace("When a user's profile is needed.", '""'),
      ["21 empty when_to_use"],
    ],
    ["no status", without("    status: string (success/error)\n"), ["15 missing how_to_use.outputs.status"]],
    [
      "no meta",
      without("    meta:\n      timestamp: string (ISO 8601)\n"),
      ["15 missing how_to_use.outputs.meta"],
    ],
    ["an input without a type", without("      type: string\n"), ["6 missing how_to_use.inputs[0].type"]],
    [
      "an input without required",
      without("      required: true\n"),
      ["6 missing how_to_use.inputs[0].required"],
    ],
    [
      "an input without a name",
      VALID.replace("- name: limit\n      type", "- type"),
      ["10 missing how_to_use.inputs[1].name"],
    ],
    [
      "an input without a description",
      without("      description: How many, at most.\n"),
      ["10 missing how_to_use.inputs[1].description"],
    ],
    [
      "required as a word",
      VALID.replace("required: true", "required: si"),
      ["8 wrong_kind how_to_use.inputs[0].required"],
    ],
    [
      "a type that JSON lacks",
      VALID.replace("type: integer", "type: int"),
      ["11 unknown_type how_to_use.inputs[1].type"],
    ],
    [
      "a type that only begins like one",
      VALID.replace("type: integer", "type: stringy"),
      ["11 unknown_type how_to_use.inputs[1].type"],
    ],
    [
      "two inputs with one name",
      VALID.replace("name: limit", "name: user_id"),
      ["6 duplicate_key how_to_use.inputs"],
    ],
    ["another spelling", VALID.replace("when_to_use", "whenToUse"), ["21 misnamed when_to_use"]],
    ["inputs at the top", `${HEAD}inputs: []\nhow_to_use:\n${OUT}`, ["4 misplaced how_to_use.inputs"]],
    ["a colon in a value", VALID.replace("Unique identifier", "Unique: identifier"), ["9 not_yaml"]],
    ["a tab", VALID.replace("  inputs:", "\tinputs:"), ["5 not_yaml"]],
    ["a fence", `\`\`\`yaml\n${VALID}\`\`\`\n`, ["1 fence"]],
    [
      "an alias",
      VALID.replace("How many, at most.", "*x").replace("Unique identifier of the user.", "&x u"),
      ["9 alias", "13 wrong_kind how_to_use.inputs[1].description", "13 alias"],
    ],
    [
      "a tag",
      VALID.replace("type: string", "type: !!js/function x"),
      ["7 unknown_type how_to_use.inputs[0].type", "7 tag"],
    ],
    ["two blocks", `${VALID}description: again\n`, ["23 several_blocks"]],
    ["prose", "Gets a user.", ["1 not_a_mapping"]],
    ["nothing", " \n", ["1 empty"]],
    ["a version without a number", VALID.replace("1.2.0", "latest"), ["3 wrong_kind version"]],
    ["an expression", VALID.replace("---\ndesc", "=---\ndesc"), ["1 expression"]],
  ])("%s", (_what, text, expected) => {
    expect(codesOf(text)).toEqual(expected);
  });

  test("and its column", () => {
    const [finding] = readAtdf(VALID.replace("type: integer", "type: int")).findings;
    expect(finding).toMatchObject({ line: 11, column: 7, severity: "error" });
  });
});

const piece = fc.constantFrom(
  ...VALID.split("\n").slice(0, 14),
  "how_to_use:",
  "inputs: x",
  "  - a",
  "\tb: c",
  "- name: [",
  "description: a: b",
  "*x",
  "&y z",
  "'",
  '"',
  "{",
  "version:",
  "outputs: []",
  "inputs: {a: , b: {type: }}",
  "inputs: [1, [2], {}]",
  "__proto__: {a: 1}",
  "constructor: x",
  "? x",
  ": y",
  "!!str z",
);

describe("any text", () => {
  test("is read without an exception, and each finding has a line and column", inBothLanes, async () => {
    await fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 9, arbitrary: piece }, fc.string()), { maxLength: 12 }),
        (lines) => {
          const text = lines.join("\n");
          const { valid, findings } = readAtdf(text);
          expect(valid).toBe(findings.every(({ severity }) => severity === "warning"));
          for (const { line, column } of findings) expect(line * column).toBeGreaterThan(0);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  test.each([
    ["brackets", "["],
    ["dashes", "- "],
    ["mappings", "{a: "],
    ["quotes", '"'],
    ["questions", "? "],
    ["values with colons", "a: b: c\n"],
    ["the same key", "k: 1\n"],
    ["tabs", "\t"],
    ["documents", "---\n"],
  ])("is read in bounded time: %s", (_what, part) => {
    const text = part.repeat(MAX_ATDF_LENGTH / part.length);
    const seconds = threadSeconds(() => readAtdf(text));
    // It takes a few tenths of a second.
    expect(seconds).toBeLessThan(5);
  });

  test("is read without expanding aliases", () => {
    const bomb = Array.from(
      { length: 40 },
      (_, index) => `k${index}: &a${index} [*a${index - 1}, *a${index - 1}]`,
    );
    const text = ["k: &a-1 [x]", ...bomb].join("\n");
    expect(readAtdf(text).findings.filter(({ code }) => code === "alias").length).toBeGreaterThan(40);
  });

  test("is refused if it is longer than a description can be", () => {
    expect(codesOf("x".repeat(MAX_ATDF_LENGTH + 1))).toEqual(["1 too_long"]);
  });
});
