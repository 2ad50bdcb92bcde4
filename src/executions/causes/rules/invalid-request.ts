/**
 * Fact: a URL, id, date or other parameter whose expression read a missing field fails with `Invalid URL: …`, `URL
 * parameter must be a string, got undefined`, `Invalid date format`, `Couldn't find the field '…'` or `Invalid input for
 * 'Token'`. The expression names the field; the reason is that the input lacks it.
 */
import { memberOf, textAt } from "../../../json/members.ts";
import type { ReadValue } from "../../../json/omitted.ts";
import { pattern } from "../../../platform/pattern.ts";
import { parameterOf } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { firstRead, originOf, typeOf } from "../field-origin.ts";
import {
  argumentsOf,
  type FieldReference,
  ownField,
  pathText,
  referencesIn,
  textsOf,
} from "../field-references.ts";
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
  /** An expression or code used a value as a date. */
  readonly isUse?: true;
}
const FORMS: readonly Form[] = [
  { says: /^Invalid URL/i, what: "url", keys: URL_KEY },
  { says: /^URL parameter must be a string/, what: "urlType", keys: URL_KEY },
  { says: /^(?:Invalid time value|cannot convert to Luxon DateTime)(?: \[|$)/, what: "date", isUse: true },
  {
    says: pattern("i")`
      ^Invalid date(?: format|Time)?|^(?:The )?date .{0,60}(?:invalid|could not be|not valid|cannot be)
      |^Unrecognized date|^Unable to parse .{0,60}date
    `,
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
const NAMED_FIELD = pattern()`
  ^(?:
    (?:Couldn't|Could not|Can't) find the field|The field|Item has no (?:JSON )?property called
    |No property named
  ) ['"]([^'"\n]{1,100})['"](?= does not exist in any|[^'"]{0,60}$)
`;
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
  const { what, keys, isUse = false } = form;
  const made =
    keys === undefined
      ? own
      : membersNamed(failed.node?.parameters, keys).flatMap((member) => textsOf(member));
  const references = isUse
    ? made.flatMap((text) => datesIn(text, failed.error.lineNumber ?? null))
    : made.filter((text) => text.startsWith("=")).flatMap(referencesIn);
  // A fallback does not help if it is not accepted either.
  const unguarded = references.filter(({ hasFallback }) => keys !== undefined || !hasFallback);
  const lacking = firstLacking(unguarded, failed);
  if (lacking === null) return badValue(failed, references, what, isUse);
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

const TO_DATE = /\bnew Date\(|\bDate\.parse\(|\bDateTime\.from(?:ISO|JSDate|Millis|SQL)\(/g;
const OF_DATES = /^(?:toDateTime|toFormat|format|plus|minus|beginningOf|endOfMonth|extract|diffTo\w*)$/;

/** What an expression, or a line of code, uses as a date. */
const datesIn = (text: string, line: number | null): FieldReference[] => [
  ...(text.startsWith("=") ? referencesIn(text) : []).filter(
    // The only field may be converted first: `new Date(Number($json.at))`.
    ({ called }, _, { length }) => OF_DATES.test(called ?? "") || (length === 1 && text.search(TO_DATE) >= 0),
  ),
  ...argumentsOf(text, TO_DATE, line),
];

const isDate = (value: ReadValue): boolean =>
  (typeof value === "string" || typeof value === "number") && !Number.isNaN(new Date(value).getTime());

/** The fact for the first value that was read, which exists but is not accepted. */
function badValue(
  failed: Failed,
  references: readonly FieldReference[],
  what: BadValue,
  isUse: boolean,
): Fact {
  const bad = firstRead<Fact>(failed, references, ({ reference: { path }, item, found }) => {
    if (path.length === 0 || found.kind !== "there" || (isUse && isDate(found.value))) return null;
    const origin = originOf(failed.view, item, path);
    return {
      kind: "invalid_request.made",
      node: origin.from,
      failedNode: failed.name,
      field: pathText(path),
      what,
      type: typeOf(found.value),
      item: placeOf(failed.view, origin),
      confidence: "observed",
      value: found.value,
    };
  });
  return bad ?? { kind: "invalid_request", node: failed.name, what };
}
