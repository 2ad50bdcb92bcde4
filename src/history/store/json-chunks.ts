/**
 * Rows as the texts of JSON arrays, none larger than a value of SQLite may be. A Durable Object refuses a text, a
 * blob or a row of more than 2 MB (`SQLITE_TOOBIG`). Pure.
 */

/** At most three bytes each in UTF-8: 1.5 MB. */
export const MAX_CHUNK_CHARACTERS = 500_000;

/** In their order. A row that is longer stands alone: whoever makes rows keeps them short. */
export function* jsonChunks(rows: Iterable<unknown>): Generator<string> {
  let texts: string[] = [];
  let characters = 0;
  for (const row of rows) {
    const text = JSON.stringify(row);
    if (texts.length > 0 && characters + text.length + texts.length + 2 > MAX_CHUNK_CHARACTERS) {
      yield `[${texts.join(",")}]`;
      texts = [];
      characters = 0;
    }
    texts.push(text);
    characters += text.length;
  }
  if (texts.length > 0) yield `[${texts.join(",")}]`;
}
