/**
 * What a web page of another origin gets from the ports of the machine that shows it. It can send a request to any port, also
 * under its own host name (DNS rebinding), and open any WebSocket. It can read an answer only if that allows its
 * origin, or if it counts as coming from its own host.
 */
import { type ClientRequest, type OutgoingHttpHeaders, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const ORIGIN = "http://evil.example";
const ANSWER_TIMEOUT_MS = 5_000;
/** The wait for a message on an open WebSocket. */
const SOCKET_TIMEOUT_MS = 1_000;

/** Endpoints of debuggers and development servers: workerd's, wrangler's, miniflare's and Node's. */
const PATHS = [
  "/json",
  "/json/list",
  "/json/version",
  "/core:user:n8n-observer",
  "/observer",
  "/ws",
  "/__scheduled",
  "/cdn-cgi/handler/scheduled",
  "/cdn-cgi/local/scheduled",
  "/cdn-cgi/mf/scheduled",
  "/cdn-cgi/mf/reload",
  "/cdn-cgi/local/explorer",
  "/cdn-cgi/local/explorer/api/local/workers",
];

/** workerd's debugger answers only the second connection. */
const SOCKET_PATHS = ["/", "/core:user:n8n-observer", "/core:user:n8n-observer", "/observer", "/ws", "/mcp"];

const EVALUATE = JSON.stringify({ id: 1, method: "Runtime.evaluate", params: { expression: "6 * 7" } });

/** @returns a line for each thing that the page got */
export async function whatForeignPageGets(ports: readonly number[]): Promise<string[]> {
  const got: string[] = [];
  for (const port of ports) {
    for (const path of ["/", "/mcp", ...PATHS]) got.push(...(await askPort(port, path)));
    const sockets = await Promise.all(SOCKET_PATHS.map((path) => openSocket(port, path)));
    got.push(...sockets.flat());
  }
  return got;
}

async function askPort(port: number, path: string): Promise<string[]> {
  const own = await send(port, path, { Host: `127.0.0.1:${port}`, Origin: ORIGIN });
  // The page cannot read this answer, but the request would have its effect.
  const image = await send(port, path, { Host: `127.0.0.1:${port}`, "Sec-Fetch-Site": "cross-site" });
  const rebound = await send(port, path, { Host: `evil.example:${port}`, Origin: ORIGIN });
  // Only the Worker's start page answers everybody.
  const isStartPage = path === "/";
  return [
    ...(own.allowed === undefined ? [] : [`${port}${path} may be read by ${own.allowed}`]),
    ...(own.isAnswer && !isStartPage ? [`${port}${path} answers a page`] : []),
    ...(image.isAnswer && !isStartPage ? [`${port}${path} answers an image`] : []),
    ...(rebound.isAnswer ? [`${port}${path} answers as evil.example`] : []),
  ];
}

interface Answer {
  /** False if it was refused, or the connection was closed without an answer. */
  readonly isAnswer: boolean;
  /** The origin whose pages may read it. */
  readonly allowed?: string | undefined;
}

async function send(port: number, path: string, headers: OutgoingHttpHeaders): Promise<Answer> {
  const sent = request({ host: "127.0.0.1", port, path, headers });
  sent.setTimeout(ANSWER_TIMEOUT_MS, () => sent.destroy());
  sent.end();
  return await new Promise((resolve) => {
    sent.once("error", () => resolve({ isAnswer: false }));
    sent.once("response", (response) => {
      response.resume();
      const { statusCode = 0, headers } = response;
      resolve({ isAnswer: statusCode < 400, allowed: headers["access-control-allow-origin"] });
    });
  });
}

async function openSocket(port: number, path: string): Promise<string[]> {
  const sent = request({
    host: "127.0.0.1",
    port,
    path,
    headers: {
      Origin: ORIGIN,
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    },
  });
  sent.end();
  const opened = await Promise.race([upgradeOf(sent), sleep(ANSWER_TIMEOUT_MS, undefined, { ref: false })]);
  return opened === undefined ? [] : [`${port}${path} is a WebSocket, and says ${opened}`];
}

/** What the WebSocket answers; undefined if it does not open. */
function upgradeOf(sent: ClientRequest): Promise<string | undefined> {
  return new Promise((resolve) => {
    // The connection was closed without an answer.
    sent.once("error", () => resolve(undefined));
    sent.once("response", (response) => {
      response.resume();
      resolve(undefined);
    });
    sent.once("upgrade", async (_response, socket) => {
      let heard = "";
      socket.on("data", (bytes: Buffer) => {
        heard += bytes.toString("latin1");
      });
      socket.on("error", () => {});
      socket.write(textFrame(EVALUATE));
      await sleep(SOCKET_TIMEOUT_MS);
      socket.destroy();
      resolve(JSON.stringify(heard));
    });
  });
}

/** RFC 6455 §5.2: a text in one masked frame, of at most 125 bytes. The mask of zeros changes nothing. */
function textFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | Buffer.byteLength(text), 0, 0, 0, 0]), Buffer.from(text)]);
}
