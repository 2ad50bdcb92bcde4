/** Reads a JSON schema, as tools/list gives it, into rows for people. Pure. */
import * as z from "zod";

const jsonSchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  required: z.array(z.string()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
});
type JsonSchema = z.infer<typeof jsonSchema>;

export interface Field {
  /** Dotted, with `[]` for the elements of a list. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** As JSON. */
  readonly fallback: string | undefined;
  readonly description: string;
}

/** The fields of an object and of the objects in it, each after the one that holds it. */
export function readFields(schema: unknown, prefix = ""): Field[] {
  const { properties = {}, required = [] } = jsonSchema.parse(schema);
  return Object.entries(properties).flatMap(([name, value]) => {
    const field = jsonSchema.parse(value);
    const path = prefix + name;
    return [
      {
        path,
        type: typeOf(field),
        isRequired: required.includes(name),
        fallback: field.default === undefined ? undefined : JSON.stringify(field.default),
        description: field.description ?? "",
      },
      ...readInner(field, path),
    ];
  });
}

function readInner(field: JsonSchema, path: string): Field[] {
  const below = field.items === undefined ? [] : readInner(jsonSchema.parse(field.items), `${path}[]`);
  const choices = (field.anyOf ?? []).flatMap((choice) => readInner(jsonSchema.parse(choice), path));
  const own = field.properties === undefined ? [] : readFields(field, `${path}.`);
  return [...own, ...below, ...choices];
}

function typeOf(schema: JsonSchema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(", ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf !== undefined) {
    return [...new Set(schema.anyOf.map((choice) => typeOf(jsonSchema.parse(choice))))].join(" or ");
  }
  if (schema.items !== undefined) return `list of ${typeOf(jsonSchema.parse(schema.items))}`;
  return [schema.type ?? "anything"].flat().join(" or ");
}
