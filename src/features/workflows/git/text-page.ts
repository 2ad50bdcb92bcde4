/** Pages of a long text that put together are the text again, byte for byte. Ends at line ends where it can. Pure. */

/**
 * Where the page that begins at `from` ends. At least one character, at most what fits.
 * @param cost of a part of the text, as it will be in the answer
 */
export function endOfPage(
  text: string,
  from: number,
  budget: number,
  cost: (part: string) => number,
): number {
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

/** A line that is too long alone is cut where no character is. */
function insideLine(text: string, from: number, budget: number, cost: (part: string) => number): number {
  let end = Math.min(text.length, from + budget);
  while (end - from > 1 && cost(text.slice(from, end)) > budget) end = from + Math.floor((end - from) / 2);
  const code = text.charCodeAt(end - 1);
  const isHalf = code >= 0xd800 && code <= 0xdbff && end < text.length;
  if (!isHalf) return end;
  return end - 1 > from ? end - 1 : end + 1;
}
