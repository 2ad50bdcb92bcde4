/**
 * Only the owner can read what a server stores on this machine: folders have mode 700 and files 600, whatever created
 * them and with whatever mode.
 */

import { chmod, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../command-line/command-error.ts";
import { inProject } from "../project.ts";
import { DATA_FOLDER_PREFIX } from "./configuration.ts";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const NOTHING_FOR_OTHERS = 0o077;

/** For every command that runs a server: restricts `.wrangler`, and whatever this process creates from now on. */
export async function keepStatePrivate(): Promise<void> {
  process.umask(NOTHING_FOR_OTHERS);
  await makePrivate(inProject(".wrangler"));
}

/**
 * Creates a data folder, or restricts what a server has left in it. The mode of a folder that existed before, and of
 * anything else in it, is its owner's choice: it may be somebody's home.
 */
export async function keepDataPrivate(directory: string): Promise<void> {
  if ((await mkdir(directory, { recursive: true })) !== undefined) await chmod(directory, DIRECTORY_MODE);
  const left = (await readdir(directory)).filter((name) => name.startsWith(DATA_FOLDER_PREFIX));
  for (const name of left) await makePrivate(join(directory, name));
}

/** Creates a folder, or restricts it with everything in it, links excepted. @throws Error for what another user owns */
export async function makePrivate(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await restrictToOwner(directory);
}

async function restrictToOwner(directory: string): Promise<void> {
  await unlessGone(directory, async () => {
    await chmod(directory, DIRECTORY_MODE);
    for (const entry of await readdir(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) await restrictToOwner(path);
      else if (entry.isFile()) await unlessGone(path, async () => await chmod(path, FILE_MODE));
    }
  });
}

/** A file may vanish meanwhile: another server removes its own. */
async function unlessGone(path: string, change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    const { code } = Object(error);
    if (code === "EPERM" || code === "EACCES")
      throw new CommandError(`${path} belongs to another user. Change its owner, or delete it.`);
    if (code !== "ENOENT") throw error;
  }
}
