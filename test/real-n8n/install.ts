/**
 * Installs the real n8n for the tests once, into a cache folder outside the repository.
 * The returned installation has loaded its SQLite binding; otherwise it throws and names the failed step.
 * Only one process installs at a time. Nothing is written inside the repository.
 */
import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  cacheDirectory,
  findNode,
  type Log,
  lock,
  QUIET,
  runNpm,
  withoutNpmSettings,
} from "../support/cached-install.ts";
import type { N8nVersion } from "./versions.ts";

export type { Log } from "../support/cached-install.ts";

/** Where n8n is installed, and the Node 24 it has to be run with. */
export interface N8nInstallation {
  version: N8nVersion;
  directory: string;
  node: string;
}

const markerName = ".installed";
const manifestDirectory = join(dirname(fileURLToPath(import.meta.url)), "n8n");

export async function installN8n(version: N8nVersion, log: Log = () => {}): Promise<N8nInstallation> {
  const cache = cacheDirectory();
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

/** Trusts the marker; without one, accepts an installation that works. */
async function isInstalled(installation: N8nInstallation): Promise<boolean> {
  const marker = join(installation.directory, markerName);
  const marked = await readFile(marker, "utf8").catch(() => "");
  if (marked.trim() === installation.version) return true;
  if (!(await loads(installation))) return false;
  await writeFile(marker, `${installation.version}\n`);
  return true;
}

/** The SQLite binding is built last, so an installation that loads it is complete. */
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
  // No install script runs, as one of them downloads sources and fails. Only SQLite needs its own.
  await runNpm(["install", "--ignore-scripts", "--legacy-peer-deps", ...QUIET], directory, environment);
  log("Building n8n's SQLite binding (about a minute)");
  await runNpm(["rebuild", "sqlite3", "--ignore-scripts=false"], directory, environment);
  if (!(await loads(installation))) {
    throw new Error(`n8n ${version} is in ${directory}, but its SQLite binding does not load.`);
  }
  await writeFile(join(directory, markerName), `${version}\n`);
}

/**
 * Node's headers, which building a binding requires. They are in the package with the Node of one platform;
 * the project's own copy of it does not survive the next `npm install`, so it is installed here again.
 */
async function installHeaders(cache: string): Promise<string> {
  const { version } = findNode();
  const platform = `${process.platform}-${process.arch}`;
  const name = `${platform === "darwin-arm64" ? "node-bin" : "node"}-${platform}`;
  const directory = join(cache, `node-${version}`);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "package.json"), `${JSON.stringify({ private: true })}\n`);
  await runNpm(
    ["install", "--ignore-scripts", ...QUIET, `${name}@${version}`],
    directory,
    withoutNpmSettings(process.env),
  );
  return join(directory, "node_modules", name);
}
