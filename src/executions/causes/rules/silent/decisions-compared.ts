/**
 * What a decision compared. Facts: IF, Filter and Switch keep their conditions as `leftValue`, `operator` and `rightValue`
 * (before version 2: `value1`, `operation`, `value2`); texts are compared with case and blanks unless Ignore Case is on;
 * Merge runs without an input that nothing was sent to, whose source is then null.
 */
import { textAt } from "../../../../json/members.ts";
import { isReadObject, type ReadValue } from "../../../../json/omitted.ts";
import type { WorkflowNode } from "../../../../n8n/schemas.ts";
import { defined } from "../../../../platform/defined.ts";
import { dataOutputs } from "../../../node-runs.ts";
import type { ExecutionView } from "../../execution-view.ts";
import { certainlyReadBy, findAt } from "../../field-origin.ts";
import { pathText, referencesIn } from "../../field-references.ts";
import { DECIDES } from "../../node-kinds.ts";
import type { Rule } from "../../rule.ts";
import type { Comparison } from "../../wording/items-sentences.ts";
import { matchesIn, SPAN } from "./mistaken-types.ts";
import { inputCountOf, ofNodes, unlessUsual } from "./usual.ts";

interface Test {
  readonly left: string;
  /** Empty for a condition that compares with nothing. */
  readonly right: string;
  /** A text or an expression, not a number or a boolean. */
  readonly isText: boolean;
  readonly operation: string;
  readonly ignoresCase: boolean;
}

/** Operations that n8n does not store, because they are the default of their type before version 2. */
const OLD_DEFAULTS: ReadonlyMap<string, string> = new Map([
  ["number", "smaller"],
  ["dateTime", "after"],
]);

/** The conditions of a node, at whatever depth its version keeps them. */
export function testsOf({ parameters }: WorkflowNode): Test[] {
  const ignoresCase = /"(?:caseSensitive":false|ignoreCase":true)/.test(JSON.stringify(parameters));
  const ofSwitch = textAt(parameters, "value1");
  const ofType = ofSwitch === undefined ? "" : (textAt(parameters, "dataType") ?? "number");
  const testsIn = (value: ReadValue | undefined, depth: number, type = ofType): Test[] => {
    if (depth > 8 || typeof value !== "object" || value === null) return [];
    if (!isReadObject(value))
      return Array.isArray(value) ? value.flatMap((one) => testsIn(one, depth + 1, type)) : [];
    const left = textAt(value, "leftValue") ?? textAt(value, "value1") ?? ofSwitch;
    const right = value.rightValue ?? value.value2;
    const operation =
      textAt(value, "operator", "operation") ??
      textAt(value, "operation") ??
      OLD_DEFAULTS.get(type) ??
      "equals";
    const isText = typeof right === "string";
    const text = isText || typeof right === "number" || typeof right === "boolean" ? String(right) : "";
    const isTest = left !== undefined && (text !== "" || "operator" in value);
    const own = isTest ? [{ left, right: text, isText, operation, ignoresCase }] : [];
    return [
      ...own,
      ...Object.entries(value).flatMap(([key, member]) =>
        testsIn(member, depth + 1, OLD_DEFAULTS.has(key) ? key : type),
      ),
    ];
  };
  return testsIn(parameters, 0);
}

type Compare = (value: string, expected: string) => boolean;
const equals: Compare = (value, expected) => value === expected;
const contains: Compare = (value, expected) => value.includes(expected);
const COMPARES: Readonly<Record<string, Compare>> = {
  equals,
  equal: equals,
  notEquals: equals,
  notEqual: equals,
  contains,
  notContains: contains,
  startsWith: (value, expected) => value.startsWith(expected),
  endsWith: (value, expected) => value.endsWith(expected),
};

/** The only difference that keeps a value from matching; null if it matches, here or in another condition. */
function nearMiss(value: ReadValue, test: Test, all: readonly Test[]): "case" | "blanks" | "marks" | null {
  const { right, operation, ignoresCase } = test;
  const compare = COMPARES[operation];
  if (compare === undefined || typeof value !== "string" || value.trim() === "" || right.trim() === "")
    return null;
  const lower = (text: string): string => text.toLowerCase();
  const normalize = ignoresCase ? lower : (text: string): string => text;
  const isInsideWord = compare !== equals && !hasWord(lower(value), lower(right).trim());
  const matches = (one: Test): boolean =>
    COMPARES[one.operation]?.(normalize(value), normalize(one.right)) === true;
  if (all.some((one) => one.left === test.left && matches(one))) return null;
  if (isInsideWord) return null;
  if (compare(lower(value), lower(right))) return "case";
  if (compare(lower(value).trim(), lower(right).trim())) return "blanks";
  const bare = bareWord(right);
  return compare === equals && bare !== "" && bareWord(value) === bare ? "marks" : null;
}

