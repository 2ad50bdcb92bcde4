/**
 * A loopback server that hands every request on to a real n8n, unchanged, and keeps its method and path.
 * Promises: what reached n8n through it is in `requests`, in order; answers are streamed as they come, compressed or
 * not. For tests that must show what the observer asked of n8n, or that act between two of its requests.
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
  /** From now on this is waited for before a request is handed on. Without it requests pass at once. */
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
