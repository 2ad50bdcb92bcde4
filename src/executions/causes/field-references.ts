/**
 * Which fields of which nodes a parameter or a node's code reads: `$json.a.b`, `$('Node').first().json.a`,
 * `$node["Node"].json.a`, `$input.item.json.a`, `item.json.a`, and variables assigned one of these. Found by
 * pattern; nothing is evaluated. Pure, linear.
 */
import { isReadObject, type ReadValue } from "../../json/omitted.ts";
import type { WorkflowNode } from "../../n8n/schemas.ts";
import { blankLiterals, endOfBody, parametersIn, scopesOf } from "./code-parts.ts";

/** Which item is read: an index (from the end if negative), each item, or the one paired with the current item. */
export type Which = number | "paired" | "each";

export interface FieldReference {
  /** Null for the node's own input. */
  readonly node: string | null;
  readonly which: Which;
  /** Members below the item's `json`. */
  readonly path: readonly string[];
  /** The method that is called on the value; not part of the path. */
  readonly called: string | null;
  /** It handles missing values: `?.`, `??`, `||`. */
  readonly hasFallback: boolean;
  /** Indexes of the path's members that are read by `?.`, which never fails on a missing value. */
  readonly optionalAt: readonly number[];
  /** How many members come from a variable: a `?.` in its chain does not guard the chain behind it. */
  readonly inVariable: number;
}

