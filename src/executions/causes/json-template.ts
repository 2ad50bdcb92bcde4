/**
 * Which expressions break the JSON text that they are inserted into: `{ "note": "{{ $json.note }}" }`. n8n inserts
 * texts as they are, null and missing values as nothing, lists and objects as JavaScript joins them; Edit Fields
 * writes them as JSON (n8n-nodes-base, Set/v2/helpers/utils.js, `resolveRawData`). Inside quotes, a text breaks the
 * JSON by a quote, a backslash or a line break; outside, by not being a JSON value. `JSON.stringify(…)` writes
 * everything except missing values. Pure, linear.
 */
import { parsedJson } from "../../json/members.ts";
import type { ReadValue } from "../../json/omitted.ts";
import { typeOf } from "./field-origin.ts";
import { type FieldReference, referencesIn } from "./field-references.ts";
import type { HowItBreaks } from "./wording/clauses.ts";

/** An expression that only reads one field; expressions with conditions or calculations are not judged. */
interface Insertion {
  readonly reference: FieldReference;
  readonly isInQuotes: boolean;
  readonly isWritten: boolean;
  /** It is the whole text: n8n then passes on the value itself, not a text. */
  readonly isWhole: boolean;
}

const MAX_TEMPLATE = 20_000;
const EXPRESSION = /\{\{([\s\S]{1,1000}?)\}\}/g;
const STRINGIFIED = /^JSON\.stringify\(([\s\S]{1,600}?)(?:,\s{0,10}null\s{0,10},\s{0,10}\d)?\s{0,10}\)$/;
const TO_JSON = /\.toJsonString\(\)$/;
/** A chain of members starting at `$`, with an optional fallback. */
const PLAIN = /^\$[\w$.?()'"[\]\s-]{1,400}(?:(?:\?\?|\|\|)[\s\S]{1,200})?$/;

/** @param template as set, with its leading `=`; only an object or a list counts as a template */
export function insertionsIn(template: string): Insertion[] {
  if (!/^=\s{0,100}[{[]/.test(template)) return [];
  const text = template.slice(1, MAX_TEMPLATE);
  let isInQuotes = false;
  let end = 0;
  const found: Insertion[] = [];
  for (const match of text.matchAll(EXPRESSION)) {
    isInQuotes = endsInQuotes(text.slice(end, match.index), isInQuotes);
    end = match.index + match[0].length;
    const written = plainReference(match[1] ?? "");
    if (written !== null) found.push({ ...written, isInQuotes, isWhole: match[0] === text });
  }
  return found;
}

function endsInQuotes(literal: string, isInside: boolean): boolean {
  let inside = isInside;
  for (let index = 0; index < literal.length; index += 1) {
    if (literal[index] === "\\") index += 1;
    else if (literal[index] === '"') inside = !inside;
  }
  return inside;
}

function plainReference(expression: string): Pick<Insertion, "reference" | "isWritten"> | null {
  const whole = expression.trim();
  const inner = (STRINGIFIED.exec(whole)?.[1] ?? whole.replace(TO_JSON, "")).trim();
  const [reference, ...others] = referencesIn(inner);
  if (reference === undefined || others.length > 0 || !PLAIN.test(inner)) return null;
  return { reference, isWritten: inner !== whole };
}

/**
 * How a value breaks the text; null if it does not.
 * @param value undefined if missing
 * @param taking how the node takes a value that is not text: written as JSON, or an object as it is
 */
export function howItBreaks(
  { reference, isInQuotes, isWritten, isWhole }: Insertion,
  value: ReadValue | undefined,
  taking: { readonly isWritten: boolean; readonly isObject: boolean },
): HowItBreaks | null {
  if (value === undefined || value === null) {
    const isNull = value === null && (isWritten || isWhole || taking.isWritten);
    const isHarmless = isInQuotes || reference.hasFallback || isNull;
    return isHarmless ? null : value === null ? "null" : "absent";
  }
  // A method changes the value.
  if (reference.called !== null && !isWritten) return null;
  if (isWritten || (taking.isWritten && typeof value !== "string"))
    return isInQuotes && BREAKS_TEXT.test(JSON.stringify(value)) ? "written" : null;
  if (typeof value === "string") return howTextBreaks(value, isInQuotes);
  if (isWhole && taking.isObject) return null;
  const type = typeOf(value);
  return type === "list" || type === "object" ? type : null;
}

function howTextBreaks(text: string, isInQuotes: boolean): HowItBreaks | null {
  if (isInQuotes) return BREAKS_TEXT.test(text) ? "quote" : null;
  if (parsedJson(text) !== undefined) return null;
  return text.trim() === "" ? "empty" : "unquoted";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings must not contain control characters.
const BREAKS_TEXT = /["\\\u0000-\u001f]/;
