/** Foreign web sites on loopback, each with an origin of its own. */
import { createServer } from "node:http";
import { listenOnLoopback, stopServer } from "../../support/loopback-server.ts";

export interface Site {
  readonly origin: string;
  close(): Promise<void>;
}

/** A site that answers every request with this document. */
export async function startSite(document: string): Promise<Site> {
  const server = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(`<!doctype html><title>Another site</title>${document}`);
  });
  return { origin: await listenOnLoopback(server), close: () => stopServer(server) };
}
