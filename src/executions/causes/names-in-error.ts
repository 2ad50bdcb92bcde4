/**
 * Names that an error's text has in common with the parameters of the node that failed, or of its model: a column, a field.
 * They are the workflow's own words, so anyone may see them, and they say what to fix. Pure.
 */
import type { NodeError, WorkflowNode } from "../../n8n/schemas.ts";
import { pattern } from "../../platform/pattern.ts";
import { fieldReasonsOf } from "./field-reasons.ts";
import { openTextOf } from "./open-texts.ts";
import { rawTextsOf } from "./rule.ts";
import { valuesBelow } from "./values-below.ts";

const MAX_NAMES = 2;
const MAX_TEXT = 2_000;
/** Names in quotes (also escaped), or in snake case. */
const NAMES = /["'`“]([\p{L}_][\p{L}\p{N}_ .-]{1,40}?)\\?["'`”]|\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b/giu;
/** The value of a JSON member, unless it is a sentence, or the member names a field: any other may repeat what was sent. */
const ECHOED =
  /("(?!field|name|param|pointer|path|property|attribute|column|target)[^"\\\s]{1,60}\\?":\s?)\\?"[^"\\\s]*\\?"/gi;
/** Words too general to name a place: members of an error, types, and what every node has. */
export const GENERAL = pattern("i")`
  ^(?:
    type|name|value|values|message|messages|error|errors|code|field|fields|status|id|ids|body|data|json
    |query|string|number|object|array|boolean|url|method|detail|details|reason|request|response|true
    |false|null|undefined|failed|failure|invalid|success|error_code|error_message|status_code|invalid_request_error
  )$
`;

/** @param subs sub-nodes, whose settings' names count, too */
export function namesInError(error?: NodeError, node?: WorkflowNode, ...subs: WorkflowNode[]): string[] {
  const named = rawTextsOf(error).flatMap((text) =>
    [...text.slice(0, MAX_TEXT).replaceAll(ECHOED, "$1").matchAll(NAMES)].map(
      ([, quoted, joined]) => quoted ?? joined ?? "",
    ),
  );
  // Of a path, the last word is the field.
  const fields = fieldReasonsOf(error).flatMap(
    ({ field }) => /[\p{L}_][\p{L}\p{N}_-]*(?=\W*$)/u.exec(field)?.[0] ?? [],
  );
  const found = [...new Set([...fields, ...named])].filter((name) => name !== "" && !GENERAL.test(name));
  if (found.length === 0) return [];
  const settings = subs.flatMap(({ parameters }) => valuesBelow(parameters).flatMap(([path]) => path));
  const own = [...[node, ...subs].map((one) => openTextOf(one?.parameters)), ...settings].join("\n");
  return found.filter((name) => isWordOf(own, name)).slice(0, MAX_NAMES);
}

export function isWordOf(text: string, name: string): boolean {
  const isPart = (character: string | undefined): boolean => /[\p{L}\p{N}_]/u.test(character ?? "");
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + name.length])) return true;
  return false;
}
