/**
 * The internet of the Worker under test: a recorded n8n, and hosts with good and bad client metadata documents. It runs
 * outside workerd; other requests are passed on.
 */
import { type Request as OutsideRequest, Response as OutsideResponse } from "miniflare";
import { DOCUMENT_HOST, MANAGED_ISSUER, N8N_ORIGIN } from "./secrets.ts";

const EVIL_ORIGIN = "https://evil.example";
const HEADERS = { "Content-Type": "application/json" };

/** A document of a client that could sign in, if it may be read at all. */
function documentOf(url: string, changes: Record<string, unknown> = {}): string {
  return JSON.stringify({
    client_id: url,
    client_name: "Documented app",
    redirect_uris: [
      "https://client.example/callback",
      "http://localhost/callback",
      `${EVIL_ORIGIN}/callback`,
    ],
    token_endpoint_auth_method: "none",
    ...changes,
  });
}

let timesAsked = 0;
let isAskedAgain = false;

function bodyWithoutLength(text: string, end: boolean): ReadableStream {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 1024) controller.enqueue(bytes.slice(at, at + 1024));
      if (end) controller.close();
    },
  });
}

function answerDocument(url: string, path: string): OutsideResponse | Promise<OutsideResponse> {
  const good = documentOf(url);
  switch (path) {
    case "/good.json":
      return new OutsideResponse(good, { headers: HEADERS });
    case "/counted.json":
      timesAsked++;
      return new OutsideResponse(documentOf(url, { client_name: `Asked ${timesAsked}` }), {
        headers: HEADERS,
      });
    case "/once.json": {
      const status = isAskedAgain ? 503 : 200;
      isAskedAgain = true;
      return new OutsideResponse(good, { status, headers: HEADERS });
    }
    case "/redirects.json":
      return new OutsideResponse(null, {
        status: 302,
        headers: { Location: `${EVIL_ORIGIN}/document?of=${encodeURIComponent(url)}` },
      });
    case "/redirects-at-home.json":
      return new OutsideResponse(null, { status: 307, headers: { Location: "/at-home.json" } });
    case "/at-home.json":
      return new OutsideResponse(documentOf(`https://${DOCUMENT_HOST}/redirects-at-home.json`), {
        headers: HEADERS,
      });
    case "/6kb.json":
      return new OutsideResponse(good + " ".repeat(6 * 1024), { headers: HEADERS });
    case "/6kb-in-pieces.json":
      return new OutsideResponse(bodyWithoutLength(good + " ".repeat(6 * 1024), true), { headers: HEADERS });
    case "/hangs.json":
      return new Promise(() => undefined);
    case "/stalls.json":
      return new OutsideResponse(bodyWithoutLength(good.slice(0, 40), false), { headers: HEADERS });
    case "/other-id.json":
      return new OutsideResponse(documentOf(`https://${DOCUMENT_HOST}/good.json`), { headers: HEADERS });
    case "/evil-callback.json":
      return new OutsideResponse(documentOf(url, { redirect_uris: [`${EVIL_ORIGIN}/callback`] }), {
        headers: HEADERS,
      });
    case "/text.json":
      return new OutsideResponse(good, { headers: { "Content-Type": "text/plain" } });
    case "/broken.json":
      return new OutsideResponse(good.slice(0, -1), { headers: HEADERS });
    case "/latin1.json": {
      const latin1 = Buffer.from(documentOf(url, { client_name: "Café" }), "latin1");
      return new OutsideResponse(latin1, { headers: HEADERS });
    }
    case "/down.json":
      return new OutsideResponse(good, { status: 503, headers: HEADERS });
    default:
      return new OutsideResponse(good, { status: 404, headers: HEADERS });
  }
}

/** The environment variable with the real address of the recorded n8n. */
export const RECORDED_N8N_PLACE = "RECORDED_N8N";

/** The one with the real address of the provider that issues assertions. */
export const MANAGED_PROVIDER_PLACE = "MANAGED_PROVIDER";

const PLACES: Readonly<Record<string, string>> = {
  [N8N_ORIGIN]: RECORDED_N8N_PLACE,
  [MANAGED_ISSUER]: MANAGED_PROVIDER_PLACE,
};

/** The real address of a request. */
function placeOf(url: URL): string {
  const place = PLACES[url.origin];
  return place === undefined ? url.href : `${process.env[place]}${url.pathname}${url.search}`;
}

/** The headers with which a proxy reports the requested address. */
const forwarded = ({ host, protocol }: URL): [string, string][] => [
  ["X-Forwarded-Host", host],
  ["X-Forwarded-Proto", protocol.slice(0, -1)],
];

export async function answerOutside(request: OutsideRequest): Promise<OutsideResponse> {
  const url = new URL(request.url);
  if (url.host === DOCUMENT_HOST) return answerDocument(request.url, url.pathname);
  // As it answers some data centers.
  if (url.host === "claude.ai") return new OutsideResponse("<html>Just a moment...</html>", { status: 403 });
  // An accomplice: any path there returns a document that would be valid.
  if (url.origin === EVIL_ORIGIN) {
    return new OutsideResponse(documentOf(url.searchParams.get("of") ?? request.url), { headers: HEADERS });
  }
  const init: RequestInit = {
    method: request.method,
    headers: [...request.headers, ...forwarded(url)],
    redirect: "manual",
  };
  if (request.body !== null) init.body = await request.arrayBuffer();
  const response = await fetch(placeOf(url), init);
  return new OutsideResponse(await response.arrayBuffer(), {
    status: response.status,
    headers: [...response.headers],
  });
}
