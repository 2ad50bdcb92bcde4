/**
 * Keys of providers by their form, as the providers document them: the tables hold the facts, and this is the
 * rule made of them. Their kind is `provider-key`: which provider it was, the text around it says.
 */
import type { MarkSecret } from "../marks.ts";
import type { TextRule } from "../text-rule.ts";
import { compileBeside, scanBeside } from "./beside.ts";
import { compileForms } from "./compile.ts";
import type { Span } from "./match.ts";
import { parseForms } from "./notation.ts";
import { scanForms } from "./scan.ts";
import { beside } from "./tables/beside.ts";
import { TABLES } from "./tables/index.ts";

/** Every form of every table. */
export const FORMS = TABLES.flatMap(({ table, kind = "provider-key" }) => parseForms(table, kind));

const INDEX = compileForms(FORMS);

const BESIDE = compileBeside(beside);

/** No key of any provider is shorter. */
const SHORTEST = 12;

function marked(text: string, spans: readonly Span[], mark: MarkSecret): string {
  if (spans.length === 0) return text;
  let result = "";
  let done = 0;
  for (const { from, to, kind } of spans) {
    result += text.slice(done, from) + mark(kind, text.slice(from, to));
    done = to;
  }
  return result + text.slice(done);
}

export const providerForms: TextRule = (text, { mark }) => {
  if (text.length < SHORTEST) return text;
  const result = marked(text, scanForms(INDEX, text).spans, mark);
  return marked(result, scanBeside(BESIDE, result), mark);
};
