/**
 * PostgreSQL and Redis for an n8n in queue mode, on loopback, each with an empty folder of its own.
 * A returned server is ready; after `stop`, neither a process nor a file of it is left. A program that this
 * machine lacks is reported with its package.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, chown, mkdtemp, readdir, rm } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { findFreePort } from "../../../scripts/dev-server/ports.ts";

export interface Server {
  port: number;
  stop: () => Promise<void>;
}

export interface Postgres extends Server {
  /** The result of a `SELECT` that returns one JSON value. */
  ask: (sql: string) => Promise<unknown>;
}

/** Below the range of ephemeral ports. */
const FIRST_PORT = 28_000;
const PORTS = 4_000;
/** The longest wait until a server answers, in milliseconds. */
const READY_MS = 30_000;

const run = promisify(execFile);

export async function startRedis(): Promise<Server> {
  const program = await findProgram("redis-server", [], "redis-server");
  const folder = await mkdtemp(join(tmpdir(), "n8n-observer-"));
  const port = await freePort();
  const stored = ["--save", "", "--appendonly", "no", "--dir", folder];
  const child = spawn(program, ["--port", String(port), "--bind", "127.0.0.1", ...stored], {
    stdio: "ignore",
  });
  const stop = stopper(child, "SIGTERM", folder);
  await whenReady("Redis", async () => await accepts(port), stop);
  return { port, stop };
}

export async function startPostgres(): Promise<Postgres> {
  const folders = await postgresFolders();
  const find = async (name: string) => await findProgram(name, folders, "postgresql");
  const programs = {
    initdb: await find("initdb"),
    postgres: await find("postgres"),
    psql: await find("psql"),
  };
  const user = notRoot();
  const folder = await mkdtemp(join(tmpdir(), "n8n-observer-"));
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  const data = join(folder, "data");
  await run(programs.initdb, ["--pgdata", data, "--auth", "trust", "--username", "postgres"], {
    ...user,
    cwd: folder,
  });
  const port = await freePort();
  const settings = ["listen_addresses=127.0.0.1", "fsync=off"].flatMap((setting) => ["-c", setting]);
  const child = spawn(programs.postgres, ["-D", data, "-p", String(port), "-k", folder, ...settings], {
    ...user,
    cwd: folder,
    stdio: "ignore",
  });
  // SIGINT closes open connections too.
  const stop = stopper(child, "SIGINT", folder);
  const ask = async (sql: string): Promise<unknown> => {
    const connection = ["--host", "127.0.0.1", "--port", String(port), "--username", "postgres"];
    const { stdout } = await run(
      programs.psql,
      [...connection, "--no-psqlrc", "--tuples-only", "--no-align", "--command", sql],
      { maxBuffer: 64_000_000 },
    );
    return JSON.parse(stdout);
  };
  const isReady = async () =>
    await ask("SELECT 1")
      .then(() => true)
      .catch(() => false);
  await whenReady("PostgreSQL", isReady, stop);
  return { port, ask, stop };
}

const freePort = async (): Promise<number> =>
  await findFreePort(FIRST_PORT + Math.floor(Math.random() * PORTS));

/** PostgreSQL refuses to run as root; Debian's package creates a user for it. */
function notRoot(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** Debian installs each version into its own folder; the newest comes first. */
async function postgresFolders(): Promise<string[]> {
  const root = "/usr/lib/postgresql";
  const versions = await readdir(root).catch((): string[] => []);
  return versions.sort((left, right) => Number(right) - Number(left)).map((each) => join(root, each, "bin"));
}

/** @throws Error with the package to install, when no folder has the program */
export async function findProgram(
  name: string,
  folders: readonly string[],
  packageName: string,
): Promise<string> {
  for (const folder of [...(process.env.PATH ?? "").split(delimiter), ...folders]) {
    const program = join(folder, name);
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (folder !== "" && isThere) return program;
  }
  throw new Error(
    `Queue mode needs ${name}, which is not on this machine. On Debian or Ubuntu: apt-get install ${packageName}`,
  );
}

const accepts = async (port: number): Promise<boolean> =>
  await new Promise((resolve) => {
    const socket = createConnection({ port, host: "127.0.0.1" });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

async function whenReady(
  name: string,
  isReady: () => Promise<boolean>,
  stop: () => Promise<void>,
): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline) {
    if (await isReady()) return;
    await sleep(100);
  }
  await stop();
  throw new Error(`${name} did not answer within ${READY_MS} ms.`);
}

function stopper(child: ChildProcess, signal: NodeJS.Signals, folder: string): () => Promise<void> {
  const killOnExit = () => void child.kill("SIGKILL");
  process.once("exit", killOnExit);
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  return async () => {
    child.kill(signal);
    await ended;
    process.off("exit", killOnExit);
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
}
