/**
 * Why an output parser refused a model's answer: the answer is in the parser's run, the schema in its parameters. Names
 * only fields of the schema, which the workflow itself mentions. Pure.
 */
import { memberOf, parsedJson, partOf, textAt } from "../../json/members.ts";
import { containsOmitted, jsonTypeOf } from "../../json/omitted.ts";
import type { WorkflowNode } from "../../n8n/schemas.ts";
import { isObject } from "../../platform/is-object.ts";
import type { Call } from "./calls.ts";

export interface Misfit {
  readonly what: "empty" | "no_json" | "fields" | "other";
  readonly missing: readonly string[];
  /** Fields of another type, or with a value that the schema does not allow. */
  readonly wrong: readonly string[];
}

/** The fields that an Information Extractor or a structured output parser asks the model for. */
export function expectedFields(node: WorkflowNode | undefined) {
  const attributes = memberOf(node?.parameters, "attributes", "attributes");
  if (memberOf(node?.parameters, "schemaType") === "fromAttributes" && Array.isArray(attributes))
    return attributes.flatMap((attribute) => {
      const name = textAt(attribute, "name");
      return name === undefined ? [] : [{ name, isRequired: memberOf(attribute, "required") === true }];
    });
  const schema = schemaOf(node);
  const [properties, required] = [partOf(schema, "properties"), partOf(schema, "required")];
  const names = isObject(properties) ? Object.keys(properties) : [];
  return names.map((name) => ({ name, isRequired: Array.isArray(required) && required.includes(name) }));
}

const NONE = { missing: [], wrong: [] } as const;

export function misfitOf({ given, sent }: Call, parser: WorkflowNode | undefined): Misfit {
  const text = textAt(given, "text") ?? textAt(sent, "text");
  const answer = text === undefined ? undefined : parsed(text);
  if (text === undefined || containsOmitted(text)) return { what: "other", ...NONE };
  if (text.trim() === "" || /^\{\s*\}$/.test(text.trim())) return { what: "empty", ...NONE };
  if (answer === undefined) return { what: "no_json", ...NONE };
  const own = partOf(answer, "output") ?? answer;
  const { missing, wrong } = compare(own, schemaOf(parser));
  return { what: missing.length + wrong.length > 0 ? "fields" : "other", missing, wrong };
}

/** n8n keeps the default of the parameter that is not in use, too. */
function schemaOf(node: WorkflowNode | undefined): unknown {
  const parameter = (name: string): unknown => parsed(memberOf(node?.parameters, name));
  if (memberOf(node?.parameters, "schemaType") === "manual") return parameter("inputSchema");
  const isStrict = typeof node?.typeVersion === "number" && node.typeVersion >= STRICT_SINCE;
  return parameter("jsonSchema") ?? likeExample(parameter("jsonSchemaExample"), isStrict);
}

/** The answer may be in a Markdown code block. */
const parsed = (text: unknown): unknown =>
  typeof text === "string" ? parsedJson(/```(?:json)?\s*([\s\S]*?)```/.exec(text)?.[1] ?? text) : undefined;

/** From this version of the parser on, n8n requires all fields of an example. */
const STRICT_SINCE = 1.3;

const likeExample = (example: unknown, isStrict: boolean): unknown =>
  isObject(example)
    ? {
        properties: Object.fromEntries(
          Object.entries(example).map(([name, value]) => [name, { type: jsonTypeOf(value) }]),
        ),
        required: isStrict ? Object.keys(example) : [],
      }
    : undefined;

function compare(answer: unknown, schema: unknown): Pick<Misfit, "missing" | "wrong"> {
  const properties = partOf(schema, "properties");
  if (!isObject(answer) || !isObject(properties)) return NONE;
  const required = partOf(schema, "required");
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return {
    missing: names.filter((name) => !Object.hasOwn(answer, name)),
    wrong: Object.keys(properties).filter(
      (name) => Object.hasOwn(answer, name) && !allows(properties[name], answer[name]),
    ),
  };
}

function allows(schema: unknown, value: unknown): boolean {
  const values = partOf(schema, "enum");
  if (Array.isArray(values) && !values.includes(value)) return false;
  const type = partOf(schema, "type");
  const types = Array.isArray(type) ? type : [type];
  const own = jsonTypeOf(value);
  return (
    typeof types[0] !== "string" || types.includes(own) || (own === "number" && types.includes("integer"))
  );
}