const NAME = String.raw`[A-Za-z_$][\w$]*`;
const QUOTED = String.raw`(?:'[^'\n]{1,200}'|"[^"\n]{1,200}"|\`[^\`\n]{1,200}\`)`;
/** The ways to select an item: `.first()`, `.all()[0]`, `.item`. */
const ITEM = String.raw`(?:\??\.(?:item|first\([^()]{0,20}\)|last\([^()]{0,20}\)|all\([^()]{0,20}\)\[\d{1,6}\]|itemMatching\([^()]{0,40}\)))`;
const BASE = new RegExp(
  [
    String.raw`(?<json>\$json)(?![\w$])`,
    String.raw`\$\((?<named>${QUOTED})\)(?<way>${ITEM})\??\.json`,
    String.raw`\$node\[(?<old>${QUOTED})\]\??\.json`,
    String.raw`\$items\((?<items>${QUOTED})[^()]{0,20}\)(?<place>\[\d{1,6}\])\??\.json`,
    String.raw`\$input(?<ownWay>${ITEM})\??\.json`,
    String.raw`\b(?:item|items(?<ownPlace>\[\d{1,6}\]))\.json`,
  ].join("|"),
  "g",
);
const MEMBER = new RegExp(
  String.raw`\s{0,20}(?:(\??)\.(${NAME})|(?:\?\.)?\[(${QUOTED})\]|(?:\?\.)?\[(\d{1,6})\])`,
  "y",
);
const FALLBACK = /\s{0,20}(?:\(\))?\s{0,20}(?:\?\?|\|\|)/y;
const CALL = /^(?:\?\.)?\(/;
/** An assignment to a variable, up to its value. */
const ASSIGNED = new RegExp(
  String.raw`(?:(?:const|let|var)\s{1,20}|[;{}\n]\s{0,20})(${NAME})\s{0,20}=\s{0,20}(?:await\s{1,20})?$`,
);

export const MAX_TEXT = 20_000;
const MAX_REFERENCES = 200;
const MAX_VARIABLES = 20;

const unquoted = (text: string): string => text.slice(1, -1);

/** A read of one item of a node, without `?.`. */
const ONE_ITEM = new RegExp(
  String.raw`\$\((${QUOTED})\)\.(?:first\(\)|last\(\)|item|all\(\)\[\d{1,6}\])\.json`,
  "g",
);

export const nodesReadForOneItem = (text: string): string[] =>
  [...text.slice(0, MAX_TEXT).matchAll(ONE_ITEM)].map(([, quoted = ""]) => unquoted(quoted));

function chainAt(text: string, start: number) {
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
  const called = CALL.test(text.slice(end, end + 3)) ? (path.pop() ?? null) : null;
  return { path, called, optionalAt, hasFallback: optionalAt.length > 0 || FALLBACK.test(text), end };
}

interface Located {
  readonly at: number;
  readonly end: number;
  readonly reference: FieldReference;
}

interface Variable {
  readonly name: string;
  readonly reference: FieldReference;
}

/** A variable that holds one item of a list: a parameter of a callback, or of `for … of`. */
const ITEMS = String.raw`(?:\$input\.all\(\)|\$\((?<listed>${QUOTED})\)\.all\(\)|(?<![\w$])(?<list>${NAME}))`;
/** `{ json }` or `{ json: order }`, in place of an item's name. */
const JSON_OF_ITEM = String.raw`\{\s{0,5}json(?:\s{0,5}:\s{0,5}(?<alias>${NAME}))?\s{0,5}(?:,[^{}]{0,80})?\}`;
const EACH = new RegExp(
  String.raw`${ITEMS}\s{0,20}\.(?:map|forEach|filter|find|some|every|flatMap)\(\s{0,10}(?:async\s)?\(?\s{0,5}(?:(?<json>${JSON_OF_ITEM})|(?<callback>${NAME})\b)|\bof\s{1,5}(?<of>${NAME}|\$input\.all\(\))\s{0,3}\)`,
  "g",
);
const LISTS = new RegExp(
  String.raw`(?:const|let|var)\s{1,20}(${NAME})\s{0,20}=\s{0,20}\$input\.all\(\)`,
  "g",
);
const BEFORE_OF = new RegExp(
  String.raw`(?:const|let|var)\s{1,20}(?:(?<json>${JSON_OF_ITEM})|(?<callback>${NAME}))\s{1,5}$`,
);
/** `const { a, b: c } = ` */
const DESTRUCTURED = /(?:const|let|var)\s{1,20}\{([^{}]{1,200})\}\s{0,20}=\s{0,20}$/;
const PART = new RegExp(String.raw`^\s*(${NAME})\s*(?::\s*(${NAME}))?\s*(=)?`);

/** `json` and `order` may be something else outside of the function that takes them. */
type ItemVariable = readonly [written: string, node: string | null, from: number, to: number];

/** Variables that hold an item's `json`, as it is written, with the node that it is read from; null for the own input. */
function itemVariables(text: string): ItemVariable[] {
  const lists = new Set(["items", "$input.all()", ...[...text.matchAll(LISTS)].map(([, name = ""]) => name)]);
  return [...text.matchAll(EACH)].slice(0, MAX_VARIABLES).flatMap((found): ItemVariable[] => {
    const { listed, list, of } = found.groups ?? {};
    const before = text.slice(Math.max(0, found.index - 100), found.index);
    const { json, alias, callback } = (of === undefined ? found : BEFORE_OF.exec(before))?.groups ?? {};
    const written = json === undefined ? callback && `${callback}.json` : (alias ?? "json");
    if (written === undefined) return [];
    const end = found.index + found[0].length;
    const from = json === undefined ? 0 : of === undefined ? text.indexOf("=>", end) + 2 : end;
    const to = json === undefined ? text.length : endOfBody(text, from);
    if (listed !== undefined) return [[written, unquoted(listed), from, to]];
    const isItems = lists.has(list ?? of ?? "items");
    return isItems && written !== "item.json" ? [[written, null, from, to]] : [];
  });
}

export const referencesIn = (text: string): FieldReference[] =>
  readingOf(text).located.map(({ reference }) => reference);

type WithParameters = Pick<WorkflowNode, "parameters">;

/** All that a node's parameters or its code read. */
export const referencesOf = (node: WithParameters | undefined): FieldReference[] =>
  textsOf(node?.parameters).flatMap(referencesIn);

/** The texts of the parameters that are set to expressions. */
export const expressionTextsOf = (node: WithParameters | undefined): string[] =>
  textsOf(node?.parameters).filter((text) => text.startsWith("="));

/** A reference and its source text. `isKey`: it only indexes another value, as in `prices[$json.id]`. */
export interface ReadOnLine extends FieldReference {
  readonly written: string;
  readonly isKey: boolean;
}

const INDEXES = /[\w$)\]]\[\s{0,10}$/;

/** What a line (from 1) reads, also through variables of earlier lines; all if there is no such line. */
export const referencesOnLine = (text: string, line: number | null): ReadOnLine[] =>
  readingOf(text)
    .located.filter(({ at, end }) => isOnLine(text, line, at, end))
    .map(({ at, end, reference }) => ({
      ...reference,
      written: text.slice(at, end),
      isKey:
        INDEXES.test(text.slice(Math.max(0, at - 20), at)) && /^\s{0,10}\]/.test(text.slice(end, end + 20)),
    }));

