/**
 * The cookies of the page. All are `__Host-`: only this host sets and gets them, over https (or on localhost). Browsers
 * share cookies among the ports of a host, so the name contains the port unless it is the default. No I/O.
 */

/** `session`: the access token. `data`: whether payload is shown. `sign-in-…`: the state of one pending sign-in. */
export type CookieKind = "session" | "data" | `sign-in-${string}`;

function cookieName(kind: CookieKind, publicUrl: string): string {
  const { port } = new URL(publicUrl);
  return `__Host-n8n-observer-${kind}${port === "" ? "" : `-${port}`}`;
}

export function readCookie(request: Request, kind: CookieKind, publicUrl: string): string | undefined {
  const name = `${cookieName(kind, publicUrl)}=`;
  const cookies = (request.headers.get("Cookie") ?? "").split(/;\s*/);
  return cookies.find((cookie) => cookie.startsWith(name))?.slice(name.length) || undefined;
}

/** Lax, not Strict: somebody who opens a colleague's link must be signed in. */
export function setCookie(
  headers: Headers,
  kind: CookieKind,
  value: string,
  { publicUrl, seconds }: { readonly publicUrl: string; readonly seconds: number },
): void {
  const attributes = `Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${seconds}`;
  headers.append("Set-Cookie", `${cookieName(kind, publicUrl)}=${value}; ${attributes}`);
}

export function deleteCookie(headers: Headers, kind: CookieKind, publicUrl: string): void {
  setCookie(headers, kind, "", { publicUrl, seconds: 0 });
}
