/** The arguments of `npm run serve`. Pure. */
import { type Arguments, readArguments, text, toPort, WrongArguments } from "../command-line/arguments.ts";
import { DEFAULT_PORT } from "../dev-server/ports.ts";

export const SERVE_USAGE = `Runs n8n-observer on this machine for good, without Cloudflare: docs/self-hosting.md.

  npm run serve                              on http://localhost:8787, data in ./data
  npm run serve -- --port 9000 --data /srv/n8n-observer
  npm run serve -- --host 0.0.0.0            on every address of this machine; needs PUBLIC_URL, and TLS in front
  npm run serve -- --build dist              only builds: what workerd runs, into this folder

Settings come from .dev.vars and from the environment, which comes first.`;

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_DATA = "data";

export type ServeOptions =
  | {
      readonly kind: "serve";
      /** The address to listen at. */
      readonly host: string;
      readonly port: number;
      /** The data folder. */
      readonly data: string;
    }
  | { readonly kind: "build"; readonly directory: string };

/** A host name or an IPv4 or IPv6 address, and nothing that could be an argument of its own. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|[0-9a-f:]*:[0-9a-f:.]*)$/i;

const FORM = {
  options: {
    host: { ...text, default: DEFAULT_HOST },
    port: { ...text, default: String(DEFAULT_PORT) },
    data: { ...text, default: DEFAULT_DATA },
    build: text,
  },
} as const;

export function readServeOptions(args: readonly string[]): Arguments<ServeOptions> {
  return readArguments(args, FORM, ({ values: { host, port, data, build } }) => {
    if (build !== undefined) return { kind: "build", directory: build };
    if (!HOST.test(host))
      throw new WrongArguments("--host takes an address of this machine, for example 0.0.0.0.");
    if (data === "") throw new WrongArguments("--data takes a folder.");
    return { kind: "serve", host, port: toPort(port), data };
  });
}

/** As workerd takes it: `host:port`, with IPv6 in brackets. */
export function toSocketAddress(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The listening address as a URL. `0.0.0.0` and `::` do not count as loopback: other machines can reach them. */
export function toListeningOrigin(host: string, port: number): string {
  return `http://${toSocketAddress(host, port)}`;
}

/** The URL at which this machine reaches a server that listens at a host. */
export function toLocalOrigin(host: string, port: number): string {
  if (host === "0.0.0.0" || host === "::" || host === DEFAULT_HOST) return `http://localhost:${port}`;
  return toListeningOrigin(host, port);
}
