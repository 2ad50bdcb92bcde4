/** @returns undefined for a text that is not JSON, which no schema accepts */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
