/** What tools/list shows of a schema: less, and nothing else. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { publishedSchema } from "../../src/mcp/published-schema.ts";

const options = { target: "draft-2020-12" } as const;

const schema = z.looseObject({
  required: z.string().default("$schema"),
  $schema: z.record(z.string(), z.number()),
  kind: z.enum(["required", "propertyNames"]),
  inner: z.array(z.strictObject({ additionalProperties: z.string() })),
});

describe("a published schema", () => {
  test("of an answer shows names and types alone", () => {
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

  test("of arguments says which are required, too", () => {
    const shown = publishedSchema(schema)["~standard"].jsonSchema.input(options);
    expect(shown).toMatchObject({
      required: ["$schema", "kind", "inner"],
      properties: { inner: { items: { required: ["additionalProperties"] } } },
    });
    expect(shown).toHaveProperty("$schema");
  });

  test("validates like the whole one", async () => {
    const { validate } = publishedSchema(z.object({ id: z.string() }))["~standard"];
    expect(await validate({ id: "1" })).toEqual({ value: { id: "1" } });
    expect(await validate({})).toHaveProperty("issues");
  });
});
