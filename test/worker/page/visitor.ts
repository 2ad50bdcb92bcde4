/** A visitor of the page for people, with a browser. */
import { PASSPHRASE, PUBLIC_URL } from "../secrets.ts";
import { Browser, handleOf, type Send } from "../sign-in/browser.ts";

/** Where an answer sends the browser. */
export const locationOf = (response: Response): string => response.headers.get("Location") ?? "";

/** Signs in up to the page's own callback, which is not opened. */
export async function approve(
  browser: Browser,
  path = "/app",
  fields: Record<string, string> = {},
): Promise<string> {
  const begun = await browser.open(PUBLIC_URL + path);
  const form = await browser.open(locationOf(begun));
  const handle = handleOf(await form.text());
  return locationOf(
    await browser.post({ handle, decision: "approve", passphrase: PASSPHRASE, scope: "n8n:data", ...fields }),
  );
}

/** @returns the answer of the callback, which starts the session */
export async function signIn(
  browser: Browser,
  path = "/app",
  fields: Record<string, string> = {},
): Promise<Response> {
  return await browser.open(await approve(browser, path, fields));
}

export async function signedIn(send?: Send): Promise<Browser> {
  const browser = new Browser(send);
  await signIn(browser);
  return browser;
}

export async function read(browser: Browser, path: string): Promise<string> {
  return await (await browser.open(PUBLIC_URL + path)).text();
}

/** The token that the forms of a page carry. */
export function formTokenOf(page: string): string {
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1];
  if (token === undefined) throw new Error("the page has no form");
  return token;
}

export async function switchData(browser: Browser, to: "on" | "off"): Promise<Response> {
  const token = formTokenOf(await read(browser, "/app"));
  return await browser.post({ token, data: to }, { Referer: `${PUBLIC_URL}/app/executions/34` }, "/app/data");
}
