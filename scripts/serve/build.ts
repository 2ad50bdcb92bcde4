/**
 * Builds what workerd runs: the Worker as one file, bundled by wrangler as for Cloudflare, and workerd's configuration
 * next to it. Works offline, and needs no Cloudflare service.
 */

import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../command-line/command-error.ts";
import { runProcess } from "../command-line/run-process.ts";
import { WRANGLER, wranglerEnvironment } from "../dev-server/wrangler.ts";
import { inProject, projectDirectory } from "../project.ts";
import { toCapnp } from "./configuration.ts";

const MODULE = "worker.js";
const CONFIGURATION = "observer.capnp";
const ENTRY = join("scripts", "serve", "platform", "entry.ts");
/** The build's sources, relative to the project. */
export const SOURCES = ["src", join("scripts", "serve"), "wrangler.toml", "package-lock.json"];
/** Shared by all commands, also while they run at the same time. */
const DIRECTORY = inProject(".wrangler", "serve");
/** Named by wrangler after the entry. */
const BUNDLED_ENTRY = "entry.js";

/** The build that local commands run; rebuilt only if a source has changed. @throws Error as `build` */
export async function buildUnlessFresh(): Promise<string> {
  const path = join(DIRECTORY, CONFIGURATION);
  const builtAt = await changedAt(path).catch(() => 0);
  return builtAt > (await newestChange()) ? path : await build(DIRECTORY);
}

async function newestChange(): Promise<number> {
  const times = await Promise.all(SOURCES.map(async (name) => await newestIn(inProject(name))));
  return Math.max(...times);
}

async function newestIn(path: string): Promise<number> {
  if (!(await stat(path)).isDirectory()) return await changedAt(path);
  const entries = await readdir(path, { recursive: true });
  const times = await Promise.all(entries.map(async (name) => await changedAt(join(path, name))));
  return Math.max(await changedAt(path), ...times);
}

/** Milliseconds since 1970. */
async function changedAt(path: string): Promise<number> {
  return (await stat(path)).mtimeMs;
}

/**
 * Replaces each of the two files atomically, so that a running server never reads a half-written one.
 * @param aliases import specifier → path of the module to use in its place
 * @returns path of workerd's configuration
 * @throws Error with wrangler's own message if bundling fails
 */
export async function build(
  directory: string,
  aliases: Readonly<Record<string, string>> = {},
): Promise<string> {
  await mkdir(directory, { recursive: true });
  const staging = await mkdtemp(join(directory, "new-"));
  try {
    const startedAt = new Date();
    await bundle(staging, aliases);
    await rename(join(staging, BUNDLED_ENTRY), join(directory, MODULE));
    // wrangler takes a second to load, so it is loaded only for a build.
    const { readWranglerConfig } = await import("./read-configuration.ts");
    await writeFile(join(staging, CONFIGURATION), toCapnp(readWranglerConfig(), MODULE));
    // A source that changed after this moment may not be in the bundle.
    await utimes(join(staging, CONFIGURATION), startedAt, startedAt);
    await rename(join(staging, CONFIGURATION), join(directory, CONFIGURATION));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return join(directory, CONFIGURATION);
}

async function bundle(directory: string, aliases: Readonly<Record<string, string>>): Promise<void> {
  const given = Object.entries(aliases).flatMap(([name, path]) => ["--alias", `${name}:${path}`]);
  const args = [WRANGLER, "deploy", ENTRY, "--dry-run", "--outdir", directory, ...given];
  const options = { cwd: projectDirectory, env: wranglerEnvironment() };
  const { succeeded, output } = await runProcess(process.execPath, args, options);
  if (!succeeded)
    throw new CommandError(`The Worker could not be bundled. wrangler says:\n\n${output.trim()}`);
}
