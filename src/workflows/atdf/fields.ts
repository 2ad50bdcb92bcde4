/** Small questions to a YAML mapping: which key, which value, where. Pure. */
import { isMap, isNode, isPair, isScalar, type Node, type Pair, type YAMLMap } from "yaml";

/** `whenToUse`, `when-to-use`, `When to use` → `when_to_use`. */
export function snakeCase(key: string): string {
  return key
    .trim()
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1_$2")
    .replace(/[\s-]+/g, "_")
    .toLowerCase();
}

export function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : "";
}

export function pairsOf(map: YAMLMap): Pair[] {
  return map.items.filter((item) => isPair(item));
}

export function findPair(map: YAMLMap, key: string): Pair | undefined {
  return pairsOf(map).find((pair) => keyOf(pair) === key);
}

/** The pair with a name that means this one: misspelt, or another word for it. */
export function findMisnamed(map: YAMLMap, key: string, synonyms: readonly string[] = []): Pair | undefined {
  return pairsOf(map).find((pair) => {
    const name = keyOf(pair);
    return name !== key && (snakeCase(name) === key || synonyms.includes(snakeCase(name)));
  });
}

export function nodeOf(pair: Pair | undefined): Node | undefined {
  return isNode(pair?.value) ? pair.value : undefined;
}

/** Where a pair or a node begins, in characters. */
export function offsetOf(of: Pair | Node | undefined): number {
  const node = isPair(of) ? of.key : of;
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** The text of a scalar as it is written, so that `1.0` stays `1.0`; undefined for anything else. */
export function textOf(node: Node | undefined): string | undefined {
  if (!isScalar(node) || node.value === null) return undefined;
  const text = typeof node.value === "string" ? node.value : (node.source ?? String(node.value));
  return text.trim();
}

export function mapOf(node: Node | undefined): YAMLMap | undefined {
  return isMap(node) ? node : undefined;
}

/** Other words for a field that were seen, by the word that is right. */
export const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  description: ["desc", "summary", "descripcion", "descripción", "descrição"],
  when_to_use: ["when_use", "use_when", "when"],
  how_to_use: ["how_use", "usage", "how"],
  inputs: ["input", "parameters", "params", "input_schema", "arguments"],
  outputs: ["output", "returns", "result"],
  version: ["tool_version", "ver"],
  required: ["mandatory", "requerido"],
  type: ["data_type"],
  name: ["parameter", "param", "field"],
};
