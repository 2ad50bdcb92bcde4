/**
 * Terminates TLS in front of a server on this machine, as a proxy of a self-hosted one does.
 * Requests are forwarded unchanged, with their original host.
 */
import { createServer } from "node:https";
import type { Certificate } from "./certificate.ts";
import { handOn } from "./hand-on.ts";
import { listenOnLoopback, stopServer } from "./loopback-server.ts";

export interface TlsProxy {
  /** `https://localhost:<port>` */
  readonly origin: string;
  /** Sets the target of requests, which need not exist yet. */
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
