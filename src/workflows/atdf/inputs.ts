/**
 * `how_to_use.inputs`: a list of `{ name, type, required, description }`; or a mapping from the name to the
 * other three; or JSON Schema's `properties` with `required`. Pure.
 */
import { isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from "yaml";
import { type AtdfInput, INPUT_TYPES } from "./block.ts";
import type { Checker } from "./checker.ts";
import { findPair, keyOf, nodeOf, pairsOf, textOf } from "./fields.ts";

const PATH = "how_to_use.inputs";
const TYPES = INPUT_TYPES.join(", ");
/** `string`, `string (ISO 8601)`, `string[]`, `array<string>`, `string | null`. */
const KNOWN_TYPE = new RegExp(`^(?:${INPUT_TYPES.join("|")})(?![\\p{L}\\p{N}_])`, "iu");

export function isKnownType(type: string): boolean {
  return KNOWN_TYPE.test(type);
}

/** @returns undefined when it is no JSON Schema */
export function schemaOf(
  inputs: Node | undefined,
): { properties: YAMLMap; required: Set<string> } | undefined {
  if (!isMap(inputs)) return undefined;
  const properties = nodeOf(findPair(inputs, "properties"));
  if (!isMap(properties) || textOf(nodeOf(findPair(inputs, "type"))) !== "object") return undefined;
  const list = nodeOf(findPair(inputs, "required"));
  const required = isSeq(list) ? list.items.map((item) => (isScalar(item) ? String(item.value) : "")) : [];
  return { properties, required: new Set(required) };
}

export function readInputs(pair: Pair | undefined, checker: Checker): AtdfInput[] {
  if (pair === undefined) return [];
  const inputs = nodeOf(pair);
  const schema = schemaOf(inputs);
  if (schema !== undefined) {
    return pairsOf(schema.properties).flatMap((each) =>
      readNamed(each, checker, schema.required.has(keyOf(each))),
    );
  }
  if (isSeq(inputs))
    return withoutDuplicates(
      inputs.items.flatMap((item, index) => readItem(item, index, checker)),
      checker,
      inputs,
    );
  if (isMap(inputs)) {
    checker.duplicates(pairsOf(inputs), PATH);
    return pairsOf(inputs).flatMap((each) => readNamed(each, checker, undefined));
  }
  checker.error(
    "wrong_kind",
    pair,
    PATH,
    `${PATH} is neither a list nor a mapping.`,
    "List the inputs, each with name, type, required and description; [] when there are none.",
  );
  return [];
}

function readItem(item: unknown, index: number, checker: Checker): AtdfInput[] {
  const path = `${PATH}[${index}]`;
  if (!isMap(item)) {
    const at = isScalar(item) || isSeq(item) ? item : undefined;
    checker.error(
      "wrong_kind",
      at,
      path,
      `${path} is not a mapping.`,
      "Give it name, type, required and description.",
    );
    return [];
  }
  checker.duplicates(pairsOf(item), path);
  const pair = checker.field(item, "name", `${path}.name`, "Say the name that clients use.");
  const name = checker.text(pair, `${path}.name`, "Say the name that clients use.");
  return name === null ? [] : [readFacts(item, name, path, checker, undefined)];
}

function readNamed(pair: Pair, checker: Checker, isRequired: boolean | undefined): AtdfInput[] {
  const name = keyOf(pair);
  const path = `${PATH}.${name}`;
  const facts = nodeOf(pair);
  if (isMap(facts)) return [readFacts(facts, name, path, checker, isRequired)];
  checker.error(
    "wrong_kind",
    pair,
    path,
    `${path} is not a mapping.`,
    "Give it type, required and description.",
  );
  return [{ name, type: null, required: null, description: null, line: checker.lineOf(pair) }];
}

function readFacts(
  map: YAMLMap,
  name: string,
  path: string,
  checker: Checker,
  isRequired: boolean | undefined,
): AtdfInput {
  const typePair = checker.field(map, "type", `${path}.type`, `Say one of ${TYPES}.`);
  const type = checker.text(typePair, `${path}.type`, `Say one of ${TYPES}.`);
  if (type !== null && !isKnownType(type))
    checker.error(
      "unknown_type",
      typePair,
      `${path}.type`,
      `${path}.type is no type of JSON.`,
      `Say one of ${TYPES}.`,
    );
  const fix = "Say what the input is, for who has to fill it in.";
  const descriptionPair = checker.field(map, "description", `${path}.description`, fix);
  return {
    name,
    type,
    required: isRequired ?? readRequired(map, path, checker),
    description: checker.text(descriptionPair, `${path}.description`, fix),
    line: checker.lineOf(map),
  };
}

function readRequired(map: YAMLMap, path: string, checker: Checker): boolean | null {
  const pair = checker.field(map, "required", `${path}.required`, "Say true or false.");
  if (pair === undefined) return null;
  const value = nodeOf(pair);
  if (isScalar(value) && typeof value.value === "boolean") return value.value;
  checker.error(
    "wrong_kind",
    pair,
    `${path}.required`,
    `${path}.required is not true or false.`,
    "Say true or false.",
  );
  return null;
}

function withoutDuplicates(inputs: AtdfInput[], checker: Checker, at: Node): AtdfInput[] {
  const names = new Set<string>();
  for (const { name } of inputs) {
    if (names.has(name))
      checker.error("duplicate_key", at, PATH, "Two inputs have the same name.", "Keep one of them.");
    names.add(name);
  }
  return inputs;
}
