/**
 * Names with their values in free text, where no structure tells them apart: header lines, env files,
 * connection strings, command lines, XML, and JSON that was cut off or stands inside other text.
 *
 * A name decides how sure it is: `x-api-key: abc` can be nothing else, `password: abc` may be prose.
 */
import { credentialIn } from "./credential-values.ts";
import { AUTH_SCHEME, type KeyKind } from "./key-rules.ts";
import { isMark, MARKS } from "./marks.ts";
import { endOfQuoted } from "./quoted-text.ts";
import { isMasked, isReferenceExpression, looksLikeToken, type TextRule } from "./text-rule.ts";

/** A name, with the quote behind it if it is quoted, and the separator. Only the start of a run is tried. */
const NAME =
  /(?<![\p{L}\p{N}_.$-])(?:--?)?([\p{L}_$][\p{L}\p{N}_.$-]{1,63})((\\*["'`]\]?)?[ \t]{0,4}(?:=>|:=|:|=)[ \t]{0,4})/gu;

/** Words in the place of a value that say what it is or why it is missing. */
const PLACEHOLDER =
  /^(?:null|undefined|none|nil|true|false|yes|no|on|off|string|str|text|number|boolean|object|array|any|unknown|optional|required|missing|invalid|expired|empty|not|is|was|must|should|cannot|can't|has|have|the|your|a|an|and|or|for|in|of|to|if|with|ok|failed|error|denied|type|default|token|bearer|basic|include|omit|same-origin|pass|passed|fail|async|await|new|function|return|const)$/i;

/** `${TOKEN}`, `<token>`: where the value comes from, not what it is. */
const VARIABLE = /^(?:(?:[Bb]earer|[Bb]asic|[Tt]oken)[ \t]*)?(?:<[A-Za-z][\w -]{0,60}>|\$\{[^}]{0,100}\})$/;
/** The same in code: `$TOKEN`, `$1`, `$json.token`, `{{ … }}`, `process.env.TOKEN`, `getToken()`. */
const CODE =
  /^[[({!]{0,5}(?:=?\{\{[\s\S]*|\$(?:json|node|env|vars|input|secrets|parameter|credentials|execution|workflow|items?)\b[\s\S]*|\$\([\s\S]*|[A-Z]{2,}(?:_[A-Z]{2,}){1,6}|[A-Za-z_]+(?:\??\.[A-Za-z_]+)+(?:[([!][\s\S]*)?|[A-Za-z_]+\([\s\S]*|\$\{[\s\S]*|\$[A-Z_][A-Z0-9_]{0,100}|\$\d{1,3}|\?|%[A-Z_]{1,100}%)$/;

const isHeader = (name: string): boolean => /^(?:(?:proxy-)?authorization|(?:set-)?cookie2?)$/i.test(name);
/** More than one word in one name: nobody writes prose that way. */
const isCompound = (name: string): boolean => /[\p{L}\p{N}][-_.][\p{L}\p{N}]|\p{Ll}\p{Lu}/u.test(name);

/** Where a value begins and ends, and how it stands there. */
interface Assigned {
  readonly from: number;
  readonly to: number;
  readonly form: "quoted" | "bracket" | "line" | "word";
}

const OPENING_QUOTE = /\\*["'`]/y;
const LINE = /[^\r\n"'`\\]*/y;
const WORD = /[^\s;&"'`<>\\]*/y;
const CREDENTIAL = /((?:bearer|basic|token|api-?key|negotiate|apikey)[ \t]+)[^\s"'`,;)\\]+/iy;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The end of the object or list that begins here, however it is quoted; the end of the text if it is cut. */
function endOfBracket(text: string, from: number): number {
  const brackets = /[{}[\]]/g;
  brackets.lastIndex = from;
  let depth = 0;
  for (let match = brackets.exec(text); match !== null; match = brackets.exec(text)) {
    depth += match[0] === "{" || match[0] === "[" ? 1 : -1;
    if (depth === 0) return match.index + 1;
  }
  return text.length;
}

/** Only a template goes over lines; any other quote that does has lost its end. */
function endOfValue(text: string, from: number, quote: string): number {
  const end = endOfQuoted(text, from, quote);
  const closed = end < 0 ? text.length : end;
  // Not beyond the value: each value would look through all of the text.
  const line = quote.endsWith("`") ? -1 : text.slice(from, closed).indexOf("\n");
  return line >= 0 ? from + line : closed;
}

function readValue(text: string, at: number, name: string, isNameQuoted: boolean): Assigned {
  const [quote = ""] = matchAt(OPENING_QUOTE, text, at) ?? [];
  if (quote !== "") {
    const from = at + quote.length;
    return { from, to: endOfValue(text, from, quote), form: "quoted" };
  }
  if (isNameQuoted && /[{[]/.test(text[at] ?? "") && !/^(?:\{\{|\[REDACTED:)/.test(text.slice(at, at + 10))) {
    return { from: at, to: endOfBracket(text, at), form: "bracket" };
  }
  if (isHeader(name) && !isNameQuoted) {
    const [credential = "", scheme = ""] = matchAt(CREDENTIAL, text, at) ?? [];
    if (credential !== "") return { from: at + scheme.length, to: at + credential.length, form: "line" };
    const [line = ""] = matchAt(LINE, text, at) ?? [];
    return { from: at, to: at + line.trimEnd().length, form: "line" };
  }
  const [word = ""] = matchAt(WORD, text, at) ?? [];
  return { from: at, to: at + word.replace(/[,.:)\]}|]+$/, "").length, form: "word" };
}

/** Nothing is left but marks, and the scheme before one. */
function isRedacted(value: string): boolean {
  if (!value.includes("[REDACTED:")) return false;
  const rest = value.replace(MARKS, "");
  return (
    /^\s*(?:bearer|basic|token|digest|api-?key)?[\s,;.)\]}]*$/i.test(rest) || value.startsWith("[REDACTED:")
  );
}

/** A header's line: a credential, or a cookie; not a sentence about it. */
function isHeaderValue(name: string, value: string): boolean {
  if (/cookie/i.test(name)) return value.includes("=");
  const words = value.split(/\s+/);
  if (words.length > 1 && words.some((word) => PLACEHOLDER.test(word))) return false;
  return words.some(looksLikeToken) || words.length <= 2;
}

interface Candidate {
  readonly name: string;
  readonly value: string;
  readonly form: Assigned["form"];
  /** `a=b`, without space around. */
  readonly isTight: boolean;
  /** The name stands in backticks, as in a text about it. */
  readonly isMentioned: boolean;
}

function isSecretValue(kind: KeyKind, { name, value, form, isTight, isMentioned }: Candidate): boolean {
  if (form === "bracket") return value.length > 2;
  if (!/[\p{L}\p{N}]/u.test(value) || PLACEHOLDER.test(value.trim()) || isMasked(value)) return false;
  if (kind === "tokens") return (form === "quoted" || isTight) && !/^\d{1,9}$/.test(value);
  if (kind === "auth" && AUTH_SCHEME.test(value)) return false;
  // What follows a comma or the like was the closing quote of another text.
  if (form === "quoted") return !/^\s*[,;)\]}]/.test(value);
  if (value === name || name.endsWith(`.${value}`)) return false;
  if (form === "line") return isHeaderValue(name, value);
  if (isMentioned) return looksLikeToken(value);
  return isCompound(name) ? value.length >= 2 : isTight || looksLikeToken(value);
}

function isReference(value: string, form: Assigned["form"]): boolean {
  return VARIABLE.test(value) || isReferenceExpression(value) || (form === "word" && CODE.test(value));
}

/** Structures are followed only below names that leave no doubt: else nested ones would be read again and again. */
const followsBrackets = (kind: KeyKind): boolean => kind !== "tokens" && kind !== "auth";

const named: TextRule = (text, { mark, kindOfKey }) => {
  let result = "";
  let done = 0;
  // A line that was judged as a whole is not judged again from each name in it.
  let judgedLine = 0;
  NAME.lastIndex = 0;
  for (let match = NAME.exec(text); match !== null; match = NAME.exec(text)) {
    const [whole, name = "", between = "", quote] = match;
    const kind = kindOfKey(name);
    const at = match.index + whole.length;
    if (kind === "none" || (isHeader(name) && at < judgedLine)) continue;
    const { from, to, form } = readValue(text, at, name, quote !== undefined && followsBrackets(kind));
    const value = text.slice(from, to);
    if (form === "line") judgedLine = to;
    if (isReference(value, form)) {
      NAME.lastIndex = to;
      continue;
    }
    const candidate = { name, value, form, isTight: between === "=", isMentioned: quote === "`" };
    if (!isRedacted(value) && isSecretValue(kind, candidate)) {
      const found =
        kind === "internal"
          ? { kind, secret: value }
          : credentialIn(form === "line" ? text.slice(at, to) : value);
      result += text.slice(done, from) + mark(found.kind, found.secret);
      done = to;
      NAME.lastIndex = to;
    }
  }
  return done === 0 ? text : result + text.slice(done);
};

/** `--token abc`, as a command line has it. */
const FLAG = /(?<!\S)(--?([a-z][a-z0-9-]{1,40})[ ]+["']?)([^\s"'-][^\s"']{2,500})/gi;

const flags: TextRule = (text, { mark, kindOfKey }) =>
  text.replace(FLAG, (match: string, before: string, name: string, value: string) =>
    kindOfKey(name) === "secret" && !value.includes("[REDACTED:") && !isReference(value, "word")
      ? before + mark("key", value)
      : match,
  );

/** curl's `-u user:password`. */
const USER_FLAG = /(?<!\S)((?:-u|--user)[ =]["']?[^\s:"']{1,100}:)([^\s"']{1,500})/g;

const userFlags: TextRule = (text, { mark }) =>
  text.replace(USER_FLAG, (match: string, before: string, password: string) =>
    isMark(password) ? match : before + mark("key", password),
  );

const ELEMENT = /(<([\p{L}_][\p{L}\p{N}_:.-]{1,63})(?:\s[^<>]{0,200})?>)([^<>]{1,4000})(?=<)/gu;

const elements: TextRule = (text, { mark, kindOfKey }) =>
  text.replace(ELEMENT, (match: string, before: string, name: string, value: string) =>
    kindOfKey(name.replace(/^.*:/, "")) === "secret" &&
    !value.includes("[REDACTED:") &&
    value.trim() !== "" &&
    !isMasked(value)
      ? before + mark("key", value)
      : match,
  );

/** RFC 7578: the part of a form, `name="password"`, an empty line, the value; also as a literal in code. */
const FORM_PART =
  /(name=\\?"([\p{L}\p{N}_.-]{2,64})\\?"(?:\r?\n|\\r\\n|\\n){2})((?:(?!\\r|\\n)[^\r\n]){1,4000})/gu;

const formParts: TextRule = (text, { mark, kindOfKey }) =>
  text.replace(FORM_PART, (match: string, before: string, name: string, value: string) =>
    kindOfKey(name) === "secret" && !value.includes("[REDACTED:") ? before + mark("key", value) : match,
  );

export const assignments: TextRule = (text, context) => {
  let result = text;
  if (/[:=]/.test(result)) result = named(result, context);
  if (result.includes("-")) result = userFlags(flags(result, context), context);
  if (result.includes("<")) result = elements(result, context);
  return /name=\\?"/.test(result) ? formParts(result, context) : result;
};
