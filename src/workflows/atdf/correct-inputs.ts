/** Corrects `how_to_use.inputs`, whichever of its forms it has. Pure. */
import { type Document, isMap, isScalar, isSeq, type Node, type Pair, YAMLMap } from "yaml";
import { PLACEHOLDER } from "./block.ts";
import { add, hasText, mergeDuplicates, renamed } from "./edits.ts";
import { findPair, keyOf, nodeOf, pairsOf, textOf } from "./fields.ts";
import { isKnownType, schemaOf } from "./inputs.ts";

type Fill = (path: string) => string;

/** Words for types in other languages and notations. */
const TYPES: Readonly<Record<string, string>> = {
  str: "string",
  text: "string",
  texto: "string",
  cadena: "string",
  date: "string (ISO 8601 date)",
  datetime: "string (ISO 8601)",
  timestamp: "string (ISO 8601)",
  uuid: "string (UUID)",
  email: "string (e-mail)",
  url: "string (URL)",
  enum: "string",
  int: "integer",
  long: "integer",
  entero: "integer",
  float: "number",
  double: "number",
  decimal: "number",
  num: "number",
  numero: "number",
  número: "number",
  bool: "boolean",
  booleano: "boolean",
  dict: "object",
  map: "object",
  json: "object",
  objeto: "object",
  list: "array",
  lista: "array",
  tuple: "array",
};
const YES = /^(?:true|yes|y|si|sí|sim|on|1|required|mandatory)$/i;

export function correctInputs(document: Document, pair: Pair, fill: Fill, toFillIn: string[]): void {
  const inputs = nodeOf(pair);
  const correct = (map: YAMLMap, path: string, isSchema: boolean): void =>
    correctFacts(document, map, path, { fill, toFillIn, isSchema });
  if (isSeq(inputs)) {
    inputs.items = inputs.items.map((item, index) => namedItem(document, item, index, toFillIn));
    dropSameNames(inputs.items);
    for (const item of inputs.items)
      if (isMap(item)) correct(item, `how_to_use.inputs.${nameOf(item)}`, false);
    return;
  }
  if (!isMap(inputs)) {
    pair.value = document.createNode([]);
    return;
  }
  const schema = schemaOf(inputs);
  for (const each of pairsOf(schema?.properties ?? inputs)) {
    each.value = factsOf(document, nodeOf(each));
    if (isMap(each.value)) correct(each.value, `how_to_use.inputs.${keyOf(each)}`, schema !== undefined);
  }
}

/** `user_id: string` says the type, `user_id: the user` what it is. */
function factsOf(document: Document, facts: Node | undefined): Node {
  if (isMap(facts)) return facts;
  const text = textOf(facts) ?? "";
  if (text === "") return new YAMLMap();
  const isType = isKnownType(text) || Object.hasOwn(TYPES, text.toLowerCase());
  return document.createNode(isType ? { type: text } : { description: text });
}

/** An item of the list as a mapping with a name: `- user_id` and `- user_id: string` are seen too. */
function namedItem(document: Document, item: unknown, index: number, toFillIn: string[]): YAMLMap {
  const map = isMap(item) ? item : new YAMLMap();
  map.flow = false;
  mergeDuplicates(map);
  if (isScalar(item)) add(document, map, "name", textOf(item));
  const [only] = pairsOf(map);
  const isKeyed = map.items.length === 1 && only !== undefined && keyOf(only) !== "name";
  if (isKeyed) {
    const facts = factsOf(document, nodeOf(only));
    map.items = [document.createPair("name", keyOf(only)), ...(isMap(facts) ? pairsOf(facts) : [])];
  }
  if (hasText(map, renamed(document, map, "name"))) return map;
  const name = `${PLACEHOLDER.toLowerCase()}_${index + 1}`;
  toFillIn.push(`how_to_use.inputs[${index}].name`);
  map.items.unshift(document.createPair("name", name));
  return map;
}

const nameOf = (map: YAMLMap): string => textOf(nodeOf(findPair(map, "name"))) ?? "";

function dropSameNames(items: unknown[]): void {
  const seen = new Set<string>();
  const kept = items.filter((item) => {
    const name = isMap(item) ? nameOf(item) : "";
    const isNew = !seen.has(name);
    seen.add(name);
    return isNew;
  });
  items.splice(0, items.length, ...kept);
}

interface Place {
  readonly fill: Fill;
  readonly toFillIn: string[];
  /** Then `required` stands in a list elsewhere. */
  readonly isSchema: boolean;
}

function correctFacts(
  document: Document,
  map: YAMLMap,
  path: string,
  { fill, toFillIn, isSchema }: Place,
): void {
  mergeDuplicates(map);
  const type = renamed(document, map, "type");
  if (!hasText(map, type)) {
    add(document, map, "type", "string");
    toFillIn.push(`${path}.type`);
  } else if (type !== undefined) {
    const text = textOf(nodeOf(type)) ?? "";
    const known = TYPES[text.toLowerCase()];
    if (!isKnownType(text)) type.value = document.createNode(known ?? `string (${text})`);
  }
  if (!isSchema) correctRequired(document, map, path, toFillIn);
  if (!hasText(map, renamed(document, map, "description")))
    add(document, map, "description", fill(`${path}.description`));
}

function correctRequired(document: Document, map: YAMLMap, path: string, toFillIn: string[]): void {
  const pair = renamed(document, map, "required");
  const value = nodeOf(pair);
  if (isScalar(value) && typeof value.value === "boolean") return;
  const text = textOf(value);
  if (pair === undefined) add(document, map, "required", false);
  else pair.value = document.createNode(YES.test(text ?? ""));
  if (text === undefined) toFillIn.push(`${path}.required`);
}
