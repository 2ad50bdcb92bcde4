/** Secrets that a name beside them gives away in a text. Tables and markup first: they say most about what is where. */
import type { TextRule } from "../text-rule.ts";
import { commandLines } from "./command-lines.ts";
import { connectionStrings } from "./connection-strings.ts";
import { formParts } from "./form-parts.ts";
import { inserts } from "./inserts.ts";
import { keywords } from "./keywords.ts";
import { labelledValues } from "./labels.ts";
import { literals } from "./literals.ts";
import { markup } from "./markup.ts";
import { tables } from "./tables.ts";

const RULES: readonly TextRule[] = [
  connectionStrings,
  markup,
  formParts,
  inserts,
  tables,
  labelledValues,
  literals,
  commandLines,
  keywords,
];

export const namedValues: TextRule = (text, context) => {
  let result = text;
  for (const rule of RULES) result = rule(result, context);
  return result;
};
