/** Starts and stops servers of tests on loopback. */
import type { IncomingMessage, Server } from "node:http";

/**
 * @param port any free one by default
 * @returns the origin, with http
 * @throws Error when the port cannot be opened
 */
export function listenOnLoopback(server: Server, port = 0): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("The server has no port."));
      else resolve(`http://127.0.0.1:${address.port}`);
    });
  });
}

/** Stops the server, and closes open connections. */
export function stopServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

export async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
