/**
 * Makes what workerd runs: the Worker as one file, bundled by wrangler as for Cloudflare, and workerd's configuration
 * beside it. Works offline, and needs nothing of Cloudflare's.
 */
import { execFile } from "node:child_process";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { wranglerEnvironment } from "../dev-server/wrangler.ts";
import { inProject, projectDirectory } from "../project.ts";
import { toCapnp } from "./configuration.ts";
import { readWranglerConfig, toWorkerConfiguration } from "./read-configuration.ts";

const MODULE = "worker.js";
const CONFIGURATION = "observer.capnp";
const ENTRY = join("scripts", "serve", "platform", "entry.ts");
/** As wrangler names it, after the entry. */
const BUNDLED_ENTRY = "entry.js";

/** @returns path of workerd's configuration. @throws Error with wrangler's own words when it cannot be bundled */
export async function build(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const staging = join(directory, "bundle");
  await bundle(staging);
  await rename(join(staging, BUNDLED_ENTRY), join(directory, MODULE));
  await rm(staging, { recursive: true, force: true });
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
