/**
 * Only the owner can read what a server stores on this machine: folders get mode 700 and files 600, whatever created
 * them.
 */

import { chmod, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../command-line/command-error.ts";
import { inProject } from "../project.ts";
import { DATA_FOLDER_PREFIX } from "./configuration.ts";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const OWNER_ONLY_UMASK = 0o077;

/** For every command that runs a server: restricts `.wrangler`, and whatever this process creates from now on. */
export async function keepStatePrivate(): Promise<void> {
  process.umask(OWNER_ONLY_UMASK);
  await makePrivate(inProject(".wrangler"));
}

/**
 * Creates a data folder, or restricts what an earlier server left in it. The mode of an existing folder and of its other
 * contents stays as it is: it may be somebody's home.
 */
export async function keepDataPrivate(directory: string): Promise<void> {
  if ((await mkdir(directory, { recursive: true })) !== undefined) await chmod(directory, DIRECTORY_MODE);
  const left = (await readdir(directory)).filter((name) => name.startsWith(DATA_FOLDER_PREFIX));
  for (const name of left) await makePrivate(join(directory, name));
}

/** Creates a folder, or restricts it and all but links in it. @throws CommandError for a file of another user */
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

/** Ignores a file that has vanished: another server removes its own files. */
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
