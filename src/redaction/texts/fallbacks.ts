/** The literal that code falls back to: `process.env.TOKEN || "…"`, `os.getenv("TOKEN", "…")`. */
import { isLineEndCode, matchAt } from "./characters.ts";
import { isPossible, isTokenLike } from "./plausible-values.ts";
import { quotedAt, type Value } from "./values-after.ts";

const MAX_EXPRESSION = 160;
const ALTERNATIVE =
  /(?:\|\||\?\?|\bor\b|\?:)[ \t]{0,4}(?=["'`])|\b(?:get\w{0,10}|env|config|setdefault|fetch)\(["'][\w.-]{1,64}["'],[ \t]{0,4}(?=["'`])/;

/** Words that somebody made up for it; a message begins with a capital. */
const PHRASE = /^[\p{Ll}\p{N}]+(?: [\p{Ll}\p{N}]+){3,9}$/u;

/** @param at where the value of a secret's name begins */
export function fallbackIn(text: string, at: number): Value | undefined {
  if (!/[A-Za-z_$]/.test(text[at] ?? "")) return undefined;
  // `${DB_PASSWORD:-…}` of a shell, `${db.password:…}` of Spring.
  const [, variable = "", literal = ""] =
    matchAt(/(\$\{[\w.]{1,60}:-?)([^\s{}$:][^\s{}$]{2,100})(?=\})/y, text, at) ?? [];
  const from = at + variable.length;
  if (isPossible(literal)) return { from, to: from + literal.length, form: "word" };
  let end = at;
  while (end < text.length && end - at < MAX_EXPRESSION && !isLineEndCode(text.charCodeAt(end))) end += 1;
  const found = ALTERNATIVE.exec(text.slice(at, end));
  if (found === null) return undefined;
  const value = quotedAt(text, at + found.index + found[0].length);
  const alternative = value === undefined ? "" : text.slice(value.from, value.to);
  return isTokenLike(alternative) || PHRASE.test(alternative) ? value : undefined;
}
