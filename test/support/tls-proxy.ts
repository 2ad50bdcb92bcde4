/**
 * Ends TLS in front of a server on this machine, as what stands before a self-hosted one does.
 * Promises: a request goes on unchanged, with the host that it was sent to.
 */
import { createServer } from "node:https";
import type { Certificate } from "./certificate.ts";
import { handOn } from "./hand-on.ts";
import { listenOnLoopback, stopServer } from "./loopback-server.ts";

export interface TlsProxy {
  /** `https://localhost:<port>` */
  readonly origin: string;
  /** Where requests go from now on; there may be nothing yet. */
  leadTo: (targetUrl: string) => void;
  readonly close: () => Promise<void>;
}

export async function startTlsProxy(certificate: Certificate): Promise<TlsProxy> {
  let target = "";
  const server = createServer({ ...certificate }, async (request, response) => {
    await handOn(target, request, response).catch(() => response.destroy());
  });
  const { port } = new URL(await listenOnLoopback(server));
  return {
    origin: `https://localhost:${port}`,
    leadTo: (targetUrl) => {
      target = targetUrl;
    },
    close: async () => await stopServer(server),
  };
}
