/**
 * Decisions that went otherwise than meant. Facts: texts are compared with case and blanks unless Ignore Case is on;
 * Merge runs without an input that nothing was sent to, whose source is then null.
 */
import type { ReadValue } from "../../../../json/omitted.ts";
import type { WorkflowNode } from "../../../../n8n/schemas.ts";
import { defined } from "../../../../platform/defined.ts";
import { usedOutputs } from "../../../node-runs.ts";
import { COMPARES, comparisonOf, equals, type Test, testedBy, testOf, testsOf } from "../../conditions.ts";
import type { ExecutionView } from "../../execution-view.ts";
import { findAt } from "../../field-origin.ts";
import { DECIDES } from "../../node-kinds.ts";
import { ofNodes, type Rule } from "../../rule.ts";
import { matchesIn, PADDED, SPAN } from "./mistaken-types.ts";
import { inputCountOf, unlessUsual } from "./usual.ts";

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

/** Whether a condition names a field that the items have, or had in a success, as a text instead of an expression. */
function isFieldAsText(view: ExecutionView, node: string, { left, right }: Test): boolean {
  const path = left.replace(/^\$json\./, "").split(".");
  if (left === "" || left === right || left.startsWith("=")) return false;
  return [view, ...view.successes].some((one) => {
    const [run] = one.runsOf(node);
    const items = run === undefined ? [] : one.inputOf(run).items;
    return items.length > 0 && items.every(({ json }) => findAt(json, path).kind === "there");
  });
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
      const by = nearMiss(PADDED.test(test.left) ? `${value} ` : value, test, tests);
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
  const outputs = new Set(view.runsOf(name).flatMap(usedOutputs));
  const isFilter = /\.filter$/.test(view.typeOf(name));
  // The second output of a Filter is what it drops.
  return [...outputs].filter((output) => !isFilter || output === 0);
};

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
