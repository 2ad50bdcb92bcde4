/** Collects findings, each with its place, and asks the questions that every field is asked. */
import { isScalar, type Node, type Pair, type YAMLMap } from "yaml";
import { type AtdfCode, type AtdfFinding, PLACEHOLDER } from "./block.ts";
import { findMisnamed, findPair, keyOf, nodeOf, offsetOf, SYNONYMS, textOf } from "./fields.ts";
import type { Place } from "./source.ts";

export class Checker {
  readonly findings: AtdfFinding[] = [];
  readonly #placeOf: (offset: number) => Place;

  constructor(placeOf: (offset: number) => Place) {
    this.#placeOf = placeOf;
  }

  lineOf(at: Pair | Node | undefined): number {
    return this.#placeOf(offsetOf(at)).line;
  }

  error(code: AtdfCode, at: Pair | Node | undefined, path: string, message: string, fix: string): void {
    this.findings.push({ code, severity: "error", ...this.#placeOf(offsetOf(at)), path, message, fix });
  }

  /** The field of this name; says so when it is missing or called otherwise. */
  field(map: YAMLMap, key: string, path: string, fix: string): Pair | undefined {
    const pair = findPair(map, key);
    if (pair !== undefined) return pair;
    const misnamed = findMisnamed(map, key, SYNONYMS[key]);
    if (misnamed === undefined) {
      this.error("missing", map, path, `${path} is missing.`, fix);
      return undefined;
    }
    this.error("misnamed", misnamed, path, `${path} is called otherwise here.`, `Call it ${key}.`);
    return misnamed;
  }

  /** The text of a field that must have some. */
  text(pair: Pair | undefined, path: string, fix: string): string | null {
    if (pair === undefined) return null;
    const value = nodeOf(pair);
    const text = textOf(value);
    if (text !== undefined && text !== "") {
      if (text.startsWith(PLACEHOLDER)) this.#placeholder(pair, path);
      return text;
    }
    const isEmpty = text === "" || value === undefined || (isScalar(value) && value.value === null);
    if (isEmpty) this.error("empty", pair, path, `${path} is empty.`, fix);
    else this.error("wrong_kind", pair, path, `${path} is not a text.`, fix);
    return null;
  }

  duplicates(pairs: readonly Pair[], path: string): void {
    const seen = new Set<string>();
    for (const pair of pairs) {
      const key = keyOf(pair);
      if (seen.has(key)) {
        const where = path === "" ? "This key" : `This key of ${path}`;
        this.error("duplicate_key", pair, path, `${where} stands here a second time.`, "Keep one of them.");
      }
      seen.add(key);
    }
  }

  #placeholder(pair: Pair, path: string): void {
    this.findings.push({
      code: "placeholder",
      severity: "warning",
      ...this.#placeOf(offsetOf(pair)),
      path,
      message: `${path} still has a placeholder.`,
      fix: "Say what only you know.",
    });
  }
}
