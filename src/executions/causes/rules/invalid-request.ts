/**
 * Fact: a URL, id, date or other parameter made by an expression that met nothing fails as `Invalid URL: …`, `URL parameter
 * must be a string, got undefined`, `Invalid date format`, `Couldn't find the field '…'`, `Invalid input for 'Token'`. The expression says which field it was
 * made from; that it is not in the input is the reason.
 */
import { isReadObject, type ReadValue } from "../../../json/omitted.ts";
import { quoted } from "../../../platform/display-name.ts";
import type { ExecutionView } from "../execution-view.ts";
import { itemsFailedOn } from "../failed-items.ts";
import { findAt, originOf, typeInWords } from "../field-origin.ts";
import { type FieldReference, ownField, pathText, referencesIn, textsOf } from "../field-references.ts";
import type { Finding } from "../finding.ts";
import { allTextsOf, type Failed, failedName, onFailed } from "../rule.ts";
import { firstLacking, whichItem } from "./missing-field.ts";

const URL_KEY = /^(?:url|endpoint|baseUrl)$/;
/** A parameter, by the name that n8n shows: its key is the same without spaces. */
const PARAMETER = /^Invalid input for '([^'\n]{1,60})'/;
/** What n8n says, what that means, and the parameters that alone can have caused it, where they are known. */
const FORMS: readonly (readonly [says: RegExp, what: string, keys?: RegExp])[] = [
  [/^Invalid URL/i, "its URL is not one", URL_KEY],
  [/^URL parameter must be a string/, "its URL is not a text", URL_KEY],
  [/^Invalid time value(?: \[|$)/, "a date is not one"],
  [
    /^Invalid date(?: format|Time)?|^(?:The )?date .{0,60}(?:invalid|could not be|not valid|cannot be)|^Unrecognized date|^Unable to parse .{0,60}date/i,
    "a date is not one",
  ],
  [
    /^(?:Parameter|Value|The value) .{0,80} (?:is missing|is required|must be|not set|not valid|is not)/i,
    "a parameter has no value that it takes",
  ],
  [
    /\bmust be (?:of type|an instance of|one of) .{1,200} Received (?:undefined|null)\b/,
    "a value that it needs is not there",
  ],
  [/^Invalid (?:wait )?amount/, "an amount is no number that it takes"],
  [/^The out?put .{1,20} is not allowed/, "it was told to take an output that it does not have"],
  [/^You need to define at least one pair of fields/, "the fields to match by are not set in it"],
];
const NAMED_FIELD =
  /^(?:(?:Couldn't|Could not|Can't) find the field|The field|Item has no (?:JSON )?property called|No property named) ['"]([^'"\n]{1,100})['"](?= does not exist in any|[^'"]{0,60}$)/;
/** n8n's own default, which a node need not name. */
const USUAL_FIELD = "data";

export const invalidRequest = onFailed((view, failed) => {
  const texts = allTextsOf(failed.error);
  const own = textsOf(failed.node?.parameters);
  const [field] = texts.flatMap((text) => NAMED_FIELD.exec(text)?.[1] ?? []);
  if (field !== undefined && (field === USUAL_FIELD || own.some((text) => text.includes(field)))) {
    const lacking = firstLacking([ownField(field.split("."))], view, failed);
    if (lacking.length > 0) return lacking;
  }
  const form =
    FORMS.find(([says]) => texts.some((text) => says.test(text))) ?? formOfParameter(failed, texts);
  if (form === undefined) return [];
  const [, what, keys] = form;
  const made = keys === undefined ? own : textsUnder(failed.node?.parameters, keys);
  const references = made.filter((text) => text.startsWith("=")).flatMap(referencesIn);
  const lacking = firstLacking(
    references.filter(({ hasFallback }) => !hasFallback),
    view,
    failed,
  );
  const [first] = lacking;
  if (first === undefined) return [badValue(view, failed, references, what)];
  // Where the parameter is not known, another expression may have made the bad value.
  const isSure = keys !== undefined || countFields(references) === 1;
  return [isSure ? first : onlyObserved(first, failed, what)];
});

const countFields = (references: readonly FieldReference[]): number =>
  new Set(references.map(({ node, path }) => `${node ?? ""}\n${pathText(path)}`)).size;

function onlyObserved(lacking: Finding, { name }: Failed, what: string): Finding {
  const because = `${failedName(name)} because `;
  const sentence = lacking.sentence.replace(because, () => `${because}${what}; `);
  return { ...lacking, sentence, confidence: "observed" };
}

/** n8n checked the value of a parameter of this name; whoever throws these words in code has none. */
function formOfParameter({ node }: Failed, texts: readonly string[]): (typeof FORMS)[number] | undefined {
  const [shown] = texts.flatMap((text) => PARAMETER.exec(text)?.[1] ?? []);
  if (shown === undefined) return undefined;
  const key = shown.replaceAll(" ", "").toLowerCase();
  const isKnown = (name: string): boolean => name.toLowerCase() === key;
  const [own] = keysIn(node?.parameters).filter(isKnown);
  if (own === undefined) return undefined;
  return [
    PARAMETER,
    `the value of its parameter ${quoted(own)} is not of the form that it takes`,
    new RegExp(`^${own}$`),
  ];
}

const MAX_DEPTH = 20;

function keysIn(value: ReadValue | undefined, depth = 0): string[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((member) => keysIn(member, depth + 1));
  if (!isReadObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...(/^[A-Za-z]{1,60}$/.test(key) ? [key] : []),
    ...keysIn(member, depth + 1),
  ]);
}

/** Texts of the parameters of these names. */
function textsUnder(value: ReadValue | undefined, keys: RegExp, depth = 0): string[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((member) => textsUnder(member, keys, depth + 1));
  if (!isReadObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    keys.test(key) ? textsOf(member) : textsUnder(member, keys, depth + 1),
  );
}

/** What the first expression read, which is there, but does not do. */
function badValue(
  view: ExecutionView,
  failed: Failed,
  references: readonly FieldReference[],
  what: string,
): Finding {
  for (const reference of references) {
    const item = itemsFailedOn(view, failed, reference)[0];
    if (item === undefined || reference.path.length === 0) continue;
    const found = findAt(item.json, reference.path);
    if (found.kind !== "there") continue;
    const origin = originOf(view, item, reference.path);
    const path = pathText(reference.path);
    return {
      cause: "invalid_request",
      node: origin.from,
      failedNode: failed.name,
      field: path,
      sentence: `${failedName(failed.name)} because ${what}: it is made from ${quoted(path)}, ${typeInWords(found.value)} in ${whichItem(view, origin)} that ${quoted(origin.from)} sent.`,
      confidence: "observed",
      value: found.value,
    };
  }
  return {
    cause: "invalid_request",
    node: failed.name,
    sentence: `${failedName(failed.name)} because ${what}.`,
    confidence: "exact",
  };
}
