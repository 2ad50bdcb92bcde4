/** A browser as far as sign-in needs one: it keeps cookies and posts the consent form, but follows no redirects. */
import { exports } from "cloudflare:workers";
import { PUBLIC_URL } from "../secrets.ts";

/** Answers requests: the Worker under test, by default. */
export type Send = (request: Request) => Promise<Response>;

export const sendToWorker: Send = (request) => exports.default.fetch(request);

export class Browser {
  readonly #cookies = new Map<string, string>();
  readonly #sendRequest: Send;

  constructor(sendRequest: Send = sendToWorker) {
    this.#sendRequest = sendRequest;
  }

  async open(url: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#send(new Request(url, { headers, redirect: "manual" }));
  }

  /** Posts the consent form like our page, with the smaller scope unless the fields say otherwise. */
  async post(
    fields: Record<string, string>,
    headers: Record<string, string> = {},
    path = "/authorize",
  ): Promise<Response> {
    const body = new URLSearchParams({ scope: "n8n:read", ...fields });
    const all = { Origin: PUBLIC_URL, ...headers };
    const request = new Request(PUBLIC_URL + path, {
      method: "POST",
      body,
      headers: all,
      redirect: "manual",
    });
    return this.#send(request);
  }

  forgetCookies(): void {
    this.#cookies.clear();
  }

  /** Another browser with the same cookies, which it keeps whatever happens here. */
  copy(): Browser {
    const copy = new Browser(this.#sendRequest);
    for (const [name, value] of this.#cookies) copy.#cookies.set(name, value);
    return copy;
  }

  async #send(request: Request): Promise<Response> {
    request.headers.set("Accept", "text/html");
    if (!request.headers.has("Sec-Fetch-Mode")) request.headers.set("Sec-Fetch-Mode", "navigate");
    if (this.#cookies.size > 0) {
      request.headers.set("Cookie", [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    }
    const response = await this.#sendRequest(request);
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    return response;
  }

  #keep(cookie: string): void {
    const [pair = ""] = cookie.split(";");
    const separator = pair.indexOf("=");
    const name = pair.slice(0, separator);
    if (/max-age=0(;|$)/i.test(cookie)) this.#cookies.delete(name);
    else this.#cookies.set(name, pair.slice(separator + 1));
  }
}

/** The handle in a consent page. */
export function handleOf(page: string): string {
  const handle = /name="handle" value="([^"]+)"/.exec(page)?.[1];
  if (handle === undefined) throw new Error("the page has no consent form");
  return handle;
}

/** Where a page sends the browser. */
export function destinationOf(response: Response): URL {
  const destination = /^0;url=(.+)$/.exec(response.headers.get("Refresh") ?? "")?.[1];
  if (destination === undefined) throw new Error(`no destination in an answer ${response.status}`);
  return new URL(destination);
}
