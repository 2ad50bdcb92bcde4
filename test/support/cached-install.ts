/**
 * Installs npm packages for tests into a cache folder outside the repository: what is too large for the project's own
 * dependencies, or must not be among them. Promises: only one process installs at a time; nothing is written inside
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

/** For each `npm install` here. */
export const QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];

export function cacheDirectory(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "n8n-observer");
}

/** This project's own Node 24, whatever Node the machine has. */
export function findNode(): { program: string; version: string } {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("node/package.json");
  const { version } = z.object({ version: z.string() }).parse(require(manifest));
  return { program: join(dirname(manifest), "bin", "node"), version };
}

/** `npm run` hands its own settings down, and a nested npm would take them for its own. */
export function withoutNpmSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = /^npm_(package|lifecycle|command|execpath|node_execpath|config_(local_prefix|prefix))/i;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !inherited.test(name)));
}

/** @throws with the end of what npm printed, when it fails */
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

/** Takes the lock directory, waiting for whoever holds it. Answers how to give it back. */
export async function lock(path: string, log: Log): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true });
  const deadline = Date.now() + LOCK_PATIENCE_MS;
  let told = false;
  while (!(await takeLock(path))) {
    if (Date.now() > deadline)
      throw new Error(`Another process holds ${path}; remove it if none is running.`);
    if (!told) log(`Waiting for another installation to finish (${path})`);
    told = true;
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
