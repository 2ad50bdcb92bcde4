/**
 * Fact: IF, Filter and Switch with strict types say `Wrong type: '…' is a string but was expecting a number [condition 0, item 0]`,
 * Edit Fields says `'field' expects a number but we got '…'`, with `context.itemIndex`; if a node maps fields (of a
 * sub-workflow or a table), that is the description of `Invalid input for 'field' [item 0]`. The condition's values, left
 * before right, or the assignment of that name, are the expressions that name the source field: the one of the type that
 * n8n got. Switch counts the conditions of each rule from 0 and does not name the rule.
 */
import { isReadObject, type ReadValue } from "../../../json/omitted.ts";
import { firstFound } from "../../../platform/first-found.ts";
import type { Fact } from "../fact.ts";
import { findAt, firstRead, readBy } from "../field-origin.ts";
import { ownField, referencesIn, textsOf } from "../field-references.ts";
import { type Failed, itemIndexOf, messageOf, onFailed } from "../rule.ts";
import { objectsBelow, valuesBelow } from "../values-below.ts";
import { firstLacking, typeFact } from "./missing-field.ts";

const TYPES = "string|number|boolean|object|array|dateTime|date|time|binary|empty|url|jwt|form-fields";
const CONDITION = new RegExp(
  String.raw`^Wrong type: '[\s\S]*' is an? (${TYPES}|undefined|null) but was expecting an? (${TYPES}) \[condition (\d{1,3}), item (\d{1,6})\]`,
);
/** Raised for a value that cannot be converted, if types are not strict. */
const CONVERSION = new RegExp(
  String.raw`^Conversion error: the (${TYPES}) '[\s\S]*' can't be converted to an? (${TYPES}) \[condition (\d{1,3}), item (\d{1,6})\]`,
);
/** Raised if neither value is of the type; it names no condition. */
const BOTH = new RegExp(
  `^Comparison type expects an? (${TYPES}) but both fields are an? (string|number|boolean|object)`,
);
/** Raised by nodes that take a field by its name. */
const NO_LIST = /^The (?:provided )?field '([^'\n]{1,200})' is not an (?:array|object)/;
const ASSIGNMENT = new RegExp(String.raw`^'([^'\n]{1,200})' expects an? (${TYPES}) but we got`);

const MAPPED = /^Invalid input for '/;

export const wrongType = onFailed((failed) => {
  const message = messageOf(failed.error);
  const parameters = failed.node?.parameters;
  const [, got, wanted, condition, item] = CONDITION.exec(message) ?? CONVERSION.exec(message) ?? [];
  const [, both, gotBoth] = BOTH.exec(message) ?? [];
  const type = wanted ?? both;
  if (type !== undefined) {
    const conditions = conditionsAt(parameters, condition === undefined ? null : Number(condition));
    // A Code node that throws n8n's message has no conditions.
    if (conditions.length === 0) return null;
    const texts = conditions.flatMap((one) => valuesOf(one, type));
    const index = item === undefined ? (itemIndexOf(failed.error) ?? 0) : Number(item);
    return fromTexts(failed, { texts, got: got ?? gotBoth, wanted: type, index, target: null });
  }
  const [, named] = NO_LIST.exec(message) ?? [];
  if (named !== undefined) return ofField(failed, named);
  const said = MAPPED.test(message) ? (failed.error.description ?? "") : message;
  const [, target, assigned] = ASSIGNMENT.exec(said) ?? [];
  if (target === undefined || assigned === undefined) return null;
  const texts = assignmentOf(parameters, target);
  const index = itemIndexOf(failed.error) ?? 0;
  return texts === null ? null : fromTexts(failed, { texts, wanted: assigned, index, target });
});

function ofField(failed: Failed, name: string): Fact | null {
  if (!textsOf(failed.node?.parameters).some((text) => text.includes(name))) return null;
  const references = [ownField(name.split("."))];
  const wrong = firstRead(failed, references, (read) =>
    read.found.kind === "there" ? typeFact(failed, read, { does: "lists" }) : null,
  );
  return wrong ?? firstLacking(references, failed);
}

interface Expected {
  readonly texts: readonly string[];
  /** What JavaScript calls the type of the value; undefined if n8n does not say. */
  readonly got?: string | undefined;
  readonly wanted: string;
  readonly index: number;
  readonly target: string | null;
}

function fromTexts(failed: Failed, { texts, got, wanted, index, target }: Expected): Fact {
  const references = texts.flatMap(referencesIn);
  for (const reference of references) {
    const items = readBy(failed.view, failed.run, reference).items;
    const item = items.find((one) => one.index === index) ?? items[0];
    const found = item === undefined ? undefined : findAt(item.json, reference.path);
    if (item === undefined || found?.kind !== "there") continue;
    // A value of the right type, or of another type than n8n got, is only a part of the result.
    if (isOfType(found.value, wanted) || (got !== undefined && typeof found.value !== got)) continue;
    return typeFact(failed, { reference, item }, { does: "takes", wanted, target });
  }
  const lacking = firstLacking(references, failed);
  if (lacking !== null) return lacking;
  const isItem = failed.run !== undefined && index < failed.view.inputOf(failed.run).length;
  return {
    kind: "wrong_type.value",
    node: failed.name,
    wanted,
    target,
    index: isItem ? index : null,
    ...(target === null ? {} : { field: target }),
  };
}

function isOfType(value: ReadValue, wanted: string): boolean {
  if (wanted === "array") return Array.isArray(value);
  return wanted === "object" ? isReadObject(value) : typeof value === wanted;
}

type Condition = Readonly<Record<string, ReadValue>>;

/** The conditions at an index of their rule, of all rules; all conditions if the index is null. */
const conditionsAt = (parameters: ReadValue | undefined, index: number | null): Condition[] =>
  valuesBelow(parameters)
    .flatMap(([, list]) => (Array.isArray(list) ? [list] : []))
    .flatMap((list) => (index === null ? list : list.slice(index, index + 1)))
    .filter(isCondition);

const isCondition = (value: ReadValue): value is { [key: string]: ReadValue } =>
  isReadObject(value) && "leftValue" in value && "operator" in value;

/** The values of a condition that have to be of a type, as they are set; left before right, as n8n checks them. */
function valuesOf({ leftValue, rightValue, operator }: Condition, wanted: string): string[] {
  if (!isReadObject(operator)) return [];
  const { type = null, rightType = type, singleValue } = operator;
  return [
    ...(type === wanted ? textsOf(leftValue) : []),
    ...(rightType === wanted && singleValue !== true ? textsOf(rightValue) : []),
  ];
}

/** Texts of the value that is assigned to a field; null if there is no such field. */
const assignmentOf = (parameters: ReadValue | undefined, field: string) =>
  firstFound(objectsBelow(parameters), ({ members }): string[] | null => {
    const { name, mappingMode, value, [field]: own } = members;
    if (name === field && "value" in members) return textsOf(value);
    if (mappingMode !== undefined && isReadObject(value) && Object.hasOwn(value, field))
      return textsOf(value[field]);
    // Of a row, `name` and `value` are no parameters.
    return name === undefined && typeof own === "string" && own.startsWith("=") ? [own] : null;
  });
