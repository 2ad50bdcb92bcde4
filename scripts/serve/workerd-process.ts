/**
 * Runs workerd in the same way for every command: it listens at one address, writes to one folder, and opens a debugger
 * only on request. Its environment holds the settings and nothing else of ours; its arguments, which every user of the
 * machine can see, hold no secret.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { DATA_DIRECTORY, SOCKET } from "./configuration.ts";
import { toSocketAddress } from "./options.ts";
import { keepDataPrivate } from "./private-files.ts";
import type { Settings } from "./settings.ts";

/** How long running calls may take once the server is asked to stop. */
const STOP_TIMEOUT_MS = 8_000;
/** In a terminal, Ctrl-C may reach workerd before this process. */
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const KEPT_OUTPUT_CHARACTERS = 20_000;

/** The package exports the path of the binary for this machine. */
const workerdPackage = z.object({ default: z.string() });

function findWorkerd(): string {
  return workerdPackage.parse(createRequire(import.meta.url)("workerd")).default;
}

export interface WorkerdOptions {
  /** Path of its configuration. */
  readonly configuration: string;
  readonly host: string;
  readonly port: number;
  /** Full path of the folder in which everything is stored. */
  readonly data: string;
  readonly settings: Settings;
  /** What is shown in the terminal. With "nothing", `output` holds it. */
  readonly prints: "all" | "errors" | "nothing";
  /** Restarts when the bundle changes. */
  readonly reloads?: boolean;
  /** Opens a debugger at this port of 127.0.0.1, for anyone who connects. Without it there is none. */
  readonly debuggerPort?: number | undefined;
}

export interface RunningWorkerd {
  readonly processId: number;
  readonly hasEnded: () => boolean;
  /** Resolves with its exit code once it has ended: 0 after a request to end, 1 if another signal killed it. */
  readonly ended: Promise<number>;
  /** The end of its output, with `prints: "nothing"`. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

const STREAMS = {
  all: ["ignore", "inherit", "inherit"],
  errors: ["ignore", "ignore", "inherit"],
  nothing: ["ignore", "pipe", "pipe"],
} as const;

export async function startWorkerd(options: WorkerdOptions): Promise<RunningWorkerd> {
  await keepDataPrivate(options.data);
  // Locations of CA certificates other than the system's.
  const { SSL_CERT_FILE, SSL_CERT_DIR } = process.env;
  const child = spawn(findWorkerd(), toArguments(options), {
    env: { SSL_CERT_FILE, SSL_CERT_DIR, ...options.settings },
    stdio: [...STREAMS[options.prints]],
  });
  let kept = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      kept = (kept + text).slice(-KEPT_OUTPUT_CHARACTERS);
    });
  let isStopping = false;
  let hasEnded = false;
  const ended = once(child, "exit")
    .then(([code, signal]) => (isStopping || END_SIGNALS.includes(signal) ? 0 : Number(code ?? 1)))
    .finally(() => {
      hasEnded = true;
    });
  const { pid: processId } = child;
  if (processId === undefined) throw new Error("workerd did not start.");
  return {
    processId,
    hasEnded: () => hasEnded,
    ended,
    output: () => kept,
    stop: async () => {
      isStopping = true;
      child.kill("SIGTERM");
      await Promise.race([ended, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function toArguments({ configuration, host, port, data, reloads, debuggerPort }: WorkerdOptions): string[] {
  return [
    ...["serve", configuration],
    ...["--socket-addr", `${SOCKET}=${toSocketAddress(host, port)}`],
    ...["--directory-path", `${DATA_DIRECTORY}=${data}`],
    ...(reloads ? ["--watch"] : []),
    ...(debuggerPort === undefined ? [] : ["--inspector-addr", `127.0.0.1:${debuggerPort}`]),
  ];
}
