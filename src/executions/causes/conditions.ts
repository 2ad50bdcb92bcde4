/**
 * What the conditions of a decision test. Facts: IF, Filter and Switch keep their conditions as `leftValue`, `operator` and
 * `rightValue` (before version 2: `value1`, `operation`, `value2`). Pure.
 */
import { memberOf, textAt } from "../../json/members.ts";
import type { WorkflowNode } from "../../n8n/schemas.ts";
import { defined } from "../../platform/defined.ts";
import { type ExecutionView, joined } from "./execution-view.ts";
import { certainlyReadBy, valueAt } from "./field-origin.ts";
import { pathText, referencesIn } from "./field-references.ts";
import { isOpen } from "./open-texts.ts";
import { objectsBelow } from "./values-below.ts";
import type { Comparison } from "./wording/items-sentences.ts";

export interface Test {
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

/** No version keeps its conditions deeper. */
const MAX_DEPTH = 7;

/** The conditions of a node, at whatever depth its version keeps them. */
export function testsOf({ parameters }: WorkflowNode): Test[] {
  const ignoresCase = /"(?:caseSensitive":false|ignoreCase":true)/.test(JSON.stringify(parameters));
  const ofSwitch = textAt(parameters, "value1");
  const typeOfSwitch = ofSwitch === undefined ? "" : (textAt(parameters, "dataType") ?? "number");
  return objectsBelow(parameters, MAX_DEPTH).flatMap(({ path, members: row }): Test[] => {
    const left = textAt(row, "leftValue") ?? textAt(row, "value1") ?? ofSwitch;
    // n8n keeps what was compared with before the operation was changed to one that compares with nothing.
    const value = memberOf(row.operator, "singleValue") === true ? "" : (row.rightValue ?? row.value2);
    const type = path.findLast((key) => OLD_DEFAULTS.has(key)) ?? typeOfSwitch;
    const operation =
      textAt(row, "operator", "operation") ?? textAt(row, "operation") ?? OLD_DEFAULTS.get(type) ?? "equals";
    const isText = typeof value === "string";
    const right = isText || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
    const isTest = right !== "" || "operator" in row;
    return left !== undefined && isTest ? [{ left, right, isText, operation, ignoresCase }] : [];
  });
}

type Compare = (value: string, expected: string) => boolean;
export const equals: Compare = (value, expected) => value === expected;
const contains: Compare = (value, expected) => value.includes(expected);
export const COMPARES: Readonly<Record<string, Compare>> = {
  equals,
  equal: equals,
  notEquals: equals,
  notEqual: equals,
  contains,
  notContains: contains,
  startsWith: (value, expected) => value.startsWith(expected),
  endsWith: (value, expected) => value.endsWith(expected),
};

const PLAIN = /^=\s{0,5}\{\{[^{}]{1,300}\}\}\s{0,5}$/;

/** The values that a test reads, if it reads one field as it is; `of` counts unread ones, too. */
export function testedBy(view: ExecutionView, node: string, left: string) {
  const [reference, ...others] = PLAIN.test(left) ? referencesIn(left) : [];
  if (reference === undefined || others.length > 0 || reference.path.length === 0) return null;
  if (!left.replace(/\s{0,5}\}\}\s{0,5}$/, "").endsWith(reference.path.at(-1) ?? "")) return null;
  const read = view.runsOf(node).map((run) => certainlyReadBy(view, run, reference));
  const { items, length: of } = joined(read);
  return {
    field: pathText(reference.path),
    from: items.at(-1)?.from ?? null,
    values: items.map(({ json }) => valueAt(json, reference.path)).filter((value) => value !== undefined),
    of,
    atLeast: items.length < of,
  };
}

const SHOWN = /^(?:\p{L}[\p{L} _-]{0,23}|-?\d{1,6}(?:\.\d{1,4})?)$/u;
/** Names that redaction takes for secrets only beside a value that looks like one. */
const SECRET = /key|sign|(?<!status_?|error_?|country_?|currency_?|exit_?)code/i;

/** A literal of the workflow's own that is a word or a number, and no secret. */
const isShown = ({ left: leftValue, right: rightValue }: Test): boolean =>
  SHOWN.test(rightValue.trim()) &&
  !SECRET.test(leftValue) &&
  isOpen({ conditions: [{ leftValue, rightValue }] });

function againstWhat({ right, isText, operation }: Test): Comparison["against"] {
  if (right === "") return isText && COMPARES[operation] !== undefined ? "empty" : "nothing";
  if (!isText) return "value";
  return right.startsWith("=") ? "expression" : "text";
}

export const comparisonOf = (field: string | null, test: Test): Comparison => ({
  field,
  operation: test.operation,
  literal: isShown(test) ? test.right.trim() : null,
  against: againstWhat(test),
  ignoresCase: test.ignoresCase,
});

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
