/**
 * Fact: `JSON.parse` in code fails with `Unexpected token … is not valid JSON` and a line, n8n's own fields with `The value in the
 * "JSON Body" field is not valid JSON` and the like, XML with `Unexpected close tag`, `Non-whitespace before first tag`.
 * What was read is named by the expression: it is that field's value, or quotes in it that broke the JSON around it.
 */
import { isReadObject } from "../../../json/omitted.ts";
import { quoted } from "../../../platform/display-name.ts";
import type { ExecutionView, SentItem } from "../execution-view.ts";
import { findAt, itemsReadBy, originOf } from "../field-origin.ts";
import { type FieldReference, pathText, referencesIn, textsOf } from "../field-references.ts";
import type { Finding } from "../finding.ts";
import { allTextsOf, type Failed, failedName, onFailed } from "../rule.ts";

const FIELD = /^The value in the "([\w ()-]{1,60})" field is not valid JSON/;
const IN_CODE =
  /is not valid JSON|^Unexpected (?:token .{0,40} in JSON|end of JSON input)|in JSON at position \d/;
const RESPONSE = /^Invalid JSON in ["']?(?:Response Body|JSON)/i;
const XML =
  /^(?:Unexpected close tag|Non-whitespace before first tag|Invalid character in (?:tag|entity) name|Unclosed root tag|Unencoded <|Text data outside of root node|Attribute without value)/;
/** What breaks a JSON text that it is put into. */
const BREAKS_JSON = /["\\\n\r\t]/;

export const notJson = onFailed((view, failed) => {
  const texts = allTextsOf(failed.error);
  const references = textsOf(failed.node?.parameters).flatMap(referencesIn);
  const field = texts.map((text) => FIELD.exec(text)?.[1]).find((name) => name !== undefined);
  if (field !== undefined)
    return templated(view, failed, references, `${fieldInWords(field, failed)} is not valid JSON`);
  if (texts.some((text) => RESPONSE.test(text)))
    return templated(view, failed, references, "what it answers with is not valid JSON");
  if (texts.some((text) => XML.test(text))) return [parsed(view, failed, "XML", references)];
  if (!texts.some((text) => IN_CODE.test(text))) return [];
  const inCode = textsOf(failed.node?.parameters).flatMap((text) =>
    text
      .split("JSON.parse(")
      .slice(1)
      .flatMap((rest) => referencesIn(rest.slice(0, 300)).slice(0, 1)),
  );
  return [parsed(view, failed, "JSON", inCode.length > 0 ? inCode : references)];
});

/** Whoever throws the error writes the label: it is told where the node has a parameter of this name (`JSON Body`: `jsonBody`). */
function fieldInWords(label: string, { node }: Failed): string {
  const plain = label.replaceAll(/\W/g, "").toLowerCase();
  const names = isReadObject(node?.parameters) ? Object.keys(node.parameters) : [];
  return names.some((name) => name.toLowerCase() === plain)
    ? `its field ${quoted(label)}`
    : "one of its fields";
}

/** The first text that a reference reads. */
function textRead(view: ExecutionView, failed: Failed, references: readonly FieldReference[]) {
  for (const reference of references) {
    for (const item of itemsReadBy(view, failed, reference)) {
      const found = findAt(item.json, reference.path);
      if (found.kind === "there" && typeof found.value === "string")
        return { reference, item, text: found.value };
    }
  }
  return null;
}

function parsed(
  view: ExecutionView,
  failed: Failed,
  form: "JSON" | "XML",
  references: readonly FieldReference[],
): Finding {
  const read = textRead(view, failed, references) ?? wholeInput(view, failed);
  if (read === null)
    return {
      cause: "not_json",
      node: failed.name,
      sentence: `${failedName(failed.name)} because a text that it reads as ${form} is none.`,
      confidence: "exact",
    };
  const { reference, item, text } = read;
  const origin = originOf(view, item, reference.path);
  const isHtml = form === "JSON" && /^\s{0,20}<(?:!doctype|html|\?xml|[a-z])/i.test(text);
  const is = text.trim() === "" ? "is empty" : isHtml ? "is a page of HTML or XML" : `is not valid ${form}`;
  return {
    cause: "not_json",
    node: origin.from,
    failedNode: failed.name,
    field: pathText(reference.path),
    sentence: `${failedName(failed.name)} because it reads ${quoted(pathText(reference.path))} as ${form}, and what ${quoted(origin.from)} sent there ${is}.`,
    confidence: "exact",
    value: text,
  };
}

/** Nodes that read a field by its name, n8n's default among them. */
function wholeInput(view: ExecutionView, failed: Failed) {
  const named = [...textsOf(failed.node?.parameters).filter((text) => /^[\w.]{1,60}$/.test(text)), "data"];
  return textRead(
    view,
    failed,
    named.map((name) => ({ node: null, path: name.split("."), hasFallback: false })),
  );
}

/** Expressions put into a JSON text: one that came out empty, or with a quote in it, breaks the text. */
function templated(
  view: ExecutionView,
  failed: Failed,
  references: readonly FieldReference[],
  what: string,
): Finding[] {
  const own: Finding = {
    cause: "not_json",
    node: failed.name,
    sentence: `${failedName(failed.name)} because ${what}.`,
    confidence: "exact",
  };
  for (const reference of references) {
    const breaking = itemsReadBy(view, failed, reference).find((item) => breaks(item, reference));
    if (breaking === undefined) continue;
    const origin = originOf(view, breaking, reference.path);
    const found = findAt(breaking.json, reference.path);
    const path = pathText(reference.path);
    const is = found.kind === "there" ? "has a quote or a line break in it" : "is not there";
    return [
      {
        ...own,
        field: path,
        sentence: `${failedName(failed.name)} because ${what}: ${quoted(path)}, which is put into it, ${is} in what ${quoted(origin.from)} sent.`,
        ...(found.kind === "there" ? { value: found.value } : {}),
      },
      {
        cause: "field_missing",
        node: origin.from,
        failedNode: failed.name,
        field: path,
        sentence: `${quoted(path)}, which ${quoted(origin.from)} sent, ${is}.`,
        confidence: "exact",
      },
    ];
  }
  return [own];
}

function breaks(item: SentItem, { path }: FieldReference): boolean {
  const found = findAt(item.json, path);
  if (found.kind === "absent" || found.kind === "null") return true;
  return found.kind === "there" && typeof found.value === "string" && BREAKS_JSON.test(found.value);
}