export const variableIn = (text: string, variable: string): FieldReference | undefined =>
  readingOf(text).variables.find(({ name }) => name === variable)?.reference;

function isOnLine(text: string, line: number | null, at: number, end: number): boolean {
  const lineAt = (index: number): number => text.slice(0, index).split("\n").length;
  return line === null || lineAt(text.length) < line || (lineAt(at) <= line && line <= lineAt(end));
}

const HAS_DEFAULT = /^\s{0,20}(?:\?\?|\|\|)/;

/** The fields that are passed to calls on a line, directly or in a variable. `?.` alone is no fallback here. */
export function argumentsOf(code: string, call: RegExp, line: number | null): FieldReference[] {
  const { located, variables } = readingOf(code);
  return [...code.matchAll(call)].flatMap(({ index, 0: opening }) => {
    const start = index + opening.length;
    if (!isOnLine(code, line, index, start)) return [];
    const [name] = /^[A-Za-z_$][\w$]*/.exec(code.slice(start)) ?? [];
    const isMadeOf = ({ at, end }: Located): boolean =>
      name !== undefined &&
      name === ASSIGNED.exec(code.slice(Math.max(0, at - 80), at))?.[1] &&
      /^\s{0,20}(?:[;\n(]|$|\|\||\?\?)/.test(code.slice(end, end + 30));
    const given = located.find(({ at }) => at === start) ?? located.find(isMadeOf);
    if (given === undefined) return variables.find((one) => one.name === name)?.reference ?? [];
    const { end, reference } = given;
    return { ...reference, hasFallback: HAS_DEFAULT.test(code.slice(end, end + 30)) };
  });
}

export function readingOf(whole: string) {
  const text = blankLiterals(whole.slice(0, MAX_TEXT));
  const parameters = parametersIn(text);
  const located: Located[] = [];
  const variables: Variable[] = [];
  const add = (
    at: number,
    start: number,
    base: Pick<FieldReference, "node" | "which" | "path" | "optionalAt">,
  ): void => {
    if (located.length >= MAX_REFERENCES) return;
    const { end, ...chain } = chainAt(text, start);
    const reference = {
      node: base.node,
      which: base.which,
      path: [...base.path, ...chain.path],
      called: chain.called,
      hasFallback: chain.hasFallback,
      optionalAt: [...base.optionalAt, ...chain.optionalAt.map((index) => base.path.length + index)],
      inVariable: base.path.length,
    };
    located.push({ at, end, reference });
    if (!/^\s{0,20}(?:;|\n|$|\|\||\?\?)/.test(text.slice(end, end + 30))) return;
    for (const variable of assignedFrom(text.slice(Math.max(0, at - 260), at), reference))
      if (variables.length < MAX_VARIABLES && !variables.some(({ name }) => name === variable.name))
        variables.push(variable);
  };
  for (const found of text.matchAll(BASE)) {
    const { named, old, items, way, place, ownWay, ownPlace } = found.groups ?? {};
    const name = named ?? old ?? items;
    const node = name === undefined ? null : unquoted(name);
    const which = whichItem(way ?? place ?? ownWay ?? ownPlace ?? "");
    add(found.index, found.index + found[0].length, { node, which, path: [], optionalAt: [] });
  }
  for (const [written, node, from, to] of itemVariables(text))
    for (const at of usesOf(written, text)) {
      const end = at + written.length;
      const isRead = written.endsWith(".json") || /^(?:\??\.[^.]|\[)/.test(text.slice(end, end + 3));
      if (isRead && from <= at && at < to) add(at, end, { node, which: "each", path: [], optionalAt: [] });
    }
  // A variable may be assigned a part of another one, so the list grows while it is read.
  for (const { name, reference } of variables) {
    const scopes = parameters.has(name) ? scopesOf(name, text) : [];
    for (const at of usesOf(name, text)) {
      const isHidden = scopes.some(([from, to]) => from <= at && at < to);
      if (!isHidden && /^(?:[.?[]|\s{1,20}\??\.)/.test(text.slice(at + name.length, at + name.length + 30)))
        add(at, at + name.length, reference);
    }
  }
  return { located, variables: variables.filter(({ name }) => !parameters.has(name)) };
}

/** @param way as an expression selects an item: `.first()`, `.all()[0]`, `[0]` */
function whichItem(way: string): Which {
  const [, index] = /\[(\d+)\]$/.exec(way) ?? [];
  if (index !== undefined) return Number(index);
  if (/\.item$/.test(way)) return "paired";
  return /\.first\(\s*\)$/.test(way) ? 0 : /\.last\(\s*\)$/.test(way) ? -1 : "each";
}

/** The variables that are assigned a reference, by the text in front of it. */
function assignedFrom(before: string, reference: FieldReference): Variable[] {
  const [, variable] = ASSIGNED.exec(before) ?? [];
  if (variable !== undefined) return [{ name: variable, reference }];
  const [, parts = ""] = DESTRUCTURED.exec(before) ?? [];
  return parts.split(",").flatMap((part) => {
    const [, key, alias, usual] = PART.exec(part) ?? [];
    if (key === undefined) return [];
    const path = [...reference.path, key];
    return [{ name: alias ?? key, reference: { ...reference, path, hasFallback: usual !== undefined } }];
  });
}

function usesOf(name: string, text: string): number[] {
  const literal = name.replaceAll(/[$.]/g, String.raw`\$&`);
  const uses = new RegExp(String.raw`(?<![\w$.'"])${literal}(?![\w$])`, "g");
  return [...text.matchAll(uses)].map(({ index }) => index);
}

export const END_OF_VALUE = /^\s{0,20}(?:[,;})\]]|\n|$|\?\?|\|\||\}\})/;

