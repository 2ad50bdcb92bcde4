/**
 * Makes what workerd runs: the Worker as one file, bundled by wrangler as for Cloudflare, and workerd's configuration
 * beside it. Works offline, and needs nothing of Cloudflare's.
 */
import { execFile } from "node:child_process";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { wranglerEnvironment } from "../dev-server/wrangler.ts";
import { inProject, projectDirectory } from "../project.ts";
import { toCapnp } from "./configuration.ts";

const MODULE = "worker.js";
const CONFIGURATION = "observer.capnp";
const ENTRY = join("scripts", "serve", "platform", "entry.ts");
/** Whatever it is made of. */
const SOURCES = ["src", join("scripts", "serve"), "wrangler.toml", "package-lock.json"];
/** As wrangler names it, after the entry. */
const BUNDLED_ENTRY = "entry.js";

/** The same, unless it was made since the last change of what it is made of. */
export async function buildUnlessFresh(directory: string): Promise<string> {
  const path = join(directory, CONFIGURATION);
  const builtAt = await changedAt(path).catch(() => 0);
  return builtAt > (await newestChange()) ? path : await build(directory);
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

/** @returns path of workerd's configuration. @throws Error with wrangler's own words when it cannot be bundled */
export async function build(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const staging = join(directory, "bundle");
  await bundle(staging);
  await rename(join(staging, BUNDLED_ENTRY), join(directory, MODULE));
  await rm(staging, { recursive: true, force: true });
  // wrangler takes a second to load, which a start that builds nothing need not wait for.
  const { readWranglerConfig, toWorkerConfiguration } = await import("./read-configuration.ts");
  const configuration = toWorkerConfiguration(readWranglerConfig());
  const path = join(directory, CONFIGURATION);
  await writeFile(path, toCapnp(configuration, MODULE));
  return path;
}

async function bundle(directory: string): Promise<void> {
  const wrangler = inProject("node_modules", "wrangler", "bin", "wrangler.js");
  const args = [wrangler, "deploy", ENTRY, "--dry-run", "--outdir", directory];
  try {
    await promisify(execFile)(process.execPath, args, { cwd: projectDirectory, env: wranglerEnvironment() });
  } catch (error) {
    const { stderr = "" } = Object(error);
    throw new Error(`The Worker could not be bundled. wrangler says:\n\n${String(stderr).trim()}`);
  }
}
