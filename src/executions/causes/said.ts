/** What a service, driver or node said about its failure, without n8n's replacements: payload. Pure. */
import type { NodeError } from "../../n8n/schemas.ts";
import { isObject } from "../../platform/is-object.ts";
import { ERROR_CLASSES } from "../error-facts.ts";
import { isReplaced } from "./error-words.ts";
import { bodiesOf, fieldReasonsOf, isReasonName, isRequest } from "./field-reasons.ts";
import { rawTextsOf } from "./rule.ts";

/** n8n's general sentences, and the query that it repeats. */
const SAYS_NOTHING =
  /^(?:Your request is invalid or could not be processed|The service failed to process your request|Request failed with status code \d{3}$|SSL Issue: consider|Try spacing your requests|UNKNOWN ERROR|Failed query: |sql: )/;

const MAX_SENTENCES = 50;

/** The sentences of an answer, however deep. */
function sentencesIn(body: unknown, key = ""): string[] {
  if (typeof body === "string") return isReasonName(key) && /\S\s+\S|[.!]$/.test(body) ? [body] : [];
  if (Array.isArray(body)) return body.flatMap((one) => sentencesIn(one, key));
  if (!isObject(body)) return [];
  return Object.entries(body).flatMap(([name, one]) => (isRequest(name) ? [] : sentencesIn(one, name)));
}

/** @returns most informative first: the message, unless n8n put its own in its place */
export function saidTexts(error: NodeError | undefined): string[] {
  const raw = rawTextsOf(error);
  const sentences = sentencesIn(bodiesOf(error)).slice(0, MAX_SENTENCES);
  const texts = [...raw, ...sentences].map((text) => text.trim());
  const informative = texts.filter(
    (text) => !SAYS_NOTHING.test(text) && !isReplaced(text) && !ERROR_CLASSES.has(text),
  );
  // n8n also keeps the raw body, besides the message that it read from it.
  const read = informative.filter((text) => !/^\d{3} - /.test(text));
  const all = read.length > 0 ? read : informative;
  return all.filter(
    (text, index) => !all.some((other, at) => other.includes(text) && (at < index || other !== text)),
  );
}

/** As one text; undefined if nothing was said. Reasons for single fields come before general ones. */
export function saidIn(error: NodeError | undefined): string | undefined {
  const reasons = fieldReasonsOf(error).map(({ field, reason }) => `${field}: ${reason}`);
  const general = saidTexts(error).filter(
    (text) => !(reasons.length > 0 && /^\d{3} - /.test(text)) && !reasons.some((one) => one.includes(text)),
  );
  const said = [...reasons, ...general];
  return said.length === 0 ? undefined : said.slice(0, 2).join(" | ");
}
