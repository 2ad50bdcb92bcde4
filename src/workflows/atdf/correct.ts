/**
 * Corrects an ATDF block as far as that is mechanical: what is misnamed or misplaced is put right, what can be
 * written in one way only is written that way, and where only a person can say what is meant a placeholder
 * stands. Comments stay. Pure.
 */
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Pair, visit, YAMLMap } from "yaml";
import { PLACEHOLDER } from "./block.ts";
import { correctInputs } from "./correct-inputs.ts";
import { add, hasText, mergeDuplicates, renamed } from "./edits.ts";
import { findMisnamed, findPair, mapOf, nodeOf, SYNONYMS, textOf } from "./fields.ts";
import { OUTPUTS, outputNames, readBlock } from "./read-atdf.ts";
import { readSource } from "./source.ts";

export interface Correction {
  /** A valid block. */
  readonly text: string;
  /** What was put in for want of anything better, as paths. */
  readonly toFillIn: readonly string[];
}

/** What every tool of the guide answers. */
const STANDARD_OUTPUT: Readonly<Record<string, unknown>> = {
  status: "string (success/error)",
  data: "object",
  meta: { timestamp: "string (ISO 8601)" },
};
const FIRST_VERSION = "1.0.0";

/** Comments in odd places move once more when they are written again; then they stay. */
const MAX_PASSES = 4;

/** @returns undefined when it cannot be corrected without knowing what is meant */
export function correctAtdf(text: string): Correction | undefined {
  let corrected = correctOnce(text);
  for (let pass = 1; pass < MAX_PASSES && corrected !== undefined; pass += 1) {
    const again = correctOnce(corrected.text);
    if (again === undefined || again.text === corrected.text) break;
    corrected = { ...corrected, text: again.text };
  }
  return corrected;
}

function correctOnce(text: string): Correction | undefined {
  const { document } = readSource(text);
  if (document === undefined || holdsAliases(document)) return undefined;
  const root = rootOf(document, text);
  if (root === undefined) return undefined;
  dropTagsAndSpace(document);
  const toFillIn: string[] = [];
  const fill = (path: string): string => {
    toFillIn.push(path);
    return `${PLACEHOLDER}: say ${path}`;
  };
  mergeDuplicates(root);
  correctHead(document, root, fill, toFillIn);
  const how = howOf(document, root);
  const inputs = findPair(how, "inputs") ?? add(document, how, "inputs", []);
  correctInputs(document, inputs, fill, toFillIn);
  correctOutputs(document, how);
  const body = document.toString({ lineWidth: 0 });
  const isFramed = /^\s*=?---/.test(text) && /\n---\s*$/.test(text);
  const corrected = isFramed ? `${body.startsWith("---") ? "" : "---\n"}${body}---\n` : body;
  return readBlock(readSource(corrected)).valid ? { text: corrected, toFillIn } : undefined;
}

function holdsAliases(document: Document): boolean {
  let found = false;
  visit(document, (_key, node) => {
    found ||= isAlias(node) || (isNode(node) && node.anchor !== undefined);
  });
  return found;
}

const FIELDS = ["description", "when_to_use", "how_to_use", "version", "inputs", "outputs"];

/** Prose becomes the description; with a colon in it, it looks like a mapping. */
function rootOf(document: Document, text: string): YAMLMap | undefined {
  const { contents } = document;
  const isBlock = (map: YAMLMap): boolean =>
    FIELDS.some(
      (key) => findPair(map, key) !== undefined || findMisnamed(map, key, SYNONYMS[key]) !== undefined,
    );
  if (isMap(contents) && isBlock(contents)) return contents;
  const prose = isScalar(contents) ? textOf(contents) : text.trim();
  if (prose === undefined || prose === "" || isSeq(contents)) return undefined;
  const root = document.createNode({ description: prose });
  document.contents = root;
  return mapOf(root);
}

/** Of an empty line before something that moves, nobody can say where it belongs. */
function dropTagsAndSpace(document: Document): void {
  visit(document, (_key, node) => {
    if (!isNode(node)) return;
    delete node.tag;
    delete node.spaceBefore;
  });
}

function correctHead(
  document: Document,
  root: YAMLMap,
  fill: (path: string) => string,
  toFillIn: string[],
): void {
  for (const key of ["description", "when_to_use"]) {
    const pair = renamed(document, root, key);
    const isList = key === "when_to_use" && isSeq(nodeOf(pair)) && !isEmptyList(pair);
    if (!isList && !hasText(root, pair)) add(document, root, key, fill(key));
  }
  const metadata = mapOf(nodeOf(findPair(root, "metadata")));
  const version =
    (metadata === undefined ? undefined : findPair(metadata, "version")) ??
    renamed(document, root, "version");
  if (/\d/.test(textOf(nodeOf(version)) ?? "")) return;
  if (version !== undefined) {
    version.value = document.createNode(FIRST_VERSION);
  } else {
    root.items.splice(1, 0, document.createPair("version", FIRST_VERSION));
  }
  toFillIn.push("version");
}

function isEmptyList(pair: Pair | undefined): boolean {
  const list = nodeOf(pair);
  return isSeq(list) && !list.items.some((item) => isScalar(item) && textOf(item) !== "");
}

/** With what stands beside it and belongs into it. */
function howOf(document: Document, root: YAMLMap): YAMLMap {
  const pair = renamed(document, root, "how_to_use") ?? add(document, root, "how_to_use", {});
  const how = mapOf(nodeOf(pair)) ?? new YAMLMap();
  pair.value = how;
  how.flow = false;
  for (const key of ["inputs", "outputs"]) {
    if (renamed(document, how, key) !== undefined) continue;
    const misplaced = renamed(document, root, key);
    if (misplaced === undefined) continue;
    root.items = root.items.filter((each) => each !== misplaced);
    how.items.push(misplaced);
  }
  return how;
}

function correctOutputs(document: Document, how: YAMLMap): void {
  const pair = findPair(how, "outputs") ?? add(document, how, "outputs", {});
  const outputs = nodeOf(pair);
  const named = outputNames(outputs) ?? [];
  const missing = OUTPUTS.filter((name) => !named.includes(name));
  if (isSeq(outputs)) {
    for (const name of missing)
      outputs.add(document.createNode({ name, type: name === "status" ? "string" : "object" }));
    return;
  }
  const map = isMap(outputs) ? outputs : new YAMLMap();
  map.flow = map.flow === true && missing.length === 0;
  pair.value = map;
  for (const name of missing) add(document, map, name, STANDARD_OUTPUT[name]);
}
