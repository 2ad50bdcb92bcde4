/**
 * The external services that the kinds call: a loopback HTTP server, the same behind an untrusted certificate,
 * and a port on which nothing listens.
 * Each path set by `answer` keeps that answer; `flaky` paths fail as often as they say, and then answer.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createCertificate } from "../../support/certificate.ts";
import { listenOnLoopback, readText, stopServer } from "../../support/loopback-server.ts";

export interface KindServices {
  /** Origin of the HTTP server. */
  readonly url: string;
  /** Origin of the HTTPS server, whose certificate is self-signed. */
  readonly secureUrl: string;
  /** Nothing listens there. */
  readonly deadUrl: string;
  readonly deadPort: number;
  /** Sets the answer of a path. */
  readonly answer: (path: string, body: unknown, status?: number) => void;
  readonly close: () => Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Error messages as APIs word them. */
const REFUSALS: Readonly<Record<string, Answer>> = {
  "/refuse/400": {
    status: 400,
    body: { message: "Validation failed", errors: [{ field: "email", message: "is not a valid address" }] },
  },
  "/refuse/401": {
    status: 401,
    body: { error: "invalid_token", error_description: "The token has expired" },
  },
  "/refuse/403": { status: 403, body: { message: "Missing permission orders:write" } },
  "/refuse/404": { status: 404, body: { error: { code: "not_found", message: "No order has this number" } } },
  "/refuse/409": { status: 409, body: { message: "An invoice of this number exists already" } },
  "/refuse/422": { status: 422, body: { detail: "currency must be one of EUR, USD" } },
  "/refuse/429": { status: 429, body: { message: "Too many requests, limit is 10 a minute" } },
  "/refuse/500": { status: 500, body: { message: "Database is locked" } },
  "/refuse/503": { status: 503, body: { message: "Down for maintenance until noon" } },
};

/** Longer than any node's time-out. */
const SLOW_MS = 3_000;

export async function startKindServices(): Promise<KindServices> {
  const answers = new Map<string, Answer>(Object.entries(REFUSALS));
  const calls = new Map<string, number>();
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readText(request);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const count = (calls.get(pathname + body) ?? 0) + 1;
    calls.set(pathname + body, count);
    const { status, body: answered } = answers.get(pathname) ?? standing(pathname, searchParams, count);
    if (pathname.startsWith("/slow")) await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    const isText = typeof answered === "string";
    response.writeHead(status, { "content-type": isText ? "text/html" : "application/json" });
    response.end(isText ? answered : JSON.stringify(answered));
  };
  const plain = createServer(reply);
  const secure = createSecureServer(createCertificate(), reply);
  const url = await listenOnLoopback(plain);
  const secureUrl = (await listenOnLoopback(secure)).replace("http:", "https:");
  return {
    url,
    secureUrl,
    deadUrl: "http://127.0.0.1:1",
    deadPort: 1,
    answer: (path, body, status = 200) => answers.set(path, { status, body }),
    close: async () => {
      await stopServer(plain);
      await stopServer(secure);
    },
  };
}

/** The answer of paths that were not set. */
function standing(path: string, query: URLSearchParams, count: number): Answer {
  const ok = (body: unknown): Answer => ({ status: 200, body });
  if (path.startsWith("/flaky")) {
    return count % 3 === 0 ? ok({ booked: true }) : { status: 503, body: { message: "Busy, try again" } };
  }
  if (path === "/pages") {
    const page = Number(query.get("page") ?? "1");
    return ok({
      rows: page < 3 ? [{ id: page * 2 }, { id: page * 2 + 1 }] : [],
      next: page < 3 ? page + 1 : null,
    });
  }
  if (path === "/empty") return ok([]);
  if (path === "/html") return ok("<html><body><h1>Sign in</h1></body></html>");
  if (path === "/error-log")
    return ok([{ level: "error", message: "disk failed at night", status: "failed" }]);
  if (path === "/customer") return ok({ id: 7, name: "Ana", address: { city: "Lima" } });
  if (path === "/orders")
    return ok([
      { id: 1, total: 20 },
      { id: 2, total: 30 },
      { id: 3, total: 5 },
    ]);
  return ok({ ok: true });
}
