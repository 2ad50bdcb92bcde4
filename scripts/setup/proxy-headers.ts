/** N8N_HEADERS opens what stands in front of one n8n, so that it is for no other address. Pure. */

/**
 * @param present what .dev.vars holds
 * @returns why n8n cannot be looked for at this address; it never holds the headers
 */
export function refuseForHeaders(
  present: Readonly<Record<string, string>>,
  baseUrl: string,
): string | undefined {
  const { N8N_HEADERS: headers = "", N8N_BASE_URL: known = "" } = present;
  // The headers alone were written by a person who has told no address yet: they are for the one that is told now.
  if (headers.trim() === "" || known.trim() === "") return undefined;
  if (URL.parse(known.trim())?.origin === new URL(baseUrl).origin) return undefined;
  return "Your .dev.vars holds N8N_HEADERS for another address (its N8N_BASE_URL). They may be secret, so they are not sent to this one. Set N8N_BASE_URL there to the new address if they are for it too, else remove N8N_HEADERS; then run npm run setup again.";
}
