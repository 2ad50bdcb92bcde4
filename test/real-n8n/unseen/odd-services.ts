/**
 * Services that misbehave beyond a status and a JSON body: redirect loops, empty and HTML answers,
 * cut connections, cut JSON, endless pages. On loopback.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenOnLoopback, readText, stopServer } from "../../support/loopback-server.ts";

export interface OddServices {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const HTML = (status: number): string =>
  `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center><hr>nginx</body></html>`;

type Reply = (response: ServerResponse, path: string, request: IncomingMessage) => void;

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};
const statusOf = (path: string): number => Number(path.split("/").at(-1));

/** Answers by the prefix of the path. */
const REPLIES: Readonly<Record<string, Reply>> = {
  "/round": (response) => void response.writeHead(302, { location: "/round" }).end(),
  "/empty": (response, path) => void response.writeHead(statusOf(path)).end(),
  "/html": (response, path) =>
    void response.writeHead(statusOf(path), { "content-type": "text/html" }).end(HTML(statusOf(path))),
  "/problem": (response, path) =>
    void response
      .writeHead(statusOf(path), { "content-type": "application/problem+json" })
      .end(JSON.stringify({ type: "about:blank", title: "Planted title", status: statusOf(path) })),
  "/cut": (response) => void response.destroy(),
  "/half": (response) =>
    void response
      .writeHead(200, { "content-type": "application/json" })
      .end('{ "orders": [ { "id": 1 }, { "id": '),
  "/same-page": (response) => json(response, 200, { rows: [{ id: 1 }], more: true }),
  "/text": (response) =>
    void response.writeHead(200, { "content-type": "text/plain" }).end("planted, but no document"),
  "/no-feed": (response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end("<html><body>Moved</body></html>"),
  "/telegram": (response) =>
    json(response, 400, { ok: false, error_code: 400, description: "Bad Request: chat not found" }),
  "/gitlab": (response) => json(response, 401, { message: "401 Unauthorized" }),
  "/lookup": (response) => json(response, 404, { message: "No such customer" }),
};

export async function startOddServices(): Promise<OddServices> {
  const server = createServer(async (request, response) => {
    await readText(request);
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const [, reply] = Object.entries(REPLIES).find(([start]) => pathname.startsWith(start)) ?? [];
    if (reply === undefined) json(response, 200, { ok: true });
    else reply(response, pathname, request);
  });
  const url = await listenOnLoopback(server);
  return { url, close: async () => await stopServer(server) };
}
