/** tools/list shows a reduced schema that says nothing else. */
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { listTools } from "../../scripts/reference/tools-list.ts";
import { TOOLS } from "../../src/features/index.ts";
import { publishedSchema } from "../../src/mcp/published-schema.ts";

const options = { target: "draft-2020-12" } as const;

const schema = z.looseObject({
  required: z.string().default("$schema"),
  $schema: z.record(z.string(), z.number()),
  kind: z.enum(["required", "propertyNames"]),
  inner: z.array(z.strictObject({ additionalProperties: z.string() })),
});

describe("a published schema", () => {
  test("of an answer shows only names and types", () => {
    const shown = publishedSchema(schema)["~standard"].jsonSchema.output(options);
    expect(shown).toEqual({
      type: "object",
      properties: {
        required: { default: "$schema", type: "string" },
        $schema: { type: "object", additionalProperties: { type: "number" } },
        kind: { type: "string", enum: ["required", "propertyNames"] },
        inner: {
          type: "array",
          items: {
            type: "object",
            properties: { additionalProperties: { type: "string" } },
            additionalProperties: false,
          },
        },
      },
    });
  });

  test("of arguments also shows which are required", () => {
    const shown = publishedSchema(schema)["~standard"].jsonSchema.input(options);
    expect(shown).toMatchObject({
      required: ["$schema", "kind", "inner"],
      properties: { inner: { items: { required: ["additionalProperties"] } } },
    });
    expect(shown).not.toHaveProperty("$schema");
  });

  test("names its dialect where older ones would read it differently", () => {
    const id = z.string().meta({ id: "id" });
    const shown = publishedSchema(z.object({ from: id, to: id }))["~standard"].jsonSchema.input(options);
    expect(shown).toMatchObject({ $schema: "https://json-schema.org/draft/2020-12/schema", $defs: {} });
  });

  test("of an answer has one type per schema, and omits members of any type", () => {
    const { jsonSchema } = publishedSchema(
      z.looseObject({
        name: z.string().nullable(),
        body: z.unknown(),
        runs: z.record(z.string(), z.array(z.unknown())),
      }),
    )["~standard"];
    expect(jsonSchema.output(options)).toEqual({
      type: "object",
      properties: {
        name: { anyOf: [{ type: "string" }, { type: "null" }] },
        runs: { type: "object", additionalProperties: { type: "array" } },
      },
    });
  });

  test("validates like the original schema", async () => {
    const { validate } = publishedSchema(z.object({ id: z.string() }))["~standard"];
    expect(await validate({ id: "1" })).toEqual({ value: { id: "1" } });
    expect(await validate({})).toHaveProperty("issues");
  });
});

/** Members that contain a schema. */
const SCHEMA = new Set([
  "items",
  "not",
  "contains",
  "additionalProperties",
  "propertyNames",
  "if",
  "then",
  "else",
]);
const SCHEMAS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const NAMED_SCHEMAS = new Set(["properties", "$defs", "patternProperties"]);
/** Members that do not restrict a value. */
const REMARKS = new Set([
  "title",
  "description",
  "default",
  "examples",
  "$schema",
  "$id",
  "$comment",
  "$defs",
]);

/** The warnings of the MCP inspector (2.12.0, core/json/schemaLint.ts), each with its path. */
function unportable(schema: unknown, path: string): string[] {
  const faults: string[] = [];
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    return path.endsWith(".additionalProperties") ? [] : [`${path}: not an object`];
  const members = Object.entries(schema);
  if (members.every(([key]) => REMARKS.has(key))) faults.push(`${path}: allows anything`);
  for (const [key, value] of members) {
    const below = `${path}.${key}`;
    if (key === "type" && Array.isArray(value)) faults.push(`${below}: a list of types`);
    if (key === "$ref" && !String(value).startsWith("#")) faults.push(`${below}: leads elsewhere`);
    if (SCHEMA.has(key)) faults.push(...unportable(value, below));
    if (SCHEMAS.has(key) && Array.isArray(value))
      faults.push(...value.flatMap((each: unknown, index) => unportable(each, `${below}[${index}]`)));
    if (NAMED_SCHEMAS.has(key))
      faults.push(
        ...Object.entries({ ...value }).flatMap(([name, each]) => unportable(each, `${below}.${name}`)),
      );
  }
  return faults;
}

describe("tools/list", () => {
  test("has no schema that a client warns of", async () => {
    const faults = (await listTools(TOOLS)).flatMap(({ name, inputSchema, outputSchema }) => [
      ...unportable(inputSchema, `${name} input`),
      ...unportable(outputSchema, `${name} output`),
    ]);
    expect(faults).toEqual([]);
  });

  test.each([
    ["2020-12, which MCP assumes", () => new Ajv2020({ strict: true, validateFormats: false })],
    ["draft-07, which older clients assume", () => new Ajv({ strict: true, validateFormats: false })],
  ])("has valid schemas in JSON Schema %s", async (_name, createValidator) => {
    for (const { name, inputSchema, outputSchema } of await listTools(TOOLS)) {
      for (const schema of [inputSchema, outputSchema])
        expect(() => createValidator().compile({ ...schema }), name).not.toThrow();
    }
  });
});
