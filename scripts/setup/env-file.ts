/**
 * Reads and writes files with secrets. Promises: a write is atomic, so that an interruption leaves the old file or the
 * new one; only the owner can read it.
 */

import { chmod, open, readFile, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { CommandError } from "../command-line/command-error.ts";

const OWNER_ONLY = 0o600;

/** Empty if there is no file. @throws CommandError if the file exists but cannot be read */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw new CommandError(`${path} cannot be read (${codeOf(error)}). See whose file it is.`);
  }
}

/** The settings in the file, by name; empty if there is no such file. */
export async function readSettings(path: string): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(
    Object.entries(parseEnv(await readText(path))).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** @throws CommandError if it cannot be written; the old file is then unchanged */
export async function writeWhole(path: string, text: string): Promise<void> {
  // If it is a link, its target is replaced, not the link.
  const target = await realpath(path).catch(() => path);
  // git ignores files of this name.
  const temporary = join(dirname(target), `${basename(target)}.${process.pid}.new`);
  try {
    await rm(temporary, { force: true });
    const file = await open(temporary, "wx", OWNER_ONLY);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(temporary, OWNER_ONLY);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new CommandError(
      `${path} cannot be written (${codeOf(error)}). See that the folder is yours and that the disk has room.`,
    );
  }
}

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
