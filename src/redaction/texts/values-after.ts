/** The value after a separator: where it begins and ends, and in what form. Each reader is bounded. */
import { afterBlanks, isBlankCode, isLineEndCode, isQuoteCode, matchAt } from "./characters.ts";
import { isPossible, isTokenLike } from "./plausible-values.ts";
import { endOfQuoted } from "./quoted-text.ts";

export interface Value {
  readonly from: number;
  readonly to: number;
  readonly form: "quoted" | "bracket" | "line" | "word" | "block" | "next-line" | "groups";
}

const MAX_WORD = 4_096;
const ENTITY = /&(?:amp;)?(?:quot|apos|#34|#39|#x22|#x27);/iy;
/** Quotes with different numbers of backslashes are different quotes; nobody escapes more often than this. */
const OPENING_QUOTE = /\\{0,64}(?:"""|'''|["'`])|\\{1,64}u002[27]/y;
const CURLY_QUOTES = new Map("“” „“ «» ‘’ 「」".split(" ").map(([open = "", close = ""]) => [open, close]));
/** Prefixes that languages put before an opening quote: `@"…"`, `b'…'`, `new String("…")`. */
const PREFIX =
  /(?:(?:\r?\n[ \t]{0,40})?string\(\d{1,9}\) |@|\$@?|[bBrRfFuULN]{1,2}|(?:new |std::)?[Ss]tring(?:::from|\.valueOf)?\(|SecretStr\(|Some\(|bytes\(|str\(|Buffer\.from\(|\()(?=\\*["'`])/y;

/** The quoted text that begins here; undefined if there is none. */
export function quotedAt(text: string, at: number): Value | undefined {
  const [prefix = ""] = matchAt(PREFIX, text, at) ?? [];
  const begin = at + prefix.length;
  const [quote = ""] = matchAt(OPENING_QUOTE, text, begin) ?? matchAt(ENTITY, text, begin) ?? [];
  if (quote !== "") {
    const from = begin + quote.length;
    return { from, to: endOfValue(text, from, quote), form: "quoted" };
  }
  const closing = CURLY_QUOTES.get(text[at] ?? "");
  if (closing === undefined) return undefined;
  const end = text.slice(at + 1, at + 1 + 500).indexOf(closing);
  return end < 0 ? undefined : { from: at + 1, to: at + 1 + end, form: "quoted" };
}

/** Only a template spans lines; any other quote that does is unterminated. */
function endOfValue(text: string, from: number, quote: string): number {
  const end = endOfQuoted(text, from, quote);
  const closed = end < 0 ? text.length : end;
  if (quote.endsWith("`") || (quote.length >= 3 && /["']{3}$/.test(quote))) return closed;
  // Not searched beyond the quote, or each quote would cost the rest of a text without line ends.
  const line = text.slice(from, closed).indexOf("\n");
  return line < 0 ? closed : from + line;
}

/** The end of the object or list that begins here, whatever its quotes; the end of the text if it is cut. */
export function endOfBracket(text: string, from: number): number {
  const brackets = /[{}[\]]/g;
  brackets.lastIndex = from;
  let depth = 0;
  for (let match = brackets.exec(text); match !== null; match = brackets.exec(text)) {
    depth += match[0] === "{" || match[0] === "[" ? 1 : -1;
    if (depth === 0) return match.index + 1;
  }
  return text.length;
}

const NEXT_PAIR = /[ \t]*(?:$|["'{[]|[\w.-]{1,40}["']?[ \t]?[=:])/my;
const NEXT_PARAMETER = /&(?:[\w.%[\]-]{1,64}=|(?:amp|quot|lt|gt|nbsp|apos|#\w{1,5});|$)/y;

/**
 * The end of a word, which may contain signs, before the separator after it.
 * @param most how many characters are searched: no more than the caller needs, since words may begin inside words
 */
export function endOfWord(text: string, from: number, most = MAX_WORD): number {
  const limit = Math.min(text.length, from + most);
  let at = from;
  while (at < limit && !endsWord(text, at)) at += 1;
  if (at === from + most) return at;
  while (at > from && ",.:)]}|".includes(text[at - 1] ?? "")) at -= 1;
  return at;
}

/** Secrets shown in groups: for authenticator apps, `JBSW Y3DP EHPK`, and the app passwords of Google and of WordPress. */
const GROUPS =
  /(?:[A-Z2-7]{4}(?: [A-Z2-7]{4}){2,15}|[a-z]{4}(?: [a-z]{4}){3}|(?=[^\d\n]{0,28}\d)[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){5})(?![ ]?[\p{L}\p{N}])/uy;
const SEED = /\p{Ll}{3,8}(?: \p{Ll}{3,8}){11,23}(?!\p{L})/uy;

export const groupsAt = (text: string, from: number): Value | undefined => {
  const [groups = ""] = matchAt(GROUPS, text, from) ?? matchAt(SEED, text, from) ?? [];
  return groups === "" ? undefined : { from, to: from + groups.length, form: "groups" };
};

/** 1 for the codes of characters that are always part of a word. */
const ALWAYS_IN_WORD = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(code > 58 && !";<>\\`".includes(String.fromCharCode(code))),
);

function endsWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (ALWAYS_IN_WORD[code] === 1) return false;
  if (isBlankCode(code) || isLineEndCode(code) || isQuoteCode(code) || code === 0x3b) return true;
  switch (code) {
    case 0x2c:
      return isBlankCode(text.charCodeAt(at + 1)) || matchAt(NEXT_PAIR, text, at + 1) !== null;
    case 0x26:
      return matchAt(NEXT_PARAMETER, text, at) !== null;
    case 0x3c:
      return /[A-Za-z/!]/.test(text[at + 1] ?? "!");
    case 0x3e:
      return /[\s<]/.test(text[at + 1] ?? " ");
    case 0x5c:
      return /[nrtu"'`\\]/.test(text[at + 1] ?? "\\");
    default:
      return code > 127 && "”»’」，。；、".includes(text[at] ?? "");
  }
}

const LINE = /[^\r\n"'`\\]*/y;
const CREDENTIAL =
  /((?:bearer|basic|token|api-?key|negotiate|apikey)[ \t]+)(?![a-z_]{2,20}=\\*["']\w)[^\s"'`,;)\\]+/iy;
const PARAMETERS_BEGIN = /([A-Za-z][\w-]{1,30}[ \t]+)(?=[\w.-]{1,40}[ \t]?=)/y;
const PARAMETER = /[ \t,]{0,8}[\w.-]{1,60}[ \t]?=[ \t]?/y;
const PARAMETER_WORD = /[^\s,"'`\\]{0,2000}/y;

/** The credentials of a header line: after the scheme, or the whole line. RFC 9110 section 11.4. */
export function credentialsAt(text: string, at: number): Value {
  const [credential = "", scheme = ""] = matchAt(CREDENTIAL, text, at) ?? [];
  if (credential !== "") return { from: at + scheme.length, to: at + credential.length, form: "line" };
  const [, named = ""] = matchAt(PARAMETERS_BEGIN, text, at) ?? [];
  if (named !== "")
    return { from: at + named.length, to: endOfParameters(text, at + named.length), form: "line" };
  const [line = ""] = matchAt(LINE, text, at) ?? [];
  return { from: at, to: at + line.trimEnd().length, form: "line" };
}

/** `a="b", c=d`: of Digest, OAuth 1, Hawk, and of signatures. */
function endOfParameters(text: string, from: number): number {
  let at = from;
  for (let match = matchAt(PARAMETER, text, at); match !== null; match = matchAt(PARAMETER, text, at)) {
    const begin = at + match[0].length;
    const quoted = quotedAt(text, begin);
    const [word = ""] = matchAt(PARAMETER_WORD, text, begin) ?? [];
    const [quote = ""] = matchAt(OPENING_QUOTE, text, begin) ?? [];
    at = quoted === undefined ? begin + word.length : Math.min(text.length, quoted.to + quote.length);
    if (quoted === undefined && word === "") break;
  }
  return at;
}

const BLOCK_SIGN = /[|>][+-]?\d?[+-]?[ \t]*(?:#[^\n]{0,200})?\r?\n/y;

/** A block scalar of YAML: the lines below that are indented more than the line of its name. */
export function blockAt(text: string, at: number, indentation: number): Value | undefined {
  const [sign = ""] = matchAt(BLOCK_SIGN, text, at) ?? [];
  if (sign === "") return undefined;
  let line = at + sign.length;
  const from = afterBlanks(text, line);
  if (from - line <= indentation) return undefined;
  let to = from;
  while (line < text.length) {
    const begin = afterBlanks(text, line);
    const next = text.indexOf("\n", begin);
    const end = next < 0 ? text.length : next;
    if (end > begin && begin - line <= indentation) break;
    if (end > begin) to = end;
    line = end + 1;
  }
  return { from, to, form: "block" };
}

/** A value alone on the next line, or on the one after an empty one. */
export function nextLineAt(text: string, at: number): Value | undefined {
  let from = at;
  for (let breaks = 0; breaks < 2 && isLineEndCode(text.charCodeAt(from)); breaks += 1) {
    if (text[from] === "\r") from += 1;
    if (text[from] === "\n") from += 1;
    from = afterBlanks(text, from);
  }
  if (from === at) return undefined;
  const [open = ""] = matchAt(/[>*_`"'|-]{0,4}[ \t]?/y, text, from) ?? [];
  from += open.length;
  const to = endOfWord(text, from);
  const [rest = ""] = matchAt(/[*_`"'|]{0,4}[ \t]{0,40}/y, text, to) ?? [];
  const after = text.charCodeAt(to + rest.length);
  return to > from && (Number.isNaN(after) || isLineEndCode(after))
    ? { from, to, form: "next-line" }
    : undefined;
}

const MAX_EXPRESSION = 160;
const ALTERNATIVE =
  /(?:\|\||\?\?|\bor\b|\?:)[ \t]{0,4}(?=["'`])|\b(?:get\w{0,10}|env|config|setdefault|fetch)\(["'][\w.-]{1,64}["'],[ \t]{0,4}(?=["'`])/;

/** A made-up passphrase; a message begins with a capital. */
const PHRASE = /^[\p{Ll}\p{N}]+(?: [\p{Ll}\p{N}]+){3,9}$/u;

/**
 * The literal that code falls back to: `process.env.TOKEN || "…"`, `os.getenv("TOKEN", "…")`.
 * @param at where the value of a secret's name begins
 */
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
