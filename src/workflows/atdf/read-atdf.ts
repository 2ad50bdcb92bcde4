/**
 * Reads the content and the errors of an ATDF block, by line and column. ATDF (Agent Tool Description Format) is the
 * YAML in the `description` of a `toolWorkflow` node. The fields are those of the n8n MCP server guide of
 * agent-tool-description-format, section "Recommended Fields for ATDF", plus a required version.
 * Promises: it accepts any text, never throws, and produces only texts and positions. Pure.
 */
import { isMap, isScalar, isSeq, type Node, type Pair, YAMLMap } from "yaml";
import { exactly, Fields, keyOf, pairsOf, readValue } from "./fields.ts";
import { violationsOf } from "./schema.ts";
import { type AtdfFinding, readSource } from "./source.ts";

const INPUTS = "how_to_use.inputs";

/** An input as written, valid or not. */
interface InputPart {
  readonly path: string;
  readonly name: unknown;
  /** Undefined when it is not a mapping. */
  readonly facts:
    | { readonly type: unknown; readonly required: unknown; readonly description: unknown }
    | undefined;
}

export type AtdfInput = ReturnType<typeof toInput>[number];

/** `findings` are sorted by line; `block` is null if it could not be read. */
export function readAtdf(text: string) {
  const source = readSource(text);
  const root = source.document?.contents ?? undefined;
  const fields = new Fields(source.placeOf);
  const block = isMap(root) ? readBlock(root, fields) : null;
  if (root !== undefined && block === null) reportNoMapping(root, fields);
  if (root === undefined && !source.findings.some(isError))
    fields.report("empty", root, "", "There is no block.", "Describe the tool.");
  const findings = [...source.findings, ...fields.findings].sort(
    (a, b) => a.line - b.line || a.column - b.column,
  );
  return { valid: !findings.some(isError), findings, block };
}

const isError = ({ severity }: AtdfFinding): boolean => severity === "error";

function reportNoMapping(root: Node, fields: Fields): void {
  const message = `This is ${isScalar(root) ? "prose" : "a list"}, not a block of YAML keys.`;
  const fix = "Write it as description, how_to_use, when_to_use and version.";
  fields.report("not_a_mapping", root, "", message, fix);
}

/** A field that is missing or of the wrong kind is null. */
function readBlock(root: YAMLMap, fields: Fields) {
  fields.keep("", root);
  fields.reportDuplicates(root, "");
  const how = fields.find(root, "how_to_use", "how_to_use");
  const parts = isMap(how?.value) ? how.value : new YAMLMap();
  fields.reportDuplicates(parts, "how_to_use");
  const inputs = fields.findPart(root, parts, "inputs");
  const outputs = fields.findPart(root, parts, "outputs");
  const hasParts = isMap(how?.value) || inputs !== undefined || outputs !== undefined;
  const items = inputsOf(inputs, fields);
  const names = outputsOf(outputs, fields);
  const value = {
    description: readValue(fields.find(root, "description", "description")),
    version: readValue(findVersion(root, fields)),
    when_to_use: textsOf(fields.find(root, "when_to_use", "when_to_use")),
    how_to_use: hasParts
      ? { inputs: items?.map(toValue) ?? readValue(inputs), outputs: toRecord(names) ?? readValue(outputs) }
      : readValue(how),
  };
  for (const { code, path, complaint, fix } of violationsOf(value)) {
    const place = toPath(path, items ?? []);
    fields.reportAt(place, code, `${place} ${complaint}`, fix);
  }
  return {
    description: textOrNull(value.description),
    whenToUse: textOrNull(value.when_to_use),
    version: /\d/.test(String(value.version)) ? textOrNull(value.version) : null,
    inputs: (items ?? []).flatMap((item) => toInput(item, fields)),
    outputs: names ?? [],
  };
}

const toValue = ({ name, facts }: InputPart): unknown => (facts === undefined ? null : { name, ...facts });
const toRecord = (names: readonly string[] | undefined): unknown =>
  names && Object.fromEntries(names.map((name) => [name, name]));

