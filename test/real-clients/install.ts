/**
 * Installs the clients once, into a cache folder outside the repository whose name depends on their lock file.
 * Install scripts are not run.
 */
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import {
  cacheDirectory,
  findNode,
  type Log,
  lock,
  QUIET,
  runNpm,
  withoutNpmSettings,
} from "../support/cached-install.ts";

export interface InstalledClients {
  readonly directory: string;
  /** The project's own Node 24. */
  readonly node: string;
  readonly versionOf: (name: string) => Promise<string>;
}

const here = dirname(fileURLToPath(import.meta.url));
const MARKER = ".installed";
const manifest = z.object({ version: z.string() });

export async function installClients(log: Log): Promise<InstalledClients> {
  const lockFile = await readFile(join(here, "package-lock.json"));
  const name = `real-clients-${createHash("sha256").update(lockFile).digest("hex").slice(0, 12)}`;
  const directory = join(cacheDirectory(), name);
  const { program: node } = findNode();
  const release = await lock(`${directory}.lock`, log);
  try {
    if (!(await isThere(join(directory, MARKER)))) await install(directory, node, log);
  } finally {
    await release();
  }
  const versionOf = async (client: string): Promise<string> => {
    const path = join(directory, "node_modules", client, "package.json");
    return manifest.parse(JSON.parse(await readFile(path, "utf8"))).version;
  };
  return { directory, node, versionOf };
}

async function install(directory: string, node: string, log: Log): Promise<void> {
  log(`Installing the clients into ${directory} (about a minute, once)`);
  await mkdir(directory, { recursive: true });
  for (const name of ["package.json", "package-lock.json"])
    await copyFile(join(here, name), join(directory, name));
  const environment = {
    ...withoutNpmSettings(process.env),
    PATH: [dirname(node), process.env.PATH].join(delimiter),
  };
  // Not `npm ci`: it requires the builds of every platform, and a registry may lack one.
  await runNpm(["install", "--ignore-scripts", ...QUIET], directory, environment);
  await writeFile(join(directory, MARKER), "");
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
