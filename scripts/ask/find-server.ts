/** Which server to ask, and with which token. Pure. */

import { isLoopbackHost } from "../../src/settings/index.ts";
import { CommandError } from "../command-line/command-error.ts";
import type { Session } from "../dev-server/session-file.ts";

export interface Server {
  readonly url: string;
  readonly token: string | undefined;
}

const DEFAULT_URL = "http://localhost:8787/mcp";

export interface ServerChoice {
  /** As given with --url and --token. */
  readonly url: string | undefined;
  readonly token: string | undefined;
  /** N8N_OBSERVER_TOKEN. */
  readonly environmentToken: string | undefined;
  /** The servers that `npm start` and `npm run dev` run, the newest first. */
  readonly sessions: readonly Session[];
}

/**
 * A session's token goes to that session's server alone.
 * @throws CommandError if a token would travel unencrypted
 */
export function findServer({ url: given, token, environmentToken, sessions }: ServerChoice): Server {
  const url = given === undefined ? undefined : toEndpoint(given);
  const session = url === undefined ? sessions[0] : sessions.find((known) => isSameAddress(known.url, url));
  const server = {
    url: url ?? session?.url ?? DEFAULT_URL,
    token: token ?? session?.token ?? environmentToken,
  };
  const { protocol, hostname } = new URL(server.url);
  if (server.token !== undefined && protocol !== "https:" && !isLoopbackHost(hostname)) {
    throw new CommandError("The token would travel unencrypted. Use an https address.");
  }
  return server;
}

/** The server's own address, as `npm run doctor` takes it, means its endpoint. */
function toEndpoint(given: string): string {
  const { pathname, origin } = new URL(given);
  return pathname === "/" ? `${origin}/mcp` : given;
}

function isSameAddress(one: string, other: string): boolean {
  return withoutAlias(one) === withoutAlias(other);
}

/** All loopback addresses of a port mean one server: `npm start` only takes a port that is free on each of them. */
function withoutAlias(url: string): string {
  const address = new URL(url);
  if (isLoopbackHost(address.hostname)) address.hostname = "localhost";
  return address.href;
}
