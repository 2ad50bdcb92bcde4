/**
 * Runs workerd: it listens at one address, writes to one folder, and has no inspector. It gets the settings in its
 * environment and nothing else of ours; arguments, which everybody on the machine can see, hold no secret.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import * as z from "zod";
import { DATA_DIRECTORY, SOCKET } from "./configuration.ts";
import { toSocketAddress } from "./options.ts";
import type { Settings } from "./settings.ts";

/** Where OpenSSL-like libraries look for certificates of authorities, if not where the system has them. */
const KEPT_VARIABLES = ["SSL_CERT_FILE", "SSL_CERT_DIR"];

/** The package says where the program for this machine is. */
const workerdPackage = z.object({ default: z.string() });

export function findWorkerd(): string {
  return workerdPackage.parse(createRequire(import.meta.url)("workerd")).default;
}

export interface WorkerdOptions {
  /** Path of its configuration. */
  readonly configuration: string;
  readonly host: string;
  readonly port: number;
  /** Full path of a folder that is there. */
  readonly data: string;
  readonly settings: Settings;
}

export function startWorkerd({ configuration, host, port, data, settings }: WorkerdOptions): ChildProcess {
  const kept = KEPT_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return spawn(
    findWorkerd(),
    [
      "serve",
      configuration,
      "--socket-addr",
      `${SOCKET}=${toSocketAddress(host, port)}`,
      "--directory-path",
      `${DATA_DIRECTORY}=${data}`,
    ],
    { env: { ...Object.fromEntries(kept), ...settings }, stdio: ["ignore", "inherit", "inherit"] },
  );
}
