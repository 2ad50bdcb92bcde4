/** A visitor of the page for people over real HTTP, signed in by passphrase, without a browser. */
import { once } from "node:events";
import { type IncomingMessage, type RequestOptions, request } from "node:http";
import { text } from "node:stream/consumers";
import { PASSPHRASE } from "./test-worker.ts";

export class PageVisitor {
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();

  private constructor(origin: string) {
    this.#origin = origin;
  }

  static async signIn(origin: string): Promise<PageVisitor> {
    const visitor = new PageVisitor(origin);
    const form = await visitor.#send(locationOf(await visitor.#send("/app")));
    const handle = /name="handle" value="([^"]+)"/.exec(await text(form))?.[1] ?? "";
    const fields = { handle, decision: "approve", passphrase: PASSPHRASE, scope: "n8n:read" };
    const approved = await visitor.#send("/authorize", {}, new URLSearchParams(fields).toString());
    await visitor.#send(locationOf(approved));
    return visitor;
  }

  /** The text of the page. */
  async open(path: string, signal?: AbortSignal): Promise<string> {
    return await text(await this.#send(path, signal === undefined ? {} : { signal }));
  }

  /** Not by `fetch`, which identifies itself as a script. */
  async #send(path: string, options: RequestOptions = {}, form?: string): Promise<IncomingMessage> {
    const headers = {
      Accept: "text/html",
      Origin: this.#origin,
      Cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      ...(form === undefined ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
    };
    const method = form === undefined ? "GET" : "POST";
    const sent = request(new URL(path, this.#origin), { ...options, method, headers }).end(form);
    const [response]: IncomingMessage[] = await once(sent, "response");
    if (response === undefined) throw new Error("no answer");
    for (const cookie of response.headers["set-cookie"] ?? []) {
      const [, name = "", value = ""] = /^([^=]*)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }
}

function locationOf({ headers, statusCode }: IncomingMessage): string {
  if (headers.location === undefined) throw new Error(`an answer ${statusCode} that leads nowhere`);
  return headers.location;
}
