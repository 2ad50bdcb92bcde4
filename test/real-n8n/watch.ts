/**
 * A loopback server that forwards every request to a real n8n unchanged, and records its method and path.
 * `requests` has everything that reached n8n through it, in order; answers are streamed as they come, compressed or
 * not. For tests that check the observer's requests to n8n, or act between two of them.
 */
import { createServer } from "node:http";
import { handOn } from "../support/hand-on.ts";
import { listenOnLoopback, stopServer } from "../support/loopback-server.ts";

interface WatchedRequest {
  method: string;
  /** With its query. */
  path: string;
}

export interface Watch {
  baseUrl: string;
  requests: WatchedRequest[];
  /** Sets a function that is awaited before each request is forwarded; without one, requests pass at once. */
  beforeEach: (act?: (request: WatchedRequest) => Promise<void>) => void;
  close: () => Promise<void>;
}

export async function startWatch(targetUrl: string): Promise<Watch> {
  const requests: WatchedRequest[] = [];
  let act: ((request: WatchedRequest) => Promise<void>) | undefined;
  const server = createServer(async (request, response) => {
    const seen = { method: request.method ?? "", path: request.url ?? "" };
    requests.push(seen);
    try {
      await act?.(seen);
      await handOn(targetUrl, request, response);
    } catch {
      response.destroy();
    }
  });
  const baseUrl = await listenOnLoopback(server);
  return {
    baseUrl,
    requests,
    beforeEach: (next) => {
      act = next;
    },
    close: async () => await stopServer(server),
  };
}