/** Writes `["how_to_use", "inputs", 0, "type"]` as a path; inputs from a mapping keep their names. */
function toPath(path: readonly PropertyKey[], inputs: readonly InputPart[]): string {
  const [, , index, field] = path;
  const input = typeof index === "number" ? inputs[index]?.path : undefined;
  if (input === undefined) return path.join(".");
  return field === undefined ? input : `${input}.${String(field)}`;
}

function toInput({ path, name, facts }: InputPart, fields: Fields) {
  const known = textOrNull(name);
  if (known === null) return [];
  return [
    {
      name: known,
      type: textOrNull(facts?.type),
      required: typeof facts?.required === "boolean" ? facts.required : null,
      description: textOrNull(facts?.description),
      line: fields.placeAt(path).line,
    },
  ];
}

const textOrNull = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : null;

/** The tool's version is at the top level or, in ATDF 2, under `metadata`. */
function findVersion(root: YAMLMap, fields: Fields): Pair | undefined {
  const metadata = exactly(root, "metadata")?.value;
  const inMetadata = isMap(metadata) ? exactly(metadata, "version") : undefined;
  if (inMetadata === undefined) return fields.find(root, "version", "version");
  fields.keep("version", inMetadata);
  return inMetadata;
}

/** A text; lists of texts are joined. */
function textsOf(pair: Pair | undefined): unknown {
  if (!isSeq(pair?.value)) return readValue(pair);
  const texts = pair.value.items.map((item) => textOrNull(readValue(item)));
  return texts.length > 0 && !texts.includes(null) ? texts.join("; ") : {};
}

/**
 * `how_to_use.inputs`: a list of `{ name, type, required, description }`, a mapping from name to the other three, or
 * JSON Schema's `properties` with `required`. Undefined for anything else.
 */
function inputsOf(pair: Pair | undefined, fields: Fields): InputPart[] | undefined {
  const inputs = pair?.value;
  if (isSeq(inputs)) {
    const items = inputs.items.map((item, index) => readInput(item, item, `${INPUTS}[${index}]`, {}, fields));
    const names = items.flatMap(({ name }) => textOrNull(name) ?? []);
    for (const _again of names.slice(new Set(names).size))
      fields.report("duplicate_key", inputs, INPUTS, "Two inputs have the same name.", "Keep one of them.");
    return items;
  }
  if (!isMap(inputs)) return undefined;
  const properties = exactly(inputs, "properties")?.value;
  const isSchema = isMap(properties) && readValue(exactly(inputs, "type")) === "object";
  const list = exactly(inputs, "required")?.value;
  const required = isSeq(list) ? list.items.map(readValue) : [];
  const map = isSchema ? properties : inputs;
  fields.reportDuplicates(map, INPUTS);
  return pairsOf(map).map((each) => {
    const name = keyOf(each);
    const given = isSchema ? { name, required: required.includes(name) } : { name };
    return readInput(each.value, each, `${INPUTS}.${name}`, given, fields);
  });
}

/** @param given facts that the form states outside `facts` */
function readInput(
  facts: unknown,
  at: unknown,
  path: string,
  given: { readonly name?: string; readonly required?: boolean },
  fields: Fields,
): InputPart {
  fields.keep(path, isMap(facts) ? facts : at);
  if (!isMap(facts)) return { path, name: given.name, facts: undefined };
  fields.reportDuplicates(facts, path);
  const find = (key: string): Pair | undefined => fields.find(facts, key, `${path}.${key}`);
  return {
    path,
    name: given.name ?? readValue(find("name")),
    facts: {
      type: readValue(find("type")),
      required: given.required ?? booleanOf(find("required")),
      description: readValue(find("description")),
    },
  };
}

function booleanOf(pair: Pair | undefined): unknown {
  const value = pair?.value;
  return isScalar(value) && typeof value.value === "boolean" ? value.value : readValue(pair);
}

/** The names of a mapping, or of a list of `{ name, … }`; undefined for anything else. */
function outputsOf(pair: Pair | undefined, fields: Fields): string[] | undefined {
  const outputs = pair?.value;
  if (isSeq(outputs))
    return outputs.items.map((item) => String(isMap(item) ? (readValue(exactly(item, "name")) ?? "") : ""));
  if (!isMap(outputs)) return undefined;
  fields.reportDuplicates(outputs, "how_to_use.outputs");
  return pairsOf(outputs).map(keyOf);
}
