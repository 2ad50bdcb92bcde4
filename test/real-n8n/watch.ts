/**
 * A loopback server that hands every request on to a real n8n, unchanged, and keeps its method and path.
 * Promises: what reached n8n through it is in `requests`, in order; answers are streamed as they come, compressed or
 * not. For tests that must show what the observer asked of n8n.
 */
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";

export interface Watch {
  baseUrl: string;
  requests: { method: string; path: string }[];
  close: () => Promise<void>;
}

export async function startWatch(targetUrl: string): Promise<Watch> {
  const requests: Watch["requests"] = [];
  const server = createServer(async (request, response) => {
    requests.push({ method: request.method ?? "", path: request.url ?? "" });
    await handOn(targetUrl, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The watching server has no port.");
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    requests,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handOn(targetUrl: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "GET", headers } = request;
  const upstream = forward(targetUrl + (request.url ?? "/"), { method, headers });
  // Who stops reading here must stop n8n too.
  response.once("close", () => upstream.destroy());
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once("response", resolve);
    upstream.once("error", reject);
  });
  await pipeline(request, upstream);
  const answer = await answered;
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  await pipeline(answer, response);
}
