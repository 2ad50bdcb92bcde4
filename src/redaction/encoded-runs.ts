/** Runs of base64 and of percent-encoding in a text. Each character is read a bounded number of times. */
import { Edits } from "./edits.ts";
import { decodeBase64, decodePercent } from "./encodings.ts";
import type { RuleContext, TextRule } from "./text-rule.ts";

const RUN_ENDS = /[\s"'<>&#=?\\]/g;
const LONGEST_BEFORE = 1_000;

const isDelimiter = (code: number): boolean =>
  code <= 0x20 ||
  code === 0x22 ||
  code === 0x23 ||
  code === 0x26 ||
  code === 0x27 ||
  (code >= 0x3c && code <= 0x3f) ||
  code === 0x5c ||
  code === 0xa0;

const isHex = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);

/** RFC 3986 section 2.1, between the delimiters of a URL; a plus may be a space. */
export const percentEncoded: TextRule = (text, { mark, holdsSecret }) => {
  const edits = new Edits(text);
  let read = 0;
  for (let at = text.indexOf("%"); at >= 0; at = text.indexOf("%", Math.max(at + 1, read))) {
    if (!isHex(text.charCodeAt(at + 1)) || !isHex(text.charCodeAt(at + 2))) continue;
    const least = Math.max(read, at - LONGEST_BEFORE);
    let from = at;
    while (from > least && !isDelimiter(text.charCodeAt(from - 1)) && text[from - 1] !== "%") from -= 1;
    RUN_ENDS.lastIndex = at;
    const to = RUN_ENDS.exec(text)?.index ?? text.length;
    read = to;
    const decoded = decodePercent(text.slice(from, to));
    if (decoded !== undefined && holdsSecret(decoded)) edits.replace(from, to, mark("url-encoded", decoded));
  }
  return edits.result();
};

const LETTERS = "A-Za-z0-9+/_-";
/** Where a run begins: not inside another, but after an escape (`\\n`, `\\u0022`), whose letters are not part of it. */
const BEGINS = `(?:(?<=\\\\[nrt]|\\\\u[0-9A-Fa-f]{4})|(?<![${LETTERS}])(?!(?<=\\\\)(?:[nrt]|u[0-9A-Fa-f]{4})))`;
const BASE64_RUN = new RegExp(`${BEGINS}[${LETTERS}]{16}[${LETTERS}]*={0,2}`, "g");
/** RFC 2045 section 6.8 has lines of 76 letters, RFC 7468 of 64. */
const SHORTEST_LINE = 60;
const LINE_BREAK = /(?:\r?\n|(?:\\r)?\\n)[ \t]{0,8}(?=[A-Za-z0-9+/])/y;
const LINE = new RegExp(`[${LETTERS}]+={0,2}`, "y");
/** How many lines are tried as the first one: lines that do not decode together may decode without the first. */
const MOST_BEGINNINGS = 4;

/** The letters of a run that continues over lines of the same length; the last may be shorter. */
function wrapped(
  text: string,
  first: string,
  from: number,
): { readonly letters: string; readonly to: number } {
  let letters = first;
  let to = from + first.length;
  for (let line = first; line.length === first.length; ) {
    LINE_BREAK.lastIndex = to;
    if (!LINE_BREAK.test(text)) break;
    LINE.lastIndex = LINE_BREAK.lastIndex;
    [line = ""] = LINE.exec(text) ?? [];
    if (line === "" || line.length > first.length) break;
    letters += line;
    to = LINE.lastIndex;
  }
  return { letters, to };
}

const markOf = (decoded: string | undefined, { mark, holdsSecret }: RuleContext): string | undefined =>
  decoded !== undefined && holdsSecret(decoded) ? mark("base64", decoded) : undefined;

/** A run may be a path with base64 as one of its segments. */
function redactedRun(run: string, context: RuleContext): string | undefined {
  const decoded = decodeBase64(run);
  if (decoded !== undefined || !run.includes("/")) return markOf(decoded, context);
  const result = run.replace(
    /[^/]{16}[^/]*/g,
    (segment) => markOf(decodeBase64(segment), context) ?? segment,
  );
  return result === run ? undefined : result;
}

/** RFC 4648 section 4 and 5, in one run or wrapped. */
export const base64: TextRule = (text, context) => {
  const edits = new Edits(text);
  let refused = { to: 0, times: 0 };
  BASE64_RUN.lastIndex = 0;
  for (let match = BASE64_RUN.exec(text); match !== null; match = BASE64_RUN.exec(text)) {
    const { 0: run, index: from } = match;
    let to = from + run.length;
    let redacted: string | undefined;
    // Do not retry from each line: many lines would be reread once per line before them.
    if (from >= refused.to) refused = { to: 0, times: 0 };
    if (run.length >= SHORTEST_LINE && refused.times < MOST_BEGINNINGS) {
      const lines = wrapped(text, run, from);
      const decoded = lines.to > to ? decodeBase64(lines.letters) : undefined;
      if (decoded === undefined) refused = { to: lines.to, times: refused.times + 1 };
      else {
        to = lines.to;
        redacted = markOf(decoded, context);
      }
    }
    if (to === from + run.length) redacted = redactedRun(run, context);
    if (redacted !== undefined) edits.replace(from, to, redacted);
    // Reading the decoded text may have moved this very pattern.
    BASE64_RUN.lastIndex = to;
  }
  return edits.result();
};
