/**
 * Normalizes error texts, so that errors of one kind have the same text: ids, numbers, quoted values, addresses, dates
 * and paths, which belong to a single request, become placeholders. Only for comparing, not for showing: the result is
 * still payload. Pure; linear in the text that it reads, which is bounded.
 */

const MAX_READ = 2_000;
const MAX_NORMALIZED = 300;

/** n8n appends the place of the error: `[line 3]`, `[item 0]`. */
const WHERE = / ?\[(?:line|item) \d[^\]]{0,40}\]/gi;
/** Each quote ends at the next one of its kind. An apostrophe inside a word is not a quote. */
const QUOTED =
  /"(?:[^"\\]|\\.)*"|`[^`]*`|“[^“”]*”|«[^«»]*»|‘[^‘’]*’|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gsu;
/** Brackets and commas are part of a URL, but not at its end. */
const URL_TEXT = /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"<>]*[^\s"<>'`’.,:;!?)\]}]/gi;
const WORD = /[^\s"'`(){}[\]<>]+/gu;
const PUNCTUATION_AT_END = /[.,:;!?]+$/;

const PLAIN = /^(?![a-f]{8})[A-Za-z][A-Za-z'-]*[.,:;!?]*$/;

const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  [/:\/\/|^www\.|^\/\//, "‹url›"],
  [/.@./, "‹mail›"],
  [/^[./~\\]*[/\\]|^[a-z]:\\|[/\\].*[/\\]/i, "‹path›"],
  // Ids, dates, times, IP addresses, versions, hexadecimal numbers.
  [/\p{N}|^[a-f]{8,}$/u, "#"],
];
/** Collapsed, so that lists of different lengths are equal. */
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
