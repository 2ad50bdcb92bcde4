/**
 * Fact: IF, Filter and Switch with strict types say `Wrong type: '…' is a string but was expecting a number [condition 0, item 0]`,
 * Edit Fields says `'field' expects a number but we got '…'`, with `context.itemIndex`; if a node maps fields (of a
 * sub-workflow or a table), that is the description of `Invalid input for 'field' [item 0]`. The condition's left value,
 * or the assignment of that name, is the expression that names the source field.
 */
import { isReadObject, type ReadValue } from "../../../json/omitted.ts";
import { firstFound } from "../../../platform/first-found.ts";
import type { Fact } from "../fact.ts";
import { findAt, firstRead, itemsReadBy } from "../field-origin.ts";
import { ownField, referencesIn, textsOf } from "../field-references.ts";
import { type Failed, itemIndexOf, messageOf, onFailed } from "../rule.ts";
import { firstLacking, typeFact } from "./missing-field.ts";

const TYPES = "string|number|boolean|object|array|dateTime|date|time|binary|empty|url|jwt|form-fields";
const CONDITION = new RegExp(
  String.raw`^Wrong type: '[\s\S]*' is an? (?:${TYPES}|undefined|null) but was expecting an? (${TYPES}) \[condition (\d{1,3}), item (\d{1,6})\]`,
);
/** Raised for a value that cannot be converted, if types are not strict. */
const CONVERSION = new RegExp(
  String.raw`^Conversion error: the (?:${TYPES}) '[\s\S]*' can't be converted to an? (${TYPES}) \[condition (\d{1,3}), item (\d{1,6})\]`,
);
/** Raised by nodes that take a field by its name. */
const NO_LIST = /^The (?:provided )?field '([^'\n]{1,200})' is not an (?:array|object)/;
const ASSIGNMENT = new RegExp(String.raw`^'([^'\n]{1,200})' expects an? (${TYPES}) but we got`);

const MAPPED = /^Invalid input for '/;

export const wrongType = onFailed((failed) => {
  const message = messageOf(failed.error);
  const parameters = failed.node?.parameters;
  const [, wanted, condition, item] = CONDITION.exec(message) ?? CONVERSION.exec(message) ?? [];
  if (wanted !== undefined) {
    // A Code node that throws n8n's message has no conditions.
    const conditions = leftValues(parameters);
    if (conditions.length === 0) return null;
    const texts = conditions[Number(condition)] ?? textsOf(parameters);
    return fromTexts(failed, { texts, wanted, index: Number(item), target: null });
  }
  const [, named] = NO_LIST.exec(message) ?? [];
  if (named !== undefined) return ofField(failed, named);
  const said = MAPPED.test(message) ? (failed.error.description ?? "") : message;
  const [, target, type] = ASSIGNMENT.exec(said) ?? [];
  if (target === undefined || type === undefined) return null;
  const texts = assignmentOf(parameters, target);
  const index = itemIndexOf(failed.error) ?? 0;
  return texts === null ? null : fromTexts(failed, { texts, wanted: type, index, target });
});

function ofField(failed: Failed, name: string): Fact | null {
  if (!textsOf(failed.node?.parameters).some((text) => text.includes(name))) return null;
  const references = [ownField(name.split("."))];
  const wrong = firstRead(failed, references, (read) =>
    read.found.kind === "there" ? typeFact(failed, read, { does: "lists" }) : null,
  );
  return wrong ?? firstLacking(references, failed);
}

interface Wanted {
  readonly texts: readonly string[];
  readonly wanted: string;
  readonly index: number;
  /** The field that the value is for. */
  readonly target: string | null;
}

function fromTexts(failed: Failed, { texts, wanted, index, target }: Wanted): Fact {
  for (const reference of texts.flatMap(referencesIn)) {
    const items = itemsReadBy(failed.view, failed, reference);
    const item = items.find((one) => one.index === index) ?? items[0];
    if (item === undefined) continue;
    if (findAt(item.json, reference.path).kind === "there")
      return typeFact(failed, { reference, item }, { does: "takes", wanted, target });
    const lacking = firstLacking([reference], failed);
    if (lacking !== null) return lacking;
  }
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

function leftValues(parameters: ReadValue | undefined): string[][] {
  if (Array.isArray(parameters)) return parameters.flatMap(leftValues);
  if (!isReadObject(parameters)) return [];
  if ("leftValue" in parameters && "operator" in parameters)
    return [[...textsOf(parameters.leftValue), ...textsOf(parameters.rightValue)]];
  return Object.values(parameters).flatMap(leftValues);
}

/** Texts of the value that is assigned to a field; null if there is no such field. */
function assignmentOf(parameters: ReadValue | undefined, field: string): string[] | null {
  if (Array.isArray(parameters)) return firstFound(parameters, (value) => assignmentOf(value, field));
  if (!isReadObject(parameters)) return null;
  if (parameters.name === field && "value" in parameters) return textsOf(parameters.value);
  const { mappingMode, value } = parameters;
  if (mappingMode !== undefined && isReadObject(value) && Object.hasOwn(value, field))
    return textsOf(value[field]);
  return firstFound(Object.values(parameters), (member) => assignmentOf(member, field));
}
