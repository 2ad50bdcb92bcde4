/** Splits long text into pages that concatenate to exactly the same text. Pages end at line ends if possible. Pure. */

/**
 * The end of the page that begins at `from`: at least one character, at most what fits.
 * @param cost of a part of the text in the answer
 */
export function endOfPage(text: string, from: number, budget: number, cost: (part: string) => number) {
  let end = from;
  let spent = 0;
  while (end < text.length) {
    const newline = text.indexOf("\n", end);
    const next = newline < 0 ? text.length : newline + 1;
    spent += cost(text.slice(end, next));
    if (spent > budget) break;
    end = next;
  }
  return end > from ? end : insideLine(text, from, budget, cost);
}

/** Cuts a line that is too long by itself, but never inside a character. */
function insideLine(text: string, from: number, budget: number, cost: (part: string) => number): number {
  let end = Math.min(text.length, from + budget);
  while (end - from > 1 && cost(text.slice(from, end)) > budget) end = from + Math.floor((end - from) / 2);
  const code = text.charCodeAt(end - 1);
  const isHalf = code >= 0xd800 && code <= 0xdbff && end < text.length;
  if (!isHalf) return end;
  return end - 1 > from ? end - 1 : end + 1;
}
