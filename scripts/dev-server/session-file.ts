/**
 * The address and tokens of each server that `npm start` or `npm run dev` runs, for other commands such as `npm run ask`:
 * a file that only its owner can read, removed when the server ends.
 */
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

const FILE_NAME = "session.json";
const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_DIRECTORY = 0o700;

const session = z.object({
  /** The connector URL. */
  url: z.url(),
  /** A service token of this server. */
  token: z.string().min(1),
  /** An operator's token of this server. */
  operatorToken: z.string().min(1).optional(),
  startedAt: z.iso.datetime(),
});
export type Session = z.infer<typeof session>;

/** Writes a file that nobody else can read, in a folder that nobody else can enter. */
export async function writePrivately(directory: string, name: string, text: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  const path = join(directory, name);
  // The mode counts only for a file that is new.
  await rm(path, { force: true });
  await writeFile(path, text, { mode: OWNER_ONLY_FILE, flag: "wx" });
  await chmod(path, OWNER_ONLY_FILE);
  return path;
}

export async function writeSession(directory: string, value: Session): Promise<string> {
  return await writePrivately(directory, FILE_NAME, `${JSON.stringify(value)}\n`);
}

/** The sessions of all servers, newest first. A killed server leaves its file behind. */
export async function readSessions(parent: string): Promise<Session[]> {
  const directories = await readdir(parent).catch(() => []);
  const sessions = await Promise.all(directories.map((name) => readSession(join(parent, name, FILE_NAME))));
  return sessions
    .filter((found) => found !== undefined)
    .sort((a, b) => b.startedAt.localeCompare(a.startedAt));
}

async function readSession(path: string): Promise<Session | undefined> {
  try {
    return session.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    // Removed meanwhile, or of another version.
    return undefined;
  }
}
