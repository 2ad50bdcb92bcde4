/**
 * A tool's schemas as `tools/list` publishes them: what says nothing is left out, since every client pays for
 * each of their tokens in each conversation.
 *
 * - `$schema` of an answer: JSON Schema 2020-12 is what MCP assumes without it (MCP, Tool, `outputSchema`). Of
 *   arguments it stays: the official conformance suite looks for it.
 * - `additionalProperties: {}` and `propertyNames: { type: "string" }`: they allow everything.
 * - `required` inside an answer: it is checked here, before it is sent, by the whole schema.
 */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type * as z from "zod";

type JsonSchema = Readonly<Record<string, unknown>>;
type Form = "input" | "output";

/** Members whose own members are named by us, not by JSON Schema. */
const NAMED = new Set(["properties", "$defs"]);
/** Members that hold values, not schemas. */
const VALUES = new Set(["enum", "const", "default", "examples"]);

/** The same schema to validate with, and a shorter one to show. */
export function publishedSchema(schema: z.ZodObject): StandardSchemaWithJSON {
  const standard = schema["~standard"];
  return {
    "~standard": {
      ...standard,
      jsonSchema: {
        input: (options) => shorten(standard.jsonSchema.input(options), "input"),
        output: (options) => shorten(standard.jsonSchema.output(options), "output"),
      },
    },
  };
}

function shorten(schema: JsonSchema, form: Form): Record<string, unknown> {
  const told = Object.entries(schema).filter(([key, value]) => !saysNothing(key, value, form));
  return Object.fromEntries(told.map(([key, value]) => [key, shortenMember(key, value, form)]));
}

function shortenMember(key: string, value: unknown, form: Form): unknown {
  if (VALUES.has(key) || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => shortenMember("", item, form));
  if (!NAMED.has(key)) return shorten({ ...value }, form);
  return Object.fromEntries(
    Object.entries({ ...value }).map(([name, member]) => [name, shortenMember("", member, form)]),
  );
}

function saysNothing(key: string, value: unknown, form: Form): boolean {
  if (key === "$schema" || key === "required") return form === "output";
  if (key === "additionalProperties") return isEmptyObject(value);
  return key === "propertyNames";
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
