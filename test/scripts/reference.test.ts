import { describe, expect, test } from "vitest";
import { readFields } from "../../scripts/reference/schema-fields.ts";
import { toolReference } from "../../scripts/reference/tool-reference.ts";
import { listTools, measureTools } from "../../scripts/reference/tools-list.ts";
import { TOOLS, toolsForInstances } from "../../src/features/index.ts";

/** The tokens of tools/list, which a client pays before its first call. */
const TOKEN_BUDGET = 9_700;
/** The part that hosts show their model: names, descriptions and arguments. */
const SHOWN_TOKEN_BUDGET = 5_000;
/** The same with several n8n instances, however many and whatever their names. */
const INSTANCES_TOKEN_BUDGET = 11_800;

describe("tool reference", () => {
  test("names every tool with its input, and is deterministic", async () => {
    const reference = await toolReference();
    for (const tool of TOOLS) {
      expect(reference).toContain(`\n## ${tool.name}\n`);
      for (const name of Object.keys(tool.input.shape)) expect(reference).toContain(`| \`${name}\` |`);
    }
    expect(await toolReference()).toBe(reference);
  });

  test("tools/list stays within its budget", async () => {
    const { total, shownToModel, tools } = measureTools(await listTools(TOOLS));
    expect(total).toBeLessThanOrEqual(TOKEN_BUDGET);
    expect(shownToModel).toBeLessThanOrEqual(SHOWN_TOKEN_BUDGET);
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
  });

  const numbered = (length: number, name: (index: number) => string): string[] =>
    Array.from({ length }, (_one, index) => name(index));
  test.each<[string, readonly string[]]>([
    ["two", ["prod", "staging"]],
    ["three", ["prod", "staging", "dev"]],
    ["twenty", numbered(20, (index) => `customer-${"abcdefghijklmnopqrst"[index]}-prod`)],
    [
      "twenty with the longest names that are listed everywhere",
      numbered(20, (index) => `x${index + 10}q-zk4-7v-w${index + 10}j`),
    ],
    [
      "twenty with the longest names",
      numbered(20, (index) => `x${index + 10}q7-northeurope-zk4-v9-w${index + 10}jk`),
    ],
  ])("tools/list stays within its budget with %s n8n instances", async (_name, names) => {
    expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(30);
    const { total } = measureTools(await listTools(toolsForInstances(TOOLS, names)));
    expect(total).toBeLessThanOrEqual(INSTANCES_TOKEN_BUDGET);
  });
});

describe("fields of a schema", () => {
  test("objects in lists and unions are listed with their members", () => {
    const schema = {
      type: "object",
      required: ["runs"],
      properties: {
        limit: { type: "integer", default: 10, description: "How many" },
        runs: { type: "array", items: { type: "object", properties: { id: { type: "string" } } } },
        error: { anyOf: [{ type: "object", properties: { code: { enum: ["A", "B"] } } }, { type: "null" }] },
      },
    };
    expect(
      readFields(schema).map(({ path, type, isRequired, fallback }) => [path, type, isRequired, fallback]),
    ).toEqual([
      ["limit", "integer", false, "10"],
      ["runs", "list of object", true, undefined],
      ["runs[].id", "string", false, undefined],
      ["error", "object or null", false, undefined],
      ["error.code", '"A", "B"', false, undefined],
    ]);
  });
});