/** A word ("US") is not searched inside another one ("Australia"); a mark (".pdf") may follow any word. */
function hasWord(text: string, expected: string): boolean {
  const begins = /^\p{L}/u.test(expected) ? String.raw`(?<!\p{L})` : "";
  const ends = /\p{L}$/u.test(expected) ? String.raw`(?!\p{L})` : "";
  const literal = expected.replaceAll(/[$()*+.?[\\\]^{|}/]/g, String.raw`\$&`);
  return new RegExp(`${begins}${literal}${ends}`, "u").test(text);
}

/** Without the case, blanks and marks (full stop, quotes, Markdown) that people and models put around a word. */
const bareWord = (text: string): string =>
  text.toLowerCase().replaceAll(/^[\s"'`*_.]+|[\s"'`*_.,;:!]+$/g, "");

const PLAIN = /^=\s{0,5}\{\{[^{}]{1,300}\}\}\s{0,5}$/;

/** The values that a test reads, if it reads one field as it is; `of` counts unread ones, too. */
function testedBy(view: ExecutionView, node: string, left: string) {
  const [reference, ...others] = PLAIN.test(left) ? referencesIn(left) : [];
  if (reference === undefined || others.length > 0 || reference.path.length === 0) return null;
  if (!left.replace(/\s{0,5}\}\}\s{0,5}$/, "").endsWith(reference.path.at(-1) ?? "")) return null;
  const read = (view.runs.get(node) ?? []).map((run) => certainlyReadBy(view, run, reference));
  const found = read.flatMap(({ items }) => items).map(({ json }) => findAt(json, reference.path));
  const of = read.reduce((sum, { length }) => sum + length, 0);
  return {
    field: pathText(reference.path),
    from: read.flatMap(({ items }) => items).at(-1)?.from ?? null,
    values: found.flatMap((at) => (at.kind === "there" ? [at.value] : [])),
    of,
    atLeast: found.length < of,
  };
}

/** A literal of the workflow's own that is a word or a number, and no secret. */
const SHOWN = /^(?:\p{L}[\p{L} _-]{0,23}|-?\d{1,6}(?:\.\d{1,4})?)$/u;
const SECRET = /pass|secret|token|key|auth|sign|pin|(?<!status_?|error_?|country_?|currency_?|exit_?)code/i;

function againstWhat({ right, isText, operation }: Test): Comparison["against"] {
  if (right === "") return isText && COMPARES[operation] !== undefined ? "empty" : "nothing";
  if (!isText) return "value";
  return right.startsWith("=") ? "expression" : "text";
}

const comparisonOf = (field: string | null, test: Test): Comparison => ({
  field,
  operation: test.operation,
  literal: SHOWN.test(test.right.trim()) && !SECRET.test(test.left) ? test.right.trim() : null,
  against: againstWhat(test),
  ignoresCase: test.ignoresCase,
});

/** Whether a condition names a field that the items have, as a text instead of an expression. */
function isFieldAsText(view: ExecutionView, node: string, { left, right, operation }: Test): boolean {
  const [run] = view.runs.get(node) ?? [];
  if (left === "" || left === right || left.startsWith("=") || COMPARES[operation] === undefined)
    return false;
  const items = run === undefined ? [] : view.inputOf(run).items;
  return items.length > 0 && items.every(({ json }) => findAt(json, left.split(".")).kind === "there");
}

const differsLittle = ofNodes((view, node, definition) => {
  const tests = DECIDES.test(definition.type) ? testsOf(definition) : [];
  for (const test of tests) {
    const confidence = "likely";
    if (isFieldAsText(view, node, test)) {
      const of = inputCountOf(view, node);
      return { kind: "decided.fixed", node, of, test: comparisonOf(null, test), confidence };
    }
    const tested = test.right.startsWith("=") ? null : testedBy(view, node, test.left);
    const near = (tested?.values ?? []).flatMap((value) => {
      const by = nearMiss(value, test, tests);
      return by === null ? [] : [{ value, by }];
    });
    const [first] = near;
    if (tested === null || first === undefined) continue;
    const { field, of, atLeast } = tested;
    const fact = { node, field, test: comparisonOf(field, test), count: near.length, of, atLeast, ...first };
    return { kind: "decided.near", ...fact, confidence };
  }
  return null;
});

export const outputsUsedBy = (view: ExecutionView, name: string): number[] => {
  const outputs = (view.runs.get(name) ?? []).flatMap(({ data }) =>
    dataOutputs(data).flatMap(({ length }, output) => (length > 0 ? [output] : [])),
  );
  const isFilter = /\.filter$/.test(view.nodes.get(name)?.type ?? "");
  // The second output of a Filter is what it drops.
  return [...new Set(outputs)].filter((output) => !isFilter || output === 0);
};

