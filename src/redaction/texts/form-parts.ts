/** RFC 7578: the part of a form, `name="password"`, its headers, an empty line, the value; also as a literal in code. */
import type { TextRule } from "../text-rule.ts";
import { isPossible } from "./plausible-values.ts";

const FORM_PART =
  /(name=\\?"([\p{L}\p{N}_.[\]-]{2,64})\\?"(?:(?:\r?\n|\\r\\n|\\n)content-[\w-]{1,40}: ?[\w/;=. -]{1,100}){0,3}(?:\r?\n|\\r\\n|\\n){2})((?:(?!\\r|\\n)[^\r\n]){1,4000})/giu;

export const formParts: TextRule = (text, { mark, kindOfKey }) =>
  text.replace(FORM_PART, (match: string, before: string, name: string, value: string) =>
    kindOfKey(name) === "secret" && isPossible(value) ? before + mark("key", value) : match,
  );
