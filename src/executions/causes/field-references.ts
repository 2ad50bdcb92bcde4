/**
 * Which fields of which nodes a parameter or a node's code reads: `$json.a.b`, `$('Node').first().json.a`,
 * `$node["Node"].json.a`, `$input.item.json.a`, `item.json.a`, and variables assigned one of these. Found by
 * pattern; nothing is evaluated. Pure, linear.
 */
import { isReadObject, type ReadValue } from "../../json/omitted.ts";
import type { WorkflowNode } from "../../n8n/schemas.ts";

export interface FieldReference {
  /** The node that it names; null for the node's own input. */
  readonly node: string | null;
  /** Members below the item's `json`; a method called at the end counts as a member too. */
  readonly path: readonly string[];
  /** It handles missing values: `?.`, `??`, `||`. */
  readonly hasFallback: boolean;
  /** Indexes of the path's members that are read by `?.`, which never fails on a missing value. */
  readonly optionalAt: readonly number[];
  /** How many members were read into a variable that is used later: `?.` in one chain does not guard the other. */
  readonly inVariable: number;
}

const NAME = String.raw`[A-Za-z_$][\w$]*`;
const QUOTED = String.raw`(?:'[^'\n]{1,200}'|"[^"\n]{1,200}"|\`[^\`\n]{1,200}\`)`;
/** The ways to select an item: `.first()`, `.all()[0]`, `.item`. */
const ITEM = String.raw`(?:\??\.(?:item|first\([^()]{0,20}\)|last\([^()]{0,20}\)|all\([^()]{0,20}\)\[\d{1,6}\]|itemMatching\([^()]{0,40}\)))`;
const BASE = new RegExp(
  [
    String.raw`(?<json>\$json)(?![\w$])`,
    String.raw`\$\((?<named>${QUOTED})\)${ITEM}\??\.json`,
    String.raw`\$node\[(?<old>${QUOTED})\]\??\.json`,
    String.raw`\$items\((?<items>${QUOTED})[^()]{0,20}\)\[\d{1,6}\]\??\.json`,
    String.raw`(?<input>\$input)${ITEM}\??\.json`,
    String.raw`(?<item>\b(?:item|items\[\d{1,6}\]))\.json`,
  ].join("|"),
  "g",
);
const MEMBER = new RegExp(
  String.raw`\s{0,20}(?:(\??)\.(${NAME})|(?:\?\.)?\[(${QUOTED})\]|(?:\?\.)?\[(\d{1,6})\])`,
  "y",
);
const FALLBACK = /\s{0,20}(?:\(\))?\s{0,20}(?:\?\?|\|\|)/y;
/** A variable that is assigned what follows. */
const ASSIGNED = new RegExp(String.raw`(?:const|let|var)\s{1,20}(${NAME})\s{0,20}=\s{0,20}$`);

const MAX_TEXT = 20_000;
const MAX_REFERENCES = 200;
const MAX_VARIABLES = 20;

const unquoted = (text: string): string => text.slice(1, -1);

/** Code or an expression that reads one item of a node without `?.`. */
const ONE_ITEM = new RegExp(
  String.raw`\$\((${QUOTED})\)\.(?:first\(\)|last\(\)|item|all\(\)\[\d{1,6}\])\.json`,
  "g",
);

export const nodesReadForOneItem = (text: string): string[] =>
  [...text.slice(0, MAX_TEXT).matchAll(ONE_ITEM)].map(([, quoted = ""]) => unquoted(quoted));

interface Chain {
  readonly path: readonly string[];
  readonly hasFallback: boolean;
  readonly optionalAt: readonly number[];
  readonly end: number;
}

function chainAt(text: string, start: number): Chain {
  const path: string[] = [];
  const optionalAt: number[] = [];
  let end = start;
  for (;;) {
    MEMBER.lastIndex = end;
    const found = MEMBER.exec(text);
    if (found === null) break;
    const [whole, mark, name, quoted, index] = found;
    if (mark === "?" || whole.includes("?.")) optionalAt.push(path.length);
    path.push(name ?? (quoted === undefined ? (index ?? "") : unquoted(quoted)));
    end = MEMBER.lastIndex;
  }
  FALLBACK.lastIndex = end;
  return { path, optionalAt, hasFallback: optionalAt.length > 0 || FALLBACK.test(text), end };
}

