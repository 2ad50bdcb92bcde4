/**
 * What two errors of one kind have in common: their text without what belongs to the one request. Ids, numbers,
 * quoted values, addresses, dates, paths become placeholders. For comparing, not for showing: it is payload still.
 * Pure; linear in what it looks at, which is bounded.
 */

const MAX_READ = 2_000;
const MAX_NORMALIZED = 300;

/** n8n adds where it happened: `[line 3]`, `[item 0]`. */
const WHERE = / ?\[(?:line|item) \d[^\]]{0,40}\]/gi;
/** Each stops at the next one of its kind. An apostrophe inside a word is none. */
const QUOTED =
  /"(?:[^"\\]|\\.)*"|`[^`]*`|“[^“”]*”|«[^«»]*»|‘[^‘’]*’|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gsu;
/** Brackets and commas are a part of it, but not at its end. */
const URL_TEXT = /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"<>]*[^\s"<>'`’.,:;!?)\]}]/gi;
const WORD = /[^\s"'`(){}[\]<>]+/gu;
const PUNCTUATION_AT_END = /[.,:;!?]+$/;

const PLAIN = /^(?![a-f]{8})[A-Za-z][A-Za-z'-]*[.,:;!?]*$/;

const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  [/:\/\/|^www\.|^\/\//, "‹url›"],
  [/.@./, "‹mail›"],
  [/^[./~\\]*[/\\]|^[a-z]:\\|[/\\].*[/\\]/i, "‹path›"],
  // Ids, dates, times, addresses of machines, versions, hexadecimal numbers.
  [/\p{N}|^[a-f]{8,}$/u, "#"],
];
/** A list is of one kind with a longer one. */
const REPEATED = /(#|‹[a-z]+›)(?:[\s,;&]+\1)+/g;

function placeholderFor(word: string): string {
  if (PLAIN.test(word)) return word;
  const [end = ""] = PUNCTUATION_AT_END.exec(word) ?? [];
  const bare = end === "" ? word : word.slice(0, -end.length);
  const [, placeholder] = PLACEHOLDERS.find(([pattern]) => pattern.test(bare)) ?? [];
  return placeholder === undefined ? word : placeholder + end;
}

export function normalizeErrorText(text: string): string {
  if (text === "") return "";
  return text
    .slice(0, MAX_READ)
    .replace(WHERE, "")
    .replace(QUOTED, "‹text›")
    .replace(URL_TEXT, "‹url›")
    .replace(WORD, placeholderFor)
    .replace(/\s+/g, " ")
    .replace(REPEATED, "$1")
    .trim()
    .slice(0, MAX_NORMALIZED);
}
