/** JSON inside strings: the whole text, or stretches of it, whole or cut off. */
import { Edits } from "./edits.ts";
import { JsonReader, type JsonValue, LONG_NUMBER } from "./json-reader.ts";

/** Keeps a number that parsing would change as its text. Engines pass `context` since ES2025. */
function keepLongNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === "number" &&
    source !== undefined &&
    String(value) !== source &&
    LONG_NUMBER.test(source)
    ? source
    : value;
}

/** Parses JSON, with numbers too long for JavaScript as texts; undefined if the text is none. */
export function parseWithLongNumbers(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: LONG_NUMBER.test(text) ? JSON.parse(text, keepLongNumber) : JSON.parse(text) };
  } catch {
    // Not JSON.
    return undefined;
  }
}

/** Marks at the end of a text that was cut there: our own and those of other systems. */
const CUT = /(?:… ?\[\d{1,15} more (?:bytes|characters)\]|…|\.\.\.)$/;

function cutMark(text: string): string {
  const last = text.at(-1);
  return last === "]" || last === "…" || last === "." ? (CUT.exec(text.slice(-60))?.[0] ?? "") : "";
}

function escaped(text: string, times: number): string {
  let result = text;
  for (let done = 0; done < times; done += 1) result = JSON.stringify(result).slice(1, -1);
  return result;
}

function printed(json: string, { closers, escapes }: JsonReader): string {
  const cut = json.endsWith(closers) ? json.slice(0, json.length - closers.length) : json;
  return escaped(cut, escapes);
}

const BRACKETS = /[{[][{[\s]*/g;
const MAX_BRACKETS = 100;
/** The start of a list element or a member: a text, escaped or not, a number, or a closing bracket. */
const BEGINS = /["\\\d\]}]/;

/** The bracket with which JSON may begin here; undefined if there is none. */
function beginningIn(text: string, index: number, brackets: string): number | undefined {
  const next = index + brackets.length;
  const sign = text[next];
  if (sign === undefined || !BEGINS.test(sign)) return undefined;
  const last = brackets.trimEnd().at(-1);
  if (last === "{" && sign === '"') {
    // Only the name of a member may follow. The search stops at the first quote, so that the row is not read again.
    const quote = text.indexOf('"', next + 1);
    if (quote >= 0 && text[quote - 1] !== "\\" && !/^\s{0,20}:/.test(text.slice(quote + 1, quote + 22)))
      return undefined;
  }
  let from = next;
  for (let count = 0, each = next - 1; each >= index && count < MAX_BRACKETS; each -= 1) {
    if (brackets[each - index] !== "{" && brackets[each - index] !== "[") continue;
    count += 1;
    from = each;
  }
  return from;
}

export interface JsonStretch {
  readonly value: JsonValue;
  readonly source: string;
  /** Neither cut nor escaped: the source is JSON as it is. */
  readonly isPlain: boolean;
}

/**
 * Replaces each stretch of JSON in a text by what `replace` makes of it; undefined leaves it as it is.
 * @param beforeRead called before each stretch is read
 */
export function replaceJson(
  text: string,
  replace: (stretch: JsonStretch) => string | undefined,
  beforeRead: () => void = () => {},
): string {
  const cut = cutMark(text);
  const body = cut === "" ? text : text.slice(0, text.length - cut.length);
  const reader = new JsonReader(body);
  const edits = new Edits(text);
  let at = 0;
  for (;;) {
    BRACKETS.lastIndex = at;
    const match = BRACKETS.exec(body);
    if (match === null) return edits.result();
    const [brackets] = match;
    at = match.index + brackets.length;
    const from = beginningIn(body, match.index, brackets);
    if (from === undefined) continue;
    beforeRead();
    if (!reader.read(from)) {
      at = Math.max(at, reader.at);
      continue;
    }
    at = Math.max(at, reader.end);
    const { end } = reader;
    const isPlain = reader.closers === "" && reader.escapes === 0;
    const replaced = replace({ value: reader.value, source: body.slice(from, end), isPlain });
    if (replaced !== undefined) edits.replace(from, end, printed(replaced, reader));
  }
}