export function referencesIn(text: string): FieldReference[] {
  const read = text.slice(0, MAX_TEXT);
  const references: FieldReference[] = [];
  const variables = new Map<string, FieldReference>();
  for (const found of read.matchAll(BASE)) {
    if (references.length >= MAX_REFERENCES) break;
    const { named, old, items } = found.groups ?? {};
    const quoted = named ?? old ?? items;
    const node = quoted === undefined ? null : unquoted(quoted);
    const { end, ...chain } = chainAt(read, found.index + found[0].length);
    const reference = { node, ...chain, inVariable: 0 };
    references.push(reference);
    const [, variable] = ASSIGNED.exec(read.slice(Math.max(0, found.index - 100), found.index)) ?? [];
    const isWhole = /^\s{0,20}(?:;|\n|$)/.test(read.slice(end, end + 30));
    if (variable !== undefined && isWhole && variables.size < MAX_VARIABLES)
      variables.set(variable, reference);
  }
  for (const [variable, assigned] of variables) references.push(...usesOf(variable, read, assigned));
  return references.slice(0, MAX_REFERENCES);
}

function usesOf(
  variable: string,
  text: string,
  { node, path, optionalAt }: FieldReference,
): FieldReference[] {
  const uses = new RegExp(String.raw`(?<![\w$.'"])${variable.replaceAll("$", String.raw`\$`)}(?=[.?[])`, "g");
  return [...text.matchAll(uses)].flatMap((use) => {
    const chain = chainAt(text, use.index + variable.length);
    return chain.path.length === 0
      ? []
      : [
          {
            node,
            path: [...path, ...chain.path],
            hasFallback: chain.hasFallback,
            optionalAt: [...optionalAt, ...chain.optionalAt.map((index) => path.length + index)],
            inVariable: path.length,
          },
        ];
  });
}

export const ownField = (path: readonly string[]): FieldReference => ({
  node: null,
  path,
  hasFallback: false,
  optionalAt: [],
  inVariable: 0,
});

/** All texts in parameters, including a node's code; `depth` bounds generated nesting. */
export function textsOf(value: ReadValue | undefined, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (depth > 20) return [];
  if (Array.isArray(value)) return value.flatMap((item) => textsOf(item, depth + 1));
  return isReadObject(value) ? Object.values(value).flatMap((member) => textsOf(member, depth + 1)) : [];
}

export function membersNamed(value: ReadValue | undefined, keys: RegExp, depth = 0): ReadValue[] {
  if (depth > 20) return [];
  if (Array.isArray(value)) return value.flatMap((member) => membersNamed(member, keys, depth + 1));
  if (!isReadObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...(keys.test(key) ? [member] : []),
    ...membersNamed(member, keys, depth + 1),
  ]);
}

/** The path as an expression writes it: `a.b["c d"][0]`. */
export function pathText(path: readonly string[]): string {
  return path
    .map((key, index) => {
      if (/^\d+$/.test(key)) return `[${key}]`;
      if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}

/**
 * Node type → the parameters that hold one or more comma-separated field names, which the node splits, sums or collects
 * (n8n-nodes-base 1.123 and 2.40).
 */
const NAMED_IN: Readonly<Record<string, RegExp>> = {
  "n8n-nodes-base.splitOut": /^fieldToSplitOut$/,
  "n8n-nodes-base.summarize": /^(?:field|fieldsToSplitBy)$/,
  "n8n-nodes-base.aggregate": /^fieldToAggregate$/,
};
const TESTS = /\.(?:if|filter|switch)$/;
const FIELD = /^[\p{L}_$][\p{L}\p{N}_$ .-]{0,100}$/u;

export function fieldsTaken(node: WorkflowNode | undefined): FieldReference[] {
  const keys = NAMED_IN[node?.type ?? ""];
  if (keys === undefined) return [];
  const names = membersNamed(node?.parameters, keys).flatMap((member) =>
    typeof member === "string" ? member.split(",").map((name) => name.trim()) : [],
  );
  return names.filter((name) => FIELD.test(name)).map((name) => ownField(name.split(".")));
}

/** Fields read by a condition or by the value of a Switch. */
export function fieldsTested(node: WorkflowNode | undefined): FieldReference[] {
  if (!TESTS.test(node?.type ?? "")) return [];
  return textsOf(node?.parameters)
    .filter((text) => text.startsWith("="))
    .flatMap(referencesIn)
    .filter(({ path, hasFallback }) => path.length > 0 && !hasFallback);
}