/** The field that an expression reads without computing anything, such as `={{ $json.a.b }}`; null otherwise. */
export function plainReference(expression: string): FieldReference | null {
  const inner = expression.trim();
  const [one, ...others] = readingOf(inner).located;
  if (one === undefined || others.length > 0 || one.at !== 0) return null;
  const { path, called } = one.reference;
  const isWhole = called === null ? /^\s*(?:$|\?\?|\|\|)/ : /^\(\)?(?:\s*$|\.)/;
  return path.length > 0 && isWhole.test(inner.slice(one.end)) ? one.reference : null;
}

/** After these, a value is passed on unchanged: as a member of an object, or an argument that is only serialized. */
const PASSES_ON = /(?:^|[:{[,]|\b(?:stringify|encodeURIComponent|String|Number)\()\s{0,40}$/;

/** Whether a value there is a further argument of a call, which may do anything with it. */
function isArgument(before: string): boolean {
  let closed = 0;
  for (let at = before.length - 1; at >= 0; at -= 1) {
    const character = before[at] ?? "";
    if (")]}".includes(character)) closed += 1;
    else if ("([{".includes(character)) closed -= 1;
    if (closed < 0) return character === "(" && /,\s{0,40}$/.test(before);
  }
  return false;
}

/** The fields whose values an expression inserts unchanged, without a fallback. */
export const valuesIn = (expression: string): FieldReference[] =>
  readingOf(expression.trim()).located.flatMap(({ at, end, reference }) => {
    const text = expression.trim();
    const isInserted =
      PASSES_ON.test(text.slice(Math.max(0, at - 60), at)) &&
      !isArgument(text.slice(0, at)) &&
      END_OF_VALUE.test(text.slice(end, end + 30));
    return isInserted && !reference.hasFallback ? [reference] : [];
  });

const INSERTED = /\{\{([\s\S]{1,1000}?)\}\}/g;

/** The expressions in a parameter's text, which begins with `=` if it has any. */
export const expressionsIn = (text: string): string[] =>
  text.startsWith("=")
    ? [...text.slice(0, MAX_TEXT).matchAll(INSERTED)].map(([, inner = ""]) => inner.trim())
    : [];

export const ownField = (path: readonly string[]): FieldReference => ({
  node: null,
  which: "each",
  path,
  called: null,
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

/** `a.b["c d"][0]`. */
export function pathText(path: readonly string[]): string {
  return path
    .map((key, index) => {
      if (/^\d+$/.test(key)) return `[${key}]`;
      if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}
