/**
 * Finds the fields of a YAML document by their proper names or synonyms, each with its place. Reports misnamed and
 * duplicate keys.
 */
import { isNode, isPair, isScalar, type Pair, type YAMLMap } from "yaml";
import type { AtdfFinding, Place } from "./source.ts";

/** Synonyms that people use for a field, by its proper name. */
const SYNONYMS: Readonly<Record<string, string>> = {
  description: "desc summary descripcion descripción descrição",
  when_to_use: "when_use use_when when",
  how_to_use: "how_use usage how",
  inputs: "input parameters params input_schema arguments",
  outputs: "output returns result",
  version: "tool_version ver",
  required: "mandatory requerido",
  type: "data_type",
  name: "parameter param field",
};

/** `whenToUse`, `when-to-use`, `When to use` → `when_to_use`. */
function snakeCase(key: string): string {
  return key
    .trim()
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1_$2")
    .replace(/[\s-]+/g, "_")
    .toLowerCase();
}

export const keyOf = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value) : "");

export const pairsOf = (map: YAMLMap): Pair[] => map.items.filter((item) => isPair(item));

export const exactly = (map: YAMLMap, key: string): Pair | undefined =>
  pairsOf(map).find((pair) => keyOf(pair) === key);

function byNameOrSynonym(map: YAMLMap, key: string): Pair | undefined {
  const names = [key, ...(SYNONYMS[key]?.split(" ") ?? [])];
  return exactly(map, key) ?? pairsOf(map).find((pair) => names.includes(snakeCase(keyOf(pair))));
}

/**
 * A value for the schema: the source text of a scalar, so that `1.0` stays `1.0`; empty for a key without a value;
 * undefined for an absent key; an object for anything that is not a scalar.
 */
export function readValue(of: unknown): unknown {
  if (of === undefined) return undefined;
  const node = isPair(of) ? of.value : of;
  if (!isNode(node)) return "";
  if (!isScalar(node)) return {};
  if (node.value === null) return "";
  return (typeof node.value === "string" ? node.value : (node.source ?? String(node.value))).trim();
}

export class Fields {
  readonly findings: AtdfFinding[] = [];
  readonly #offsets = new Map<string, number>();
  readonly #placeOf: (offset: number) => Place;

  constructor(placeOf: (offset: number) => Place) {
    this.#placeOf = placeOf;
  }

  /** The place of this path or, if it does not exist, of its closest existing parent. */
  placeAt(path: string): Place {
    const offset = this.#offsets.get(path);
    if (offset !== undefined || path === "") return this.#placeOf(offset ?? 0);
    return this.placeAt(path.replace(/(?:^|[.[])[^.[]*$/, ""));
  }

  /** Remembers the place of a path. For repeated keys, the first place counts. */
  keep(path: string, at: unknown): void {
    if (!this.#offsets.has(path)) this.#offsets.set(path, offsetOf(at));
  }

  report(code: string, at: unknown, path: string, message: string, fix: string): void {
    this.findings.push({ code, severity: "error", ...this.#placeOf(offsetOf(at)), path, message, fix });
  }

  reportAt(path: string, code: string, message: string, fix: string): void {
    this.findings.push({ code, severity: "error", ...this.placeAt(path), path, message, fix });
  }

  /** Finds a field by its name, or by a synonym, which it reports. */
  find(map: YAMLMap, key: string, path: string): Pair | undefined {
    const pair = byNameOrSynonym(map, key);
    if (pair === undefined) return undefined;
    this.keep(path, pair);
    if (keyOf(pair) !== key)
      this.report("misnamed", pair, path, `${path} has another name here.`, `Call it ${key}.`);
    return pair;
  }

  /** Finds a field of `how_to_use`, which some write at the top level instead. */
  findPart(root: YAMLMap, how: YAMLMap, key: string): Pair | undefined {
    const path = `how_to_use.${key}`;
    const pair = this.find(how, key, path) ?? byNameOrSynonym(root, key);
    if (pair === undefined || how.items.includes(pair)) return pair;
    this.keep(path, pair);
    this.report("misplaced", pair, path, `${keyOf(pair)} is at the top level.`, "Put it under how_to_use.");
    return pair;
  }

  /** Reports keys that appear twice. The first one counts. */
  reportDuplicates(map: YAMLMap, path: string): void {
    const seen = new Set<string>();
    for (const pair of pairsOf(map)) {
      const where = path === "" ? "This key" : `This key of ${path}`;
      if (seen.has(keyOf(pair)))
        this.report("duplicate_key", pair, path, `${where} appears here a second time.`, "Keep one of them.");
      seen.add(keyOf(pair));
    }
  }
}

/** Where a pair or a node begins, counted in characters. */
function offsetOf(at: unknown): number {
  const node = isPair(at) ? at.key : at;
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
