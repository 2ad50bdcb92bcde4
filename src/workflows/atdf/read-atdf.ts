/**
 * Reads an ATDF block: what it says, and what is wrong with it, by line and column. Takes any text, never
 * throws, and builds nothing from it but texts and positions. Pure.
 */
import { isMap, isScalar, isSeq, type Pair, type YAMLMap } from "yaml";
import type { AtdfBlock, AtdfFinding, AtdfReading } from "./block.ts";
import { Checker } from "./checker.ts";
import { findMisnamed, findPair, keyOf, mapOf, nodeOf, pairsOf, SYNONYMS, textOf } from "./fields.ts";
import { readInputs } from "./inputs.ts";
import { type AtdfSource, readSource } from "./source.ts";

/** The guide's standard output, every tool's. */
export const OUTPUTS = ["status", "data", "meta"] as const;

const SAY_WHAT = "Say in one sentence what the tool does.";
const SAY_WHEN = "Say when an agent should use the tool, and when not.";
const SAY_VERSION = 'Say the version of the tool, for example version: "1.0.0".';

/** Reads a block, as it stands in the `description` of a `toolWorkflow` node. */
export function readAtdf(text: string): AtdfReading {
  return readBlock(readSource(text));
}

const isError = ({ severity }: AtdfFinding): boolean => severity === "error";

export function readBlock(source: AtdfSource): AtdfReading {
  const checker = new Checker(source.placeOf);
  const block = source.document === undefined ? null : readRoot(source.document.contents, checker);
  const isEmpty = source.document === undefined && !source.findings.some(isError);
  if (isEmpty) {
    checker.error("empty", undefined, "", "There is no block.", "Describe the tool.");
  }
  const findings = [...source.findings, ...checker.findings].sort(
    (a, b) => a.line - b.line || a.column - b.column,
  );
  return {
    valid: block !== null && findings.every(({ severity }) => severity === "warning"),
    findings,
    block,
  };
}

function readRoot(root: unknown, checker: Checker): AtdfBlock | null {
  if (!isMap(root)) {
    const at = isScalar(root) || isSeq(root) ? root : undefined;
    const what = isScalar(root) ? "prose" : "a list";
    checker.error(
      "not_a_mapping",
      at,
      "",
      `This is ${what}, not a block of YAML keys.`,
      "Write it as description, how_to_use, when_to_use and version.",
    );
    return null;
  }
  checker.duplicates(pairsOf(root), "");
  const description = checker.field(root, "description", "description", SAY_WHAT);
  const when = checker.field(root, "when_to_use", "when_to_use", SAY_WHEN);
  return {
    description: checker.text(description, "description", SAY_WHAT),
    whenToUse: readWhen(when, checker),
    version: readVersion(root, checker),
    ...readHow(root, checker),
  };
}

/** A text, or a list of them. */
function readWhen(pair: Pair | undefined, checker: Checker): string | null {
  const value = nodeOf(pair);
  if (!isSeq(value)) return checker.text(pair, "when_to_use", SAY_WHEN);
  const cases = value.items.map((item) => (isScalar(item) ? textOf(item) : undefined));
  const isFilled = cases.length > 0 && cases.every((each) => each !== undefined && each !== "");
  if (!isFilled)
    checker.error("wrong_kind", pair, "when_to_use", "when_to_use is not a list of texts.", SAY_WHEN);
  return isFilled ? cases.join("; ") : null;
}

/** Of the tool: at the top, or under `metadata`, as ATDF 2 has it. */
function readVersion(root: YAMLMap, checker: Checker): string | null {
  const metadata = mapOf(nodeOf(findPair(root, "metadata")));
  const inMetadata = metadata === undefined ? undefined : findPair(metadata, "version");
  const pair = inMetadata ?? checker.field(root, "version", "version", SAY_VERSION);
  const version = checker.text(pair, "version", SAY_VERSION);
  if (version === null || /\d/.test(version)) return version;
  checker.error("wrong_kind", pair, "version", "version has no number.", SAY_VERSION);
  return null;
}

function readHow(root: YAMLMap, checker: Checker): Pick<AtdfBlock, "inputs" | "outputs"> {
  const pair = checker.field(root, "how_to_use", "how_to_use", "Put inputs and outputs under how_to_use.");
  const how = mapOf(nodeOf(pair));
  if (pair !== undefined && how === undefined) {
    checker.error(
      "wrong_kind",
      pair,
      "how_to_use",
      "how_to_use has no keys.",
      "Put inputs and outputs under it.",
    );
  }
  if (how !== undefined) checker.duplicates(pairsOf(how), "how_to_use");
  const inputs = readInputs(
    part(root, how, "inputs", "List the inputs; [] when there are none.", checker),
    checker,
  );
  return {
    inputs,
    outputs: readOutputs(part(root, how, "outputs", "Say status, data and meta.", checker), checker),
  };
}

/** `inputs` or `outputs`, which some put beside `how_to_use` instead of under it. */
function part(
  root: YAMLMap,
  how: YAMLMap | undefined,
  key: "inputs" | "outputs",
  fix: string,
  checker: Checker,
): Pair | undefined {
  const path = `how_to_use.${key}`;
  const inPlace =
    how !== undefined && (findPair(how, key) ?? findMisnamed(how, key, SYNONYMS[key])) !== undefined;
  const misplaced = findPair(root, key) ?? findMisnamed(root, key, SYNONYMS[key]);
  if (how !== undefined && (inPlace || misplaced === undefined)) return checker.field(how, key, path, fix);
  if (misplaced === undefined) return undefined;
  checker.error(
    "misplaced",
    misplaced,
    path,
    `${keyOf(misplaced)} stands at the top.`,
    "Put it under how_to_use.",
  );
  return misplaced;
}

function readOutputs(pair: Pair | undefined, checker: Checker): string[] {
  if (pair === undefined) return [];
  const path = "how_to_use.outputs";
  const outputs = nodeOf(pair);
  const names = outputNames(outputs);
  if (names === undefined) {
    checker.error("wrong_kind", pair, path, `${path} has no keys.`, "Say status, data and meta.");
    return [];
  }
  if (isMap(outputs)) checker.duplicates(pairsOf(outputs), path);
  for (const name of OUTPUTS) {
    if (!names.includes(name))
      checker.error(
        "missing",
        pair,
        `${path}.${name}`,
        `${path}.${name} is missing.`,
        `Say what ${name} holds.`,
      );
  }
  return names;
}

/** Of a mapping, or of a list of `{ name, … }`. */
export function outputNames(outputs: unknown): string[] | undefined {
  if (isMap(outputs)) return pairsOf(outputs).map(keyOf);
  if (!isSeq(outputs)) return undefined;
  return outputs.items.map((item) => (isMap(item) ? (textOf(nodeOf(findPair(item, "name"))) ?? "") : ""));
}
