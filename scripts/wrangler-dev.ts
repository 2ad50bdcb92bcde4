/**
 * Runs the Worker locally in `wrangler dev`, as a process of its own.
 *
 * Promises: settings reach it through a file that only this user can read and that is gone afterwards, never
 * through the process list; it is ready when `startWranglerDev` returns; `stop` ends it with its children.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PROJECT = join(import.meta.dirname, "..");
const WRANGLER = join(PROJECT, "node_modules", "wrangler", "bin", "wrangler.js");

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;
const POLL_MS = 100;
/** Enough of wrangler's own words to see why it failed. */
const MAX_OUTPUT = 20_000;

export interface WranglerDevOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Name and value of each setting. Without it, wrangler reads .dev.vars itself. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where KV and Durable Objects are kept; by default in a folder that is removed at the end. */
  readonly persistTo?: string;
  /** Passed on to wrangler as they are. */
  readonly furtherArguments?: readonly string[];
  /** Told each piece of what wrangler prints. */
  readonly onOutput?: (text: string) => void;
}

export interface WranglerDev {
  readonly origin: string;
  /** Settles when wrangler ends, however it does, with what it printed last. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** A port that is free now, on loopback. */
export async function findFreePort(preferred = 0): Promise<number> {
  const server = createServer();
  server.listen(preferred, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if (preferred !== 0) return await findFreePort();
    throw error;
  }
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

/** One line a setting, quoted as dotenv reads it. @throws Error for a value that cannot be written so */
function toEnvFile(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => {
      if (/['\n\r]/.test(value)) throw new Error(`The setting ${name} has a quote or a line break.`);
      return `${name}='${value}'\n`;
    })
    .join("");
}

async function isAnswering(origin: string): Promise<boolean> {
  try {
    const response = await fetch(origin, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return true;
  } catch {
    // Not yet: nobody listens, or it is still being bundled.
    return false;
  }
}

/** Ends the process and, since it leads a group of its own, whatever it started. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  signalGroup(child.pid, "SIGTERM");
  const timer = setTimeout(() => signalGroup(child.pid, "SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
  signalGroup(child.pid, "SIGKILL");
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // ESRCH: the whole group has ended already, which is what was wanted.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

export async function startWranglerDev(options: WranglerDevOptions): Promise<WranglerDev> {
  const folder = await mkdtemp(join(tmpdir(), "n8n-observer-"));
  const port = options.port === 0 ? await findFreePort() : options.port;
  const settingsArguments: string[] = [];
  if (options.settings !== undefined) {
    const file = join(folder, "settings.env");
    await writeFile(file, toEnvFile(options.settings), { mode: 0o600 });
    settingsArguments.push("--env-file", file);
  }
  const inspectorPort = await findFreePort();
  const args = [
    WRANGLER,
    "dev",
    "--port",
    String(port),
    "--ip",
    "127.0.0.1",
    "--inspector-port",
    String(inspectorPort),
  ];
  args.push(
    "--persist-to",
    options.persistTo ?? join(folder, "state"),
    "--show-interactive-dev-session=false",
  );
  args.push(...settingsArguments, ...(options.furtherArguments ?? []));
  const child = spawn(process.execPath, args, {
    cwd: PROJECT,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      WRANGLER_SEND_METRICS: "false",
      NO_COLOR: "1",
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT);
      options.onOutput?.(text);
    });
  }
  const ended = once(child, "exit").then(() => output);
  const stop = async (): Promise<void> => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  const origin = `http://localhost:${port}`;
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!(await isAnswering(origin))) {
    const isGone = child.exitCode !== null || child.signalCode !== null;
    if (isGone || Date.now() > deadline) {
      await stop();
      throw new Error(`wrangler dev ${isGone ? "ended" : "was not ready in time"}. It printed:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return { origin, ended, stop };
}