/** The first condition of a node, if it tests one field as it is; `from`: the node whose item has it. */
export function testOf(view: ExecutionView, name: string) {
  const node = view.nodes.get(name);
  const [first] = node === undefined ? [] : testsOf(node);
  const tested = first === undefined ? null : testedBy(view, name, first.left);
  if (first === undefined || tested === null) return null;
  const [value] = tested.values;
  return {
    test: comparisonOf(tested.field, first),
    from: tested.from,
    field: tested.field,
    ...defined({ value }),
  };
}

const decidedOtherwise = ofNodes((view, node, definition) => {
  const before = view.successes.filter((success) => inputCountOf(success, node) > 0);
  const of = inputCountOf(view, node);
  const [last] = before;
  if (!DECIDES.test(definition.type) || of === 0 || last === undefined) return null;
  const now = outputsUsedBy(view, node);
  const earlier = before.map((success) => outputsUsedBy(success, node));
  if (earlier.some((used) => used.length === 0 || used.some((output) => now.includes(output)))) return null;
  const tested = testOf(view, node);
  const [first] = testsOf(definition);
  const was = first === undefined ? undefined : testedBy(last, node, first.left)?.values[0];
  return {
    kind: "decided",
    node,
    of,
    outputs: now,
    before: last.execution.id,
    test: tested?.test ?? null,
    confidence: "observed",
    ...defined({ field: tested?.field, value: tested?.value, was }),
  };
});

/** The nearest node that ran before an input; any input of the nodes between. */
function senderTo(view: ExecutionView, node: string, input: number | null, steps = 20): string | null {
  const sender = [...view.nodes.keys()].find((name) =>
    view
      .targetsOf(name)
      .flat()
      .some((to) => to.node === node && (input === null || to.input === input)),
  );
  if (sender === undefined || steps === 0) return null;
  return view.runs.has(sender) ? sender : senderTo(view, sender, null, steps - 1);
}

const starvedMerge = ofNodes((view, node, { type }, [run]) => {
  const source = run?.source ?? [];
  const input = source.indexOf(null);
  if (type !== "n8n-nodes-base.merge" || input < 0 || source.length < 2) return null;
  const from = senderTo(view, node, input);
  const given = from === null ? 0 : inputCountOf(view, from);
  return given === 0 || from === null
    ? null
    : { kind: "starved", node, input, from, given, confidence: "observed" };
});

const LITERAL = String.raw`(?:'([^'\n]{1,60})'|"([^"\n]{1,60})")`;
/** `a != "x" || a != "y"` and `a == "x" && a == "y"`, if no `&&` beside it binds closer. */
const IN_CODE = new RegExp(
  String.raw`(?<!&&\s?)(${SPAN})\s?([!=])==?\s?${LITERAL}\s?(\|\||&&)\s?\1\s?\2==?\s?${LITERAL}(?!\s?&&)`,
  "g",
);

/** Tests of one value that are always or never met together: all are "not equal", or all are "equal". */
function joinedIn(node: WorkflowNode) {
  const inCode = matchesIn(node, IN_CODE).flatMap(([, span = "", sign, a, b, by, c, d]) =>
    (sign === "!") === (by === "||")
      ? [{ left: `={{ ${span} }}`, rights: [a ?? b ?? "", c ?? d ?? ""], isOr: by === "||" }]
      : [],
  );
  if (!/\.(?:if|filter)$/.test(node.type)) return inCode;
  const isOr = /"combin(?:ator|eOperation)":"(?:or|any)"/.test(JSON.stringify(node.parameters));
  const fitting = testsOf(node).filter(
    ({ operation, right }) => (isOr ? /^notEquals?$/ : /^equals?$/).test(operation) && !right.startsWith("="),
  );
  const lefts = [...new Set(fitting.map(({ left }) => left))];
  const rightsOf = (of: string) => fitting.flatMap(({ left, right }) => (left === of ? [right] : []));
  return [...inCode, ...lefts.map((left) => ({ left, rights: rightsOf(left), isOr }))];
}

const decidedAlways = ofNodes((view, node, definition) => {
  for (const { left, rights, isOr } of joinedIn(definition)) {
    const tested = new Set(rights).size < 2 ? null : testedBy(view, node, left);
    const named = (tested?.values ?? []).filter((value) => rights.includes(String(value)));
    const [value] = named;
    if (tested === null || value === undefined) continue;
    const { field, of, atLeast } = tested;
    const part = { count: named.length, of, atLeast };
    return { kind: "decided.always", node, field, isOr, ...part, value, confidence: "likely" };
  }
  return null;
});

export const DECISION_RULES: readonly Rule[] = [
  unlessUsual(decidedAlways, "likely"),
  unlessUsual(differsLittle, "likely"),
  starvedMerge,
  decidedOtherwise,
];
