/**
 * Shortens a tool's schemas for `tools/list`, because every client pays for their tokens in each conversation, and
 * rewrites forms that some clients reject or warn about (rules of the MCP inspector 2.12, core/json/schemaLint).
 *
 * - `$schema` is dropped: MCP assumes JSON Schema 2020-12. It stays next to `$defs`, which older dialects do not know.
 * - `additionalProperties: {}` and `propertyNames: { type: "string" }` are dropped: they allow everything.
 * - `required` inside an answer is dropped: the full schema checks answers before they are sent.
 * - `properties: {}` of an answer is dropped; in arguments it stays, because clients look for it.
 * - Members and items of an answer without a type are dropped: docs/tools.md lists them.
 * - `type: ["string", "null"]` becomes `anyOf` with one type each: dialects with a single type drop a list.
 */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type * as z from "zod";

type JsonSchema = Readonly<Record<string, unknown>>;
type Form = "input" | "output";

/** Keywords whose members are named by us, not by JSON Schema. */
const NAMED = new Set(["properties", "$defs"]);
/** Keywords that contain values, not schemas. */
const VALUES = new Set(["enum", "const", "default", "examples"]);

/** Validates like the given schema, but publishes a shorter JSON Schema. */
export function publishedSchema(schema: z.ZodObject): StandardSchemaWithJSON {
  const standard = schema["~standard"];
  const { jsonSchema } = standard;
  return {
    "~standard": {
      ...standard,
      jsonSchema: {
        input: once((options) => shorten(jsonSchema.input(options), "input")),
        output: once((options) => shorten(jsonSchema.output(options), "output")),
      },
    },
  };
}

type ToJsonSchema = StandardSchemaWithJSON["~standard"]["jsonSchema"]["input"];

/** Caches each form. The SDK modifies what it receives, so it gets a copy. */
function once(toJsonSchema: ToJsonSchema): ToJsonSchema {
  const shown = new Map<string, Record<string, unknown>>();
  return (options) => {
    const key = JSON.stringify(options);
    const known = shown.get(key) ?? toJsonSchema(options);
    shown.set(key, known);
    return { ...known };
  };
}

function shorten(schema: JsonSchema, form: Form): Record<string, unknown> {
  const kept = Object.entries(schema).filter(([key, value]) => !isRedundant(key, value, schema, form));
  return Object.fromEntries(kept.map(([key, value]) => shortenMember(key, value, form)));
}

function shortenMember(key: string, value: unknown, form: Form): [key: string, value: unknown] {
  if (key === "type" && Array.isArray(value)) return ["anyOf", value.map((type: unknown) => ({ type }))];
  if (VALUES.has(key) || typeof value !== "object" || value === null) return [key, value];
  if (Array.isArray(value)) return [key, value.map((item: unknown) => shortenMember("", item, form)[1])];
  if (!NAMED.has(key)) return [key, shorten({ ...value }, form)];
  const members = Object.entries({ ...value }).filter(([, member]) => form === "input" || !isEmpty(member));
  return [
    key,
    Object.fromEntries(members.map(([name, member]) => [name, shortenMember("", member, form)[1]])),
  ];
}

function isRedundant(key: string, value: unknown, schema: JsonSchema, form: Form): boolean {
  switch (key) {
    case "$schema":
      return !("$defs" in schema);
    case "required":
      return form === "output";
    case "properties":
      return form === "output" && isEmpty(value);
    case "additionalProperties":
    case "items":
      return isEmpty(value);
    default:
      return key === "propertyNames";
  }
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;
