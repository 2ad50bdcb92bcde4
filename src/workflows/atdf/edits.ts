/** Small changes to a YAML mapping. Comments stay. Pure but for the document that is given. */
import { type Document, isMap, type Pair, type YAMLMap } from "yaml";
import { findMisnamed, findPair, keyOf, nodeOf, pairsOf, SYNONYMS, textOf } from "./fields.ts";

/** The first stays; of two mappings, with the members of both. */
export function mergeDuplicates(map: YAMLMap): void {
  const first = new Map<string, Pair>();
  map.items = pairsOf(map).filter((pair) => {
    const key = keyOf(pair);
    const before = first.get(key);
    if (before === undefined) {
      first.set(key, pair);
      return true;
    }
    const [kept, dropped] = [nodeOf(before), nodeOf(pair)];
    if (isMap(kept) && isMap(dropped)) kept.items.push(...dropped.items);
    return false;
  });
  for (const pair of map.items) {
    const value = nodeOf(pair);
    if (isMap(value)) mergeDuplicates(value);
  }
}

export function add(document: Document, map: YAMLMap, key: string, value: unknown): Pair {
  const pair = document.createPair(key, value);
  map.items.push(pair);
  return pair;
}

/** The field of this name, renamed if it is called otherwise. */
export function renamed(document: Document, map: YAMLMap, key: string): Pair | undefined {
  const found = findPair(map, key);
  const misnamed = found ?? findMisnamed(map, key, SYNONYMS[key]);
  if (misnamed !== undefined && found === undefined) misnamed.key = document.createNode(key);
  return misnamed;
}

/** True when the field has some text; a field without is taken out. */
export function hasText(map: YAMLMap, pair: Pair | undefined): boolean {
  const text = textOf(nodeOf(pair));
  if (text !== undefined && text !== "") return true;
  map.items = map.items.filter((each) => each !== pair);
  return false;
}
