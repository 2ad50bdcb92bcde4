/**
 * Fact: a URL, id, date or other parameter whose expression read a missing field fails with `Invalid URL: …`, `URL
 * parameter must be a string, got undefined`, `Invalid date format`, `Couldn't find the field '…'` or `Invalid input for
 * 'Token'`. The expression names the field; the reason is that the input lacks it.
 */
import { memberOf, textAt } from "../../../json/members.ts";
import { parameterOf } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { failedOn, findAt, originOf, typeOf } from "../field-origin.ts";
import { type FieldReference, ownField, pathText, referencesIn, textsOf } from "../field-references.ts";
import { allTextsOf, type Failed, firstCapture, matchesAny, onFailed } from "../rule.ts";
import { membersNamed, valuesBelow } from "../values-below.ts";
import type { BadValue } from "../wording/clauses.ts";
import { firstLacking, placeOf } from "./missing-field.ts";

const URL_KEY = /^(?:url|endpoint|baseUrl)$/;
/** A parameter by its displayed name; its key is the same without spaces. */
const PARAMETER = /^Invalid input for '([^'\n]{1,60})'/;
interface Form {
  readonly says: RegExp;
  readonly what: BadValue;
  /** The only parameters that can have caused it, if known. */
  readonly keys?: RegExp;
}
const FORMS: readonly Form[] = [
  { says: /^Invalid URL/i, what: "url", keys: URL_KEY },
  { says: /^URL parameter must be a string/, what: "urlType", keys: URL_KEY },
  { says: /^Invalid time value(?: \[|$)/, what: "date" },
  {
    says: /^Invalid date(?: format|Time)?|^(?:The )?date .{0,60}(?:invalid|could not be|not valid|cannot be)|^Unrecognized date|^Unable to parse .{0,60}date/i,
    what: "date",
  },
  {
    says: /^(?:Parameter|Value|The value) .{0,80} (?:is missing|is required|must be|not set|not valid|is not)/i,
    what: "value",
  },
  {
    says: /\bmust be (?:of type|an instance of|one of) .{1,200} Received (?:undefined|null)\b/,
    what: "absent",
  },
  { says: /^Invalid (?:wait )?amount/, what: "amount" },
  { says: /^The out?put .{1,20} is not allowed/, what: "output" },
  { says: /^You need to define at least one pair of fields/, what: "pairs" },
];
const NAMED_FIELD =
  /^(?:(?:Couldn't|Could not|Can't) find the field|The field|Item has no (?:JSON )?property called|No property named) ['"]([^'"\n]{1,100})['"](?= does not exist in any|[^'"]{0,60}$)/;
const SAME_PAGE = /^The returned response was identical \d{1,3}x, so requests got stopped/;
/** n8n's default, which a node need not name. */
const USUAL_FIELD = "data";

export const invalidRequest = onFailed((failed) => {
  const texts = allTextsOf(failed.error);
  const own = textsOf(failed.node?.parameters);
  const field = firstCapture(texts, NAMED_FIELD);
  if (field !== undefined && (field === USUAL_FIELD || own.some((text) => text.includes(field)))) {
    const lacking = firstLacking([ownField(field.split("."))], failed);
    if (lacking !== null) return lacking;
  }
  const fixed = matchesAny(texts, SAME_PAGE) ? fixedPage(failed) : null;
  if (fixed !== null) return fixed;
  const form = formOfParameter(failed, texts) ?? FORMS.find(({ says }) => matchesAny(texts, says));
  if (form === undefined) return null;
  const { what, keys } = form;
  const made =
    keys === undefined
      ? own
      : membersNamed(failed.node?.parameters, keys).flatMap((member) => textsOf(member));
  const references = made.filter((text) => text.startsWith("=")).flatMap(referencesIn);
  // A fallback does not help if it is not accepted either.
  const unguarded = references.filter(({ hasFallback }) => keys !== undefined || !hasFallback);
  const lacking = firstLacking(unguarded, failed);
  if (lacking === null) return badValue(failed, references, what);
  // If the parameter is unknown, another expression may have made the bad value.
  const isSure = keys !== undefined || countFields(references) === 1;
  return isSure ? lacking : { ...lacking, what, confidence: "observed" };
});

/** A pagination without an expression asks for the same page every time. */
function fixedPage({ name, node }: Failed): Fact | null {
  const rows = memberOf(parameterOf(node, "options", "pagination", "pagination"), "parameters", "parameters");
  const all = Array.isArray(rows) ? rows : [];
  const isFixed = all.length > 0 && all.every((row) => textAt(row, "value")?.startsWith("=") === false);
  const names = all.flatMap((row) => textAt(row, "name") ?? []);
  return isFixed ? { kind: "invalid_request.same_page", node: name, names } : null;
}

const countFields = (references: readonly FieldReference[]): number =>
  new Set(references.map(({ node, path }) => `${node ?? ""}\n${pathText(path)}`)).size;

/** n8n checked the parameter of this name; if code throws the same message, there is no such parameter. */
function formOfParameter({ node }: Failed, texts: readonly string[]): Form | undefined {
  const key = firstCapture(texts, PARAMETER)?.replaceAll(" ", "").toLowerCase();
  const names = valuesBelow(node?.parameters).map(([path]) => path.at(-1) ?? "");
  const parameter = names.find((name) => KEY.test(name) && name.toLowerCase() === key);
  return parameter === undefined
    ? undefined
    : { says: PARAMETER, what: { parameter }, keys: new RegExp(`^${parameter}$`) };
}

const KEY = /^[A-Za-z]\w{0,60}$/;

/** The fact for the first value that was read, which exists but is not accepted. */
function badValue(failed: Failed, references: readonly FieldReference[], what: BadValue): Fact {
  for (const reference of references) {
    const [item] = failedOn(failed, reference).items;
    if (item === undefined || reference.path.length === 0) continue;
    const found = findAt(item.json, reference.path);
    if (found.kind !== "there") continue;
    const origin = originOf(failed.view, item, reference.path);
    return {
      kind: "invalid_request.made",
      node: origin.from,
      failedNode: failed.name,
      field: pathText(reference.path),
      what,
      type: typeOf(found.value),
      item: placeOf(failed.view, origin),
      confidence: "observed",
      value: found.value,
    };
  }
  return { kind: "invalid_request", node: failed.name, what };
}
