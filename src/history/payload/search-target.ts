/** Searches redacted values for an id or a text. Matches that touch a redaction mark do not count. Pure. */
import { endsOf, namesIn, type PathSegment, spellingsOf, withoutPositions } from "../../json/path-text.ts";
import { MARKS } from "../../redaction/marks.ts";
import { isTraceId, spelledLike, uuidOf } from "../request-ids/request-forms.ts";

export interface SearchTarget {
  readonly text: string;
  /** A value that is searched beside texts and numbers. */
  readonly also?: boolean | null | undefined;
  /** The first position in the value; -1 if it is not found. */
  find(value: string, path: () => readonly PathSegment[]): number;
}

/** Letters, digits, `_` and `-` extend an id: `req-100` is not contained in `req-1001` or `req-100-b`. */
const ID_CHARACTER = /[\p{L}\p{N}_-]/u;

/** Before an id, these stand for a character that does not extend it: in URLs inside URLs, and in quoted JSON. */
const ESCAPED = /(?:\\[bfnrt]|(?:%|\\u00)(?:[01][0-9a-f]|2[0-9a-cef]|3[a-f]|[46]0|5[b-e]|7[b-f]))$/i;

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** The first position of the id without an id character on either side; -1 if there is none. */
export const mentionIn = (text: string, requestId: string): number =>
  indexBeside(text, requestId, ID_CHARACTER, ESCAPED);

/**
 * The first position of a text in another one without a character on either side that extends it; -1 if there is none.
 * @param unless what before the text does not extend it although it ends with such a character
 */
function indexBeside(text: string, searchTarget: string, extendsIt: RegExp, unless?: RegExp): number {
  for (let at = text.indexOf(searchTarget); at !== -1; at = text.indexOf(searchTarget, at + 1)) {
    // Two UTF-16 units, because one character may take both.
    const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? "";
    const end = at + searchTarget.length;
    const [after = ""] = text.slice(end, end + 2);
    const isExtended = extendsIt.test(before) && unless?.test(text.slice(Math.max(0, at - 6), at)) !== true;
    if (!isExtended && !extendsIt.test(after)) return at;
  }
  return -1;
}

function findBesideMarks(value: string, find: (text: string) => number): number {
  let start = 0;
  for (const { index, 0: mark } of value.matchAll(MARKS)) {
    const at = find(value.slice(start, index));
    if (at !== -1) return start + at;
    start = index + mark.length;
  }
  const at = find(value.slice(start));
  return at === -1 ? -1 : start + at;
}

export type SearchedFor =
  | { readonly text: string }
  /** The text without a letter or digit on either side. */
  | { readonly words: string }
  /** The whole value, at a path that ends with this one. */
  | { readonly path: string; readonly value: string };

export function searchTargetOf(query: SearchedFor): SearchTarget {
  if ("text" in query) return targetText(query.text);
  return "words" in query ? targetWords(query.words) : targetValueAt(query.path, query.value);
}

const targetOf = (text: string, find: (part: string) => number): SearchTarget => ({
  text,
  find: (value) => findBesideMarks(value, find),
});

/** @param requestId in its compared form, which stands for all its spellings; longer ids contain a trace id */
export function targetId(requestId: string): SearchTarget {
  if (!isTraceId(requestId))
    return targetOf(requestId, (part) => mentionIn(spelledLike(requestId, part), requestId));
  const uuid = uuidOf(requestId);
  return targetOf(requestId, (part) => {
    const lower = spelledLike(requestId, part);
    const at = lower.indexOf(requestId);
    return at === -1 ? mentionIn(lower, uuid) : at;
  });
}

export const targetText = (text: string): SearchTarget => targetOf(text, (part) => part.indexOf(text));

const targetWords = (text: string): SearchTarget =>
  targetOf(text, (part) => indexBeside(part, text, LETTER_OR_DIGIT));

export const KEYWORDS = new Map<string, boolean | null>([true, false, null].map((one) => [String(one), one]));

/** The whole value, at a path that ends with this one, also in the answer of an MCP server. */
export function targetValueAt(path: string, expected: string): SearchTarget {
  const spellings = spellingsOf(path).map(withoutPositions);
  const longest = Math.max(...spellings.map(({ length }) => length));
  // A key may itself contain dots.
  const endsLikeIt = (found: readonly PathSegment[]): boolean =>
    endsOf(namesIn(found).map(withoutPositions), longest).some((end) => spellings.includes(end));
  const isThere = (value: string, at: () => readonly PathSegment[]): boolean =>
    value === expected && value.search(MARKS) === -1 && endsLikeIt(at());
  return {
    text: expected,
    also: KEYWORDS.get(expected),
    find: (value, at) => (isThere(value, at) ? 0 : -1),
  };
}

const AROUND = 60;

/** The text around a hit in a redacted value. @param at where the hit begins, outside of all marks */
export function excerptOf(value: string, at: number, length: number): string {
  const marks = [...value.matchAll(MARKS)].map(({ index, 0: mark }) => ({
    start: index,
    end: index + mark.length,
  }));
  const from = Math.max(0, at - AROUND);
  const to = Math.min(value.length, at + length + AROUND);
  // Never cuts a mark.
  const start = marks.find((mark) => mark.start < from && from < mark.end)?.start ?? from;
  const end = marks.find((mark) => mark.start < to && to < mark.end)?.end ?? to;
  return `${start > 0 ? "…" : ""}${value.slice(start, end)}${end < value.length ? "…" : ""}`;
}
