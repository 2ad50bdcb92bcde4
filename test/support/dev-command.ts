/** `npm run dev` as a person runs it, in a project of their own with settings in .dev.vars. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../../scripts/dev-server/ports.ts";
import type { ProjectCopy } from "./project-copy.ts";
import { PASSPHRASE } from "./test-worker.ts";

const FIRST_PORT = 27_787;
const READY_TIMEOUT_MS = 50_000;
const POLL_INTERVAL_MS = 100;

export interface DevCommand {
  readonly pid: number;
  readonly port: number;
  readonly origin: string;
  /** Its output so far. */
  output(): string;
  /** @returns the exit code; null when a signal ended it */
  stop(): Promise<number | null>;
}

export async function writeDevVars(
  copy: ProjectCopy,
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
): Promise<void> {
  const settings = { N8N_BASE_URL: baseUrl, N8N_API_KEY: apiKey, ACCESS_PASSPHRASE: PASSPHRASE };
  const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`);
  await writeFile(copy.inCopy(".dev.vars"), lines.join(""), { mode: 0o600 });
}

/** @throws Error with its output if it does not start */
export async function startDev(copy: ProjectCopy, ...args: string[]): Promise<DevCommand> {
  const port = await findFreePort(FIRST_PORT);
  const child = spawn(process.execPath, ["scripts/dev.ts", "--port", String(port), ...args], {
    cwd: copy.directory,
    env: { PATH: process.env.PATH, HOME: copy.directory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  const stop = async (): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
    return child.exitCode;
  };
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!printed.includes("Connector URL") && child.exitCode === null && Date.now() < deadline)
    await sleep(POLL_INTERVAL_MS);
  if (!printed.includes("Connector URL")) {
    await stop();
    throw new Error(printed);
  }
  return { pid: child.pid ?? 0, port, origin: `http://localhost:${port}`, output: () => printed, stop };
}
