/**
 * A loopback proxy that adds a bearer header to requests, as the suite sends none, and changes nothing
 * else. A `Host` that names the proxy becomes the server's; any other stays, as scenarios send hostile ones.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";

export interface BearerProxy {
  readonly origin: string;
  close(): Promise<void>;
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  to: { readonly target: URL; readonly ownHost: string; readonly token: string },
): void {
  const { target, ownHost, token } = to;
  const host = incoming.headers.host === ownHost ? target.host : incoming.headers.host;
  const upstream = request({
    hostname: target.hostname,
    port: target.port,
    method: incoming.method,
    path: incoming.url,
    headers: { ...incoming.headers, host, authorization: `Bearer ${token}` },
  });
  upstream.on("response", (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  upstream.on("error", () => outgoing.destroy());
  outgoing.on("close", () => upstream.destroy());
  incoming.pipe(upstream);
}

/** @param origin that of the server behind the proxy */
export async function startBearerProxy(origin: string, token: string): Promise<BearerProxy> {
  const target = new URL(origin);
  let ownHost = "";
  const server = createServer((incoming, outgoing) =>
    forward(incoming, outgoing, { target, ownHost, token }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "localhost", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port.");
  ownHost = `localhost:${address.port}`;
  return {
    origin: `http://${ownHost}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
