/**
 * The few calls of n8n's public API that seeding and sending need, including writing ones.
 * For tests only: the observer's own client only sends GET.
 */

/** Access to the public API of one n8n. */
export interface ApiAccess {
  baseUrl: string;
  key: string;
}

/** @returns the parsed body @throws with n8n's message unless it is a success */
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

/** Calls the editor's endpoint with the owner's session, for functions that the public API of this n8n lacks. */
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
