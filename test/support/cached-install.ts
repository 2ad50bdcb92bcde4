/**
 * Installs npm packages for tests into a cache folder outside the repository: packages too large for the project's own
 * dependencies, or that must not be among them. Only one process installs at a time, and nothing is written inside
 * the repository.
 */
import { spawn } from "node:child_process";
import { mkdir, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";

/** Receives one line of progress at a time. */
export type Log = (line: string) => void;

/** The longest wait for another process that is installing, in milliseconds. */
const LOCK_PATIENCE_MS = 15 * 60_000;
/** A lock older than this, in milliseconds, was left behind by a process that ended early. */
const LOCK_LIFETIME_MS = 30 * 60_000;

/** Options of each `npm install`. */
export const QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];

export function cacheDirectory(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "n8n-observer");
}

/** This project's own Node 24, independent of the machine's Node. */
export function findNode(): { program: string; version: string } {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("node/package.json");
  const { version } = z.object({ version: z.string() }).parse(require(manifest));
  return { program: join(dirname(manifest), "bin", "node"), version };
}

/** Removes the settings that `npm run` passes on, which a nested npm would use. */
export function withoutNpmSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = /^npm_(package|lifecycle|command|execpath|node_execpath|config_(local_prefix|prefix))/i;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !inherited.test(name)));
}

/** @throws with the end of npm's output, when it fails */
export async function runNpm(
  commandArguments: string[],
  directory: string,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const child = spawn("npm", commandArguments, {
    cwd: directory,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4_000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`npm ${commandArguments.join(" ")} ended with ${code}:\n${output}`);
}

/** Takes the lock directory, and waits while another process holds it. @returns how to release it */
export async function lock(path: string, log: Log): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true });
  const deadline = Date.now() + LOCK_PATIENCE_MS;
  let hasLogged = false;
  while (!(await takeLock(path))) {
    if (Date.now() > deadline)
      throw new Error(`Another process holds ${path}; remove it if none is running.`);
    if (!hasLogged) log(`Waiting for another installation to finish (${path})`);
    hasLogged = true;
    await sleep(1_000);
  }
  return () => rm(path, { recursive: true, force: true });
}

async function takeLock(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch {
    const held = await stat(path).catch(() => null);
    if (held && Date.now() - held.mtimeMs > LOCK_LIFETIME_MS)
      await rm(path, { recursive: true, force: true });
    return false;
  }
}
