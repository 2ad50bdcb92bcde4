/**
 * Fact: `JSON.parse` in code fails with `Unexpected token … is not valid JSON` and a line, n8n's own fields with `The value
 * in the "JSON Body" field is not valid JSON` and the like, XML with `Unexpected close tag` or `Non-whitespace before first
 * tag`. The expression names the field that was read: its value is invalid, or quotes in it broke the JSON around it.
 */
import { parsedJson } from "../../../json/members.ts";
import { containsOmitted, isReadObject, type ReadValue } from "../../../json/omitted.ts";
import { pattern } from "../../../platform/pattern.ts";
import type { Fact } from "../fact.ts";
import { type Found, firstRead, originOf } from "../field-origin.ts";
import {
  argumentsOf,
  type FieldReference,
  ownField,
  pathText,
  referencesIn,
  textsOf,
} from "../field-references.ts";
import { howItBreaks, insertionsIn } from "../json-template.ts";
import { allTextsOf, type Failed, firstCapture, isOfClass, isThrown, matchesAny, onFailed } from "../rule.ts";
import type { Template } from "../wording/clauses.ts";
import { firstLacking, typeFact } from "./missing-field.ts";

const FIELD = pattern()`
  ^The (?:
    value in the "([\w ()-]{1,60})" field is not valid JSON
    |'([\w ()-]{1,60})' in item \d{1,6} (?:contains invalid|does not contain a valid) JSON
  )
  |^(JSON) parameter needs? to be (?:an )?valid JSON|^The data in "([\w ()-]{1,60})" is no valid JSON
`;
/** These are about a service's answer, not the node's own text. */
const ANSWERED = /^(?:Response body is not valid JSON|Invalid JSON in response body)/;
const IN_CODE =
  /is not valid JSON|^Unexpected (?:token .{0,40} in JSON|end of JSON input)|in JSON at position \d/;
