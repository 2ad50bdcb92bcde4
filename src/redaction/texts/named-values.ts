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
import { isTokenLike } from "./plausible-values.ts";
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

/** A bound on work: each is looked for in the whole text. */
const MAX_REPEATED = 8;
/** So long and of such characters that it stands nowhere by chance, and in no mark. */
const REPEATABLE = /^[\w+/=-]{12,}$/;

/** What a name gave away in one place is as secret in the others: `token 'a1…' | 'a1…'`. */
function withoutRepeats(text: string, secrets: ReadonlyMap<string, string>): string {
  let result = text;
  for (const [secret, mark] of secrets) if (result.includes(secret)) result = result.replaceAll(secret, mark);
  return result;
}

export const namedValues: TextRule = (text, context) => {
  const found = new Map<string, string>();
  const mark: typeof context.mark = (kind, secret) => {
    const made = context.mark(kind, secret);
    if (secret === undefined || found.size >= MAX_REPEATED) return made;
    if (REPEATABLE.test(secret) && isTokenLike(secret)) found.set(secret, made);
    return made;
  };
  let result = text;
  for (const rule of RULES) result = rule(result, { ...context, mark });
  return found.size === 0 ? result : withoutRepeats(result, found);
};
