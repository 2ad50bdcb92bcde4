/**
 * The few calls of n8n's public API that seeding and sending need, writing ones among them.
 * For tests only: the observer's own client can do nothing but GET.
 */

/** What is needed to call the public API of one n8n. */
export interface ApiAccess {
  baseUrl: string;
  key: string;
}

/** The answer's body, already parsed as JSON. Throws with n8n's own words when it is not a success. */
export async function callApi(
  access: ApiAccess,
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: unknown,
): Promise<unknown> {
  const response = await fetch(`${access.baseUrl}/api/v1${path}`, {
    method,
    headers: { "X-N8N-API-KEY": access.key, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 400)}`);
  return JSON.parse(text);
}

/** The answer to a call of the editor's own endpoint, with the owner's session, for what the public API of this n8n lacks. */
export async function callEditor(
  { baseUrl, ownerCookie }: { baseUrl: string; ownerCookie: string },
  path: string,
  body: unknown = {},
): Promise<unknown> {
  const response = await fetch(`${baseUrl}/rest${path}`, {
    method: "POST",
    headers: { cookie: ownerCookie, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST /rest${path} answered ${response.status}: ${text.slice(0, 400)}`);
  return text === "" ? null : JSON.parse(text);
}
