/**
 * Cuts texts without splitting a token, because half a token no longer has the form by which secrets are recognized.
 * The text after the last word delimiter is dropped, too. Pure.
 */

/** Characters that end a word and never occur inside a token. */
const DELIMITER = /[\s"'`{}[\]<>(),;\\|]/;
/** No token recognized by its form alone is longer, except those that begin with `LONG_TOKEN`. */
const MAX_WORD = 512;
const LONG_TOKEN = "eyJ";
/** A JSON Web Token with its claims. */
const MAX_LONG_TOKEN = 8_192;

/** Cuts a truncated text after its last complete word. */
export function dropHalfWord(text: string): string {
  const least = Math.max(0, text.length - MAX_WORD);
  let end = text.length;
  while (end > least && !DELIMITER.test(text[end - 1] ?? "")) end -= 1;
  if (end > least || text.length <= MAX_WORD) return text.slice(0, end);
  return text.slice(0, endOfLongWord(text));
}

/** A long word is base64 or the like, not a token: it is cut to whole groups of four, which can still be decoded. */
function endOfLongWord(text: string): number {
  const token = text.lastIndexOf(LONG_TOKEN);
  const isToken =
    token > text.length - MAX_LONG_TOKEN &&
    !DELIMITER.test(text.slice(token)) &&
    !/[A-Za-z0-9+/]/.test(text[token - 1] ?? "");
  if (token >= 0 && isToken) return token;
  let start = text.length;
  while (start > 0 && !DELIMITER.test(text[start - 1] ?? "")) start -= 1;
  return start + Math.floor((text.length - start) / 4) * 4;
}
