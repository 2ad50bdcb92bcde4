/** Which ports of this machine are free. A port counts as free when every loopback address of it is. */

import { createServer } from "node:net";
import { CommandError } from "../command-line/command-error.ts";

export const DEFAULT_PORT = 8787;
const HIGHEST_PORT = 65_535;
const PORTS_TO_TRY = 100;
const LOOPBACK_ADDRESSES = ["127.0.0.1", "::1"];

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // A machine without IPv6 has no ::1 that could be taken.
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "EADDRNOTAVAIL"));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

export async function isPortFree(port: number): Promise<boolean> {
  for (const address of LOOPBACK_ADDRESSES) {
    if (!(await canListen(port, address))) return false;
  }
  return true;
}

/** The first free port from `from` on. @throws CommandError if none is nearby */
export async function findFreePort(from: number): Promise<number> {
  const last = Math.min(from + PORTS_TO_TRY, HIGHEST_PORT);
  for (let port = from; port <= last; port += 1) {
    if (await isPortFree(port)) return port;
  }
  throw new CommandError(`No port from ${from} to ${last} is free. Choose another one with --port.`);
}

/**
 * The requested port, else the first free one from the default on.
 * @param command what the person typed, to suggest a port that works
 * @throws CommandError if the requested port is taken
 */
export async function choosePort(requested: number | undefined, command: string): Promise<number> {
  if (requested === undefined) return await findFreePort(DEFAULT_PORT);
  if (await isPortFree(requested)) return requested;
  const free = await findFreePort(requested < HIGHEST_PORT ? requested + 1 : DEFAULT_PORT);
  throw new CommandError(`Port ${requested} is taken. Choose another one: ${command} -- --port ${free}`);
}
