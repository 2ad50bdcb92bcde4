/**
 * Where a quoted stretch of text ends: at the next quote that is not escaped more than the opening one was;
 * -1 when it does not end. `quote` may have backslashes before it, as inside JSON in a string.
 */
export function endOfQuoted(text: string, from: number, quote: string): number {
  for (let end = text.indexOf(quote, from); end >= 0; end = text.indexOf(quote, end + 1)) {
    if (quote.length > 1 || !isEscaped(text, from, end)) return end;
  }
  return -1;
}

function isEscaped(text: string, from: number, at: number): boolean {
  let backslashes = 0;
  while (at - 1 - backslashes >= from && text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}
