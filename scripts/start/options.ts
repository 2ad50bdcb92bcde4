/** The arguments of `npm start`. Pure. */
import { parseArgs } from "node:util";
import { parsePort } from "../dev-server/ports.ts";

export const START_USAGE = `Starts n8n-observer with a recorded n8n behind it. Nothing needs to be set up.

  npm start                    on port 8787, or the next one that is free
  npm start -- --port 9000     on this port`;

export type StartOptions =
  | { readonly kind: "start"; readonly port: number | undefined }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly problem: string };

export function readStartOptions(args: readonly string[]): StartOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { port: { type: "string" }, help: { type: "boolean", short: "h" } },
    });
    if (values.help) return { kind: "help" };
    if (values.port === undefined) return { kind: "start", port: undefined };
    const port = parsePort(values.port);
    return port === undefined
      ? { kind: "wrong", problem: "--port takes a number from 1 to 65535." }
      : { kind: "start", port };
  } catch (error) {
    return {
      kind: "wrong",
      problem: error instanceof Error ? error.message : "The arguments are invalid.",
    };
  }
}