/** The engine's messages, new and old, for parsing undefined or an object. */
const NO_TEXT =
  /^"(?:undefined|\[object Object\])" is not valid JSON|^Unexpected token (?:u|o|'u'|'o'),? (?:in JSON|"(?:undefined|\[object))/;
const RESPONSE = /^Invalid JSON in ["'](?:Response Body|JSON)/i;
const XML = pattern()`
  ^(?:
    Unexpected close tag|Non-whitespace before first tag|Invalid character in (?:tag|entity) name
    |Unclosed root tag|Unencoded <|Text data outside of root node|Attribute without value
  )
`;

const QUOTES = /^Unexpected token [\s\S]{1,10}, (?:\.{3})?"([\s\S]{1,100})"(?:\.{3})? is not valid JSON/;

const PARSING = "JSON.parse(";
const PARSES = /JSON\.parse\((?:\s{0,20}(?:String)?\()?\s{0,20}/g;

export const notJson = onFailed((failed) => {
  const texts = allTextsOf(failed.error);
  const own = textsOf(failed.node?.parameters);
  if (matchesAny(texts, ANSWERED)) return null;
  const label = firstCapture(texts, FIELD);
  if (label !== undefined) return labelled(failed, label);
  if (matchesAny(texts, RESPONSE)) return templated(failed, "answer");
  const references = own.flatMap(referencesIn);
  if (matchesAny(texts, XML))
    return parsed(failed, "XML", textRead(failed, "XML", references) ?? wholeInput(failed, "XML"));
  if (!matchesAny(texts, IN_CODE) && !parsesInCode(failed, own)) return null;
  const given = own.flatMap((code) => argumentsOf(code, PARSES, failed.line));
  const noText = matchesAny(texts, NO_TEXT) ? readNoText(failed, given) : null;
  if (noText !== null) return noText;
  const parsesJson = own.some((code) => code.includes(PARSING));
  const read = textRead(failed, "JSON", parsesJson ? given : references);
  return parsed(failed, "JSON", read ?? (parsesJson ? null : wholeInput(failed, "JSON")));
});

/**
 * What breaks the field of a label: `JSON Body` is `jsonBody`, `JSON Query Parameters` is `jsonQuery`. The error's author
 * writes the label, so it is shown only if the node has a parameter of this name.
 */
function labelled(failed: Failed, label: string): Fact[] {
  const plain = label.replaceAll(/\W/g, "").toLowerCase();
  const parameters = failed.node?.parameters;
  const named = isReadObject(parameters)
    ? Object.entries(parameters).map(([name, value]) => ({ name: name.toLowerCase(), value }))
    : [];
  const exact = named.find(({ name }) => name === plain);
  if (exact !== undefined) return templated(failed, { label }, exact.value);
  const near = named.find(
    ({ name }) => name.length > 4 && (plain.startsWith(name) || name.startsWith(plain)),
  );
  return templated(failed, "a field", near?.value ?? parameters);
}

/** A syntax error in the code has no line; if the parsed text has line breaks, n8n keeps only the first line of the message. */
const parsesInCode = ({ error }: Failed, own: readonly string[]): boolean =>
  isOfClass(error, "SyntaxError") && isThrown(error) && own.some((text) => text.includes(PARSING));

const readNoText = (failed: Failed, references: readonly FieldReference[]): Fact | null =>
  firstLacking(
    references.filter(({ hasFallback }) => !hasFallback),
    failed,
  ) ??
  firstRead(failed, references, (read) =>
    read.found.kind === "there" && typeof read.found.value === "object"
      ? typeFact(failed, read, { does: "parses" })
      : null,
  );

/** The first text read that is not of the expected form: the one that the error quotes, if it does. */
const textRead = (failed: Failed, form: "JSON" | "XML", references: readonly FieldReference[]) =>
  firstRead(failed, references, ({ reference, item, found }) =>
    found.kind === "there" &&
    typeof found.value === "string" &&
    (isCut(reference, found.value) ||
      found.value.includes(firstCapture(allTextsOf(failed.error), QUOTES) ?? "")) &&
    !(reference.hasFallback && found.value === "") &&
    (form === "XML" || parsedJson(found.value) === undefined)
      ? { reference, item, text: found.value }
      : null,
  );

/** The quoted part may be in the unread rest of a text, or be the result of a method. */
const isCut = ({ called }: FieldReference, text: string): boolean => called !== null || containsOmitted(text);

function parsed(failed: Failed, form: "JSON" | "XML", read: ReturnType<typeof textRead>): Fact {
  if (read === null) return { kind: "not_json.text", node: failed.name, form };
  const { reference, item, text } = read;
  const isHtml = form === "JSON" && /^\s{0,20}<(?:!doctype|html|\?xml|[a-z])/i.test(text);
  const isFenced = form === "JSON" && /^\s{0,20}`{3}/.test(text);
  return {
    kind: "not_json",
    node: originOf(failed.view, item, reference.path).from,
    failedNode: failed.name,
    field: pathText(reference.path),
    form,
    is: text.trim() === "" ? "empty" : isHtml ? "html" : isFenced ? "fenced" : "invalid",
    value: text,
  };
}

/** For nodes that read a field by its name, including n8n's default. */
function wholeInput(failed: Failed, form: "JSON" | "XML") {
  const named = [...textsOf(failed.node?.parameters).filter((text) => /^[\w.]{1,60}$/.test(text)), "data"];
  const references = named.map((name) => ownField(name.split(".")));
  return textRead(failed, form, references);
}

function templated(failed: Failed, template: Template, inside = failed.node?.parameters): Fact[] {
  const node = failed.name;
  const taking = {
    isWritten: EDIT_FIELDS.test(failed.node?.type ?? ""),
    isObject: matchesAny(allTextsOf(failed.error), TAKES_OBJECTS),
  };
  for (const put of textsOf(inside).flatMap(insertionsIn)) {
    const facts = firstRead(failed, [put.reference], ({ reference, item, found }): Fact[] | null => {
      const how = found.kind === "unread" ? null : howItBreaks(put, valueAt(found), taking);
      if (how === null) return null;
      const { from } = originOf(failed.view, item, reference.path);
      const field = pathText(reference.path);
      const value = found.kind === "there" ? { value: found.value } : {};
      return [
        { kind: "not_json.put", node, field, template, how, from, ...value },
        { kind: BROKEN_BY[found.kind], node: from, failedNode: node, field, how },
      ];
    });
    if (facts !== null) return facts;
  }
  return [{ kind: "not_json.template", node, template }];
}

/** In its JSON mode, it writes everything that is no text as JSON, with `null` and `undefined` by name. */
const EDIT_FIELDS = /\.set$/;
/** Errors of fields that may also be objects, which n8n does not parse. */
const TAKES_OBJECTS =
  /^The value in the "JSON Body" field|^The data in "|^Invalid JSON in ["'](?:Response Body|JSON)/;

const BROKEN_BY = {
  absent: "field_missing.put",
  null: "field_null.put",
  there: "not_json.breaks",
  unread: "not_json.breaks",
} as const satisfies Record<Found["kind"], string>;

const valueAt = (found: Found): ReadValue | undefined =>
  found.kind === "there" ? found.value : found.kind === "null" ? null : undefined;
