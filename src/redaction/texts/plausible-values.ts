/** What a value looks like: a secret, a reference to a secret, or a placeholder. */
import { pattern } from "../../platform/pattern.ts";
import { MARKS } from "../marks.ts";
import { UUID } from "../plain-text.ts";
import { isMasked, isReferenceExpression } from "../text-rule.ts";

const PLACEHOLDER = pattern("i")`
  ^(?:
    null|undefined|none|nil|true|false|yes|no|on|off|string|str|text|number|boolean|object|array|any
    |unknown|optional|required|missing|invalid|expired|empty|not|is|was|must|should|cannot|can't|has
    |have|the|your|a|an|and|or|for|in|of|to|if|with|ok|failed|error|denied|type|default|token|bearer
    |basic|include|omit|same-origin|pass|passed|fail|async|await|new|function|return|const
    |incorrect|wrong|revoked|disabled|rejected|malformed|unauthorized|forbidden|inactive|mandatory|needed
    |(?:(?:string|number|boolean|object|array|null)\|?){2,6}
  )[!.]{0,3}$
`;

/** `${TOKEN}`, `<token>`: where the value comes from, not what it is. */
const VARIABLE = /^(?:(?:[Bb]earer|[Bb]asic|[Tt]oken)[ \t]*)?(?:<[A-Za-z][\w -]{0,60}>|\$\{[^}]{0,100}\})$/;
/** References in code: `$TOKEN`, `$1`, `$json.token`, `{{ … }}`, `process.env.TOKEN`, `getToken()`. */
const CODE = pattern()`
  ^[[\]({!&*]{0,5}(?:
    =?\{\{ ?[$\w"'][\s\S]*
    |\$(?:json|node|env|vars|input|secrets|parameter|credentials|execution|workflow|items?)\b[\s\S]*|\$\([\s\S]*
    |[A-Z]{2,}(?:_[A-Z]{2,}){1,6}
    |[A-Za-z_]\w*(?:(?:\??\.|::|->)[A-Za-z_]\w*)+(?:[([{!][\s\S]*)?|[A-Za-z_]\w*(?:\?\.)?[([][\s\S]*
    |\$\{[\s\S]*|\$[A-Z_][A-Z0-9_]{0,100}
    |\$[a-z]\w*(?:->|\[|::)[\s\S]*|\$[a-z]\w*\((?:["'\x60$)][\s\S]*)?
    |\$\d{1,3}|\?|:[a-z_]{1,40}
    |%[A-Z_]{1,100}%|%[sdv@]|%\([a-z_]{1,40}\)s|#\{[\s\S]*
  )$
`;

export const isPlaceholder = (value: string): boolean => value.length <= 20 && PLACEHOLDER.test(value);

/** @param isWord not in quotes, so that it may be code */
export function isReference(value: string, isWord: boolean): boolean {
  if (value.length > 4_200) return false;
  return VARIABLE.test(value) || isReferenceExpression(value) || (isWord && CODE.test(value));
}

/** Begins with a mark (a value that a pattern found may end inside one), or consists of marks. */
export const isRedacted = (value: string): boolean => value.startsWith("[REDACTED:") || isOnlyMarks(value);

const NOTHING_LEFT = /^\s*(?:(?:bearer|basic|token|digest|api-?key)[\s,;.)\]}]*|[,;.)\]}][\s,;.)\]}]*)?$/i;

/** Nothing but marks, and the scheme before one. */
export function isOnlyMarks(value: string): boolean {
  if (!value.includes("[REDACTED:")) return false;
  const rest = value.replace(MARKS, "");
  return rest.length < 100 && NOTHING_LEFT.test(rest);
}

/** Nothing but the note that the text was cut here (`shortenedMark`). */
const ONLY_CUT = /^… ?\[\d{1,15} more bytes\]$/;

export function isPossible(value: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(value) || ONLY_CUT.test(value)) return false;
  return !isPlaceholder(value.trim()) && !isMasked(value) && !isRedacted(value);
}

/** Whether the value may be a secret and is no reference. */
export const isLiteral = (value: string, isWord: boolean): boolean =>
  isPossible(value) && !isReference(value, isWord);

/** A number, a date, a version, an address, code, a place in a source file, or the name of a file or an algorithm. */
const HARMLESS_TOKEN = pattern("i")`
  ^(?:
    oauth-?[12](?:\.0)?|base-?\d\d|utf-?\d+|(?:hmac-?)?sha-?\d+|md5|[hrpe]s(?:256|384|512)
    |aes-?\d+(?:-\w{3})?|ed25519|http\/[\d.]+|[\d.,:/_+-]+(?:[a-z%]{1,3})?|\d{4}-\d\d-\d\dT[\d:.+Z-]+
    |v\d[\w.-]*|#[0-9a-f]{3,8}|[^\s@:]+@[^\s@]+\.[a-z]{2,10}|[a-z][a-z+.-]{1,12}:\/\/.*|\.{0,2}\/.*
    |[a-z]:\\.*|\w{1,60}\(.*\)|\(?[^\s():]{1,400}:\d{1,6}:\d{1,6}\)?
    |[\w-]{1,60}\.(?:js|ts|json|ya?ml|md|txt|py|php|html?|png|svg|css|pem|key|crt|env|xml|toml|sh)
    |<[^>]*>?|[a-z][\w-]*=|x-[a-z]+(?:-[a-z0-9]+)+|--?[a-z][\w-]*(?:=.*)?|@[\w/.-]+|\{.*\}|\[.*\]
    |\$[\w{(].*|%[\w({].*|\*.*
  )$
`;
/** Words joined by hyphens or dots: of prose, or the name of something. */
const JOINED_WORDS = /^(?:[a-z][\w-]*(?:\.[a-z][\w-]*)+|[a-z]+(?:-[a-z0-9]+)+)$/i;

