/** The JSON body of a message, which can still be read; undefined if it has none. */
export const jsonBodyOf = async (message: Request | Response): Promise<unknown> =>
  await message
    .clone()
    .json()
    .catch(() => undefined);

/** Parses JSON; undefined if the text is none. The parser's own message would quote the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
