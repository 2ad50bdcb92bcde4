/**
 * Installs the real n8n that the tests run against, once, into a cache folder outside the repository.
 * Promises: what it returns has been seen to load its SQLite binding, or it throws and says which step failed.
 * Only one process installs at a time. Nothing is written inside the repository.
 */
import { execFile, spawn } from "node:child_process";
import { copyFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { N8nVersion } from "./versions.ts";

/** Where n8n is installed, and the Node 24 it has to be run with. */
export interface N8nInstallation {
  version: N8nVersion;
  directory: string;
  node: string;
}

/** Receives one line of progress at a time. */
export type Log = (line: string) => void;

/** The longest wait for another process that is installing, in milliseconds. */
const lockPatience = 15 * 60_000;
/** A lock older than this, in milliseconds, was left behind by a process that ended early. */
const lockLifetime = 30 * 60_000;
const markerName = ".installed";
const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
const manifestDirectory = join(dirname(fileURLToPath(import.meta.url)), "n8n");

export async function installN8n(version: N8nVersion, log: Log = () => {}): Promise<N8nInstallation> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "n8n-observer");
  const directory = join(cache, `n8n-${version}`);
  const installation = { version, directory, node: findNode().program };
  if (await isInstalled(installation)) return installation;

  const release = await lock(`${directory}.lock`, log);
  try {
    if (!(await isInstalled(installation))) await install(installation, cache, log);
  } finally {
    await release();
  }
  return installation;
}

/** This project's own Node 24, whatever Node the machine has. */
function findNode(): { program: string; version: string } {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("node/package.json");
  const { version } = z.object({ version: z.string() }).parse(require(manifest));
  return { program: join(dirname(manifest), "bin", "node"), version };
}

/** Trusts the marker; without one, accepts an installation that proves itself. */
async function isInstalled(installation: N8nInstallation): Promise<boolean> {
  const marker = join(installation.directory, markerName);
  const marked = await readFile(marker, "utf8").catch(() => "");
  if (marked.trim() === installation.version) return true;
  if (!(await loads(installation))) return false;
  await writeFile(marker, `${installation.version}\n`);
  return true;
}

/** The SQLite binding is built last, so that an installation which loads it is complete. */
async function loads({ version, directory, node }: N8nInstallation): Promise<boolean> {
  const program = `require("sqlite3"); console.log(require("n8n/package.json").version)`;
  return new Promise((resolve) => {
    execFile(node, ["-e", program], { cwd: directory }, (error, stdout) => {
      resolve(!error && stdout.trim() === version);
    });
  });
}

async function install(installation: N8nInstallation, cache: string, log: Log): Promise<void> {
  const { version, directory, node } = installation;
  log(`Installing n8n ${version} into ${directory} (about 2 GB, a few minutes, once)`);
  await mkdir(directory, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) {
    await copyFile(join(manifestDirectory, version, name), join(directory, name));
  }
  const environment = {
    ...withoutNpmSettings(process.env),
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    npm_config_nodedir: await installHeaders(cache),
  };
  // Every install script stays off: one of them downloads sources and fails. Only SQLite needs its own.
  await runNpm(["install", "--ignore-scripts", "--legacy-peer-deps", ...quiet], directory, environment);
  log("Building n8n's SQLite binding (about a minute)");
  await runNpm(["rebuild", "sqlite3", "--ignore-scripts=false"], directory, environment);
  if (!(await loads(installation))) {
    throw new Error(`n8n ${version} is in ${directory}, but its SQLite binding does not load.`);
  }
  await writeFile(join(directory, markerName), `${version}\n`);
}

/**
 * Node's headers, which building a binding needs. They are in the package that holds the Node of one platform;
 * the project's own copy of it does not outlive the next `npm install`, so that it is installed here once more.
 */
async function installHeaders(cache: string): Promise<string> {
  const { version } = findNode();
  const platform = `${process.platform}-${process.arch}`;
  const name = `${platform === "darwin-arm64" ? "node-bin" : "node"}-${platform}`;
  const directory = join(cache, `node-${version}`);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "package.json"), `${JSON.stringify({ private: true })}\n`);
  await runNpm(
    ["install", "--ignore-scripts", ...quiet, `${name}@${version}`],
    directory,
    withoutNpmSettings(process.env),
  );
  return join(directory, "node_modules", name);
}

/** `npm run` hands its own settings down, and a nested npm would take them for its own. */
function withoutNpmSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = /^npm_(package|lifecycle|command|execpath|node_execpath|config_(local_prefix|prefix))/i;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !inherited.test(name)));
}

async function runNpm(
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
async function lock(path: string, log: Log): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true });
  const deadline = Date.now() + lockPatience;
  let told = false;
  while (!(await takeLock(path))) {
    if (Date.now() > deadline)
      throw new Error(`Another process holds ${path}; remove it if none is running.`);
    if (!told) log(`Waiting for another installation of n8n to finish (${path})`);
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
    if (held && Date.now() - held.mtimeMs > lockLifetime) await rm(path, { recursive: true, force: true });
    return false;
  }
}