/** Enough for a secret after a name that announces one: letters with digits or signs, even joined words. */
export function isAnnounced(value: string): boolean {
  if (value.length < 6 || value.length > 500 || /[\s"'`]|\][([]|:\/\/|\[REDACTED:/.test(value)) return false;
  if (!/\d/.test(value) && !(isSigned(value) && /^[^()[\]{}.,;:<>=|]+$/.test(value))) return false;
  return /\p{L}/u.test(value) && !HARMLESS_TOKEN.test(value);
}

export const isLikely = (value: string): boolean => isTokenLike(value) || isAnnounced(value);

/** Likewise for several quoted words, `"blue horse 77"`, as opposed to a sentence. */
export function isAnnouncedPhrase(value: string): boolean {
  const words = value.split(" ");
  return (
    value.length <= 80 &&
    words.length >= 2 &&
    words.length <= 8 &&
    !/[\n"]/.test(value) &&
    /\d/.test(value) &&
    words.every((word) => /^[\p{L}\p{N}!?_.-]+$/u.test(word) && !isPlaceholder(word))
  );
}

/** A word that nobody would write in prose or as the name of something: letters with digits, or with signs. */
export function isTokenLike(value: string): boolean {
  if (value.length < 6 || value.length > 500) return false;
  if (/[\s"'`]|\]\(|:\/\/|\[REDACTED:/.test(value)) return false;
  const isUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(value);
  const isHarmless = value.length < 200 && (HARMLESS_TOKEN.test(value) || JOINED_WORDS.test(value));
  if (!isUuid && isHarmless && !isHashLike(value)) return false;
  if (!/[A-Za-z\u00c0-\uffff]/.test(value)) return false;
  return /\d/.test(value) ? !/^[A-Z]?[a-z]+\d$/.test(value) : isSigned(value);
}

/** Without digits: signs among letters, or letters whose case changes as in no name. */
function isSigned(value: string): boolean {
  if (isPlaceholder(value)) return false;
  const signs = value.match(/[!#$%^&*~|@?]/g)?.length ?? 0;
  return (
    (signs >= 3 && value.length >= 10) ||
    (/[!#$%^&*+=?~@|{}]/.test(value.replace(/\?$/, "")) && /^[^\s,;:()<>]{8,}$/.test(value)) ||
    (value.length >= 20 &&
      /^[A-Za-z0-9+/_-]+={0,2}$/.test(value) &&
      /[a-z][A-Z]{2,}[a-z].*[A-Z][a-z]/.test(value))
  );
}

/** `a1b2-c3d4-…`: words with hyphens have few digits. */
function isHashLike(value: string): boolean {
  return (
    value.length >= 12 &&
    /^[\w-]+$/.test(value) &&
    (value.match(/\d/g)?.length ?? 0) >= value.length / 5 &&
    !/^[\d-]+(?:[T:.Z][\d:.Z-]*)?$/.test(value) &&
    !/^v\d/.test(value)
  );
}

/** A token-like word with stronger evidence, for a value that only a space separates from the name. */
export function isUnmistakable(value: string): boolean {
  return (
    isTokenLike(value) &&
    value.length >= 8 &&
    (value.match(/\d/g)?.length ?? 0) >= (value.length >= 16 ? 2 : 1)
  );
}

const SEAM = /[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|\d(?=[A-Za-z])/g;
/** An id (MongoDB: 24 hexadecimal digits), or the name of a file. */
const ID_OR_FILE = /^[0-9a-f]{16,24}$|\.[A-Za-z]\w{1,4}$/;

/** Random, and too long to guess: letters and digits that alternate often. */
export function isUnguessable(value: string): boolean {
  if (value.length < 16 || value.length > 4_000 || !/\d/.test(value)) return false;
  if (ID_OR_FILE.test(value) || UUID.test(value)) return false;
  if (!/^(?:[\w~.:+=-]+|[A-Za-z0-9+/]{40,}={0,2})$/.test(value)) return false;
  const seams = (text: string): number => text.match(SEAM)?.length ?? 0;
  const all = seams(value);
  const isMixed = (part: string): boolean => part.length >= 12 && seams(part) >= Math.max(4, part.length / 6);
  if (value.length >= 20 && all >= value.length / 3) return true;
  return all >= 4 && value.split(/[^A-Za-z0-9]/).some(isMixed);
}
