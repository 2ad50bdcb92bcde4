/** Quoted stretches of a text, and texts that were printed in quotes. */
import { Edits } from "../edits.ts";

/**
 * Where quoted text ends: at the next quote that is not escaped more often than the opening one; -1 if there is none.
 * @param quote the opening quote, with its backslashes, as inside JSON in a string
 */
export function endOfQuoted(text: string, from: number, quote: string): number {
  for (let end = text.indexOf(quote, from); end >= 0; end = text.indexOf(quote, end + 1))
    if (quote.length > 1 || !isEscaped(text, from, end)) return end;
  return -1;
}

function isEscaped(text: string, from: number, at: number): boolean {
  let backslashes = 0;
  while (at - 1 - backslashes >= from && text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

const SHORTEST_PRINTED = 20;
const HOLDS_LINES_OR_QUOTES = /\\[n"]/;

/** Replaces quoted texts that contain escaped line ends or quotes; undefined leaves a text unchanged. */
export function replacePrintedTexts(text: string, replace: (printed: string) => string | undefined): string {
  if (!HOLDS_LINES_OR_QUOTES.test(text)) return text;
  const edits = new Edits(text);
  for (let from = text.indexOf('"'); from >= 0; from = text.indexOf('"', from + 1)) {
    if (text[from - 1] === "\\") continue;
    const end = endOfQuoted(text, from + 1, '"');
    if (end < 0) break;
    const printed = text.slice(from, end + 1);
    from = end;
    if (printed.length < SHORTEST_PRINTED || !HOLDS_LINES_OR_QUOTES.test(printed)) continue;
    // An unescaped quote inside a text does not end it.
    if (/[\p{L}\p{N}\\]/u.test(text[end + 1] ?? "")) continue;
    const replaced = replace(printed);
    if (replaced !== undefined) edits.replace(end + 1 - printed.length, end + 1, replaced);
  }
  return edits.result();
}
