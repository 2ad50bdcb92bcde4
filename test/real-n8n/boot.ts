/**
 * Boots a real n8n on loopback with an empty database of its own, and stops it again.
 * When `bootN8n` returns, the public API and the webhooks answer and both keys work; after `stop`,
 * neither a process nor a file of it is left. When the boot fails, the error shows the end of n8n's log.
 * `bootRole` starts another process of an n8n whose database is elsewhere, such as a worker, in the same way.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { abilitiesOf } from "./abilities.ts";
import { executionsInDatabase } from "./execution-source.ts";
import type { Log, N8nInstallation } from "./install.ts";
import { createTestKeys, setUpOwner } from "./owner.ts";
import { NO_PREFIXES, type TestedN8n } from "./tested-n8n.ts";

/** An n8n that the lane runs. */
export interface RunningN8n extends TestedN8n {
  installation: N8nInstallation;
  /** n8n's SQLite file, which tests only read. */
  databasePath: string;
  /** The process id of n8n itself; its task runner is in the same process group. */
  processId: number;
  /** Kills it as a lack of memory would, and boots it again with the same data. */
  crash: () => Promise<void>;
  stop: () => Promise<void>;
}

export const OWNER = { email: "owner@example.com", password: "Only-for-tests-1" };

/** The longest wait for n8n to be ready, in milliseconds. A slow machine needs about 30 s. */
const bootPatience = 120_000;
/** The time n8n has to end before it is killed, in milliseconds. Its files are deleted anyway. */
const stopPatience = 3_000;

export interface BootOptions {
  log?: Log;
  /** Further environment variables of n8n, which override the usual ones. */
  environment?: Record<string, string>;
}

export async function bootN8n(
  installation: N8nInstallation,
  { log = () => {}, environment = {} }: BootOptions = {},
): Promise<RunningN8n> {
  const folder = await mkdtemp(join(tmpdir(), "n8n-observer-"));
  const [port, brokerPort] = await findFreePorts();
  const baseUrl = `http://127.0.0.1:${port}`;
  const start = () =>
    spawnN8n(installation, ["start"], {
      ...environmentFor(installation, folder, port, brokerPort),
      ...environment,
    });
  let server = start();
  const crash = async () => {
    await server.kill();
    server = start();
    await waitUntilReady(baseUrl, server);
  };
  const stop = async () => {
    await server.end();
    await removeFolder(folder);
  };
  try {
    const started = Date.now();
    await waitUntilReady(baseUrl, server);
    const session = await setUpOwner(baseUrl, OWNER);
    const keys = await createTestKeys(session);
    log(`n8n ${installation.version} is ready at ${baseUrl} after ${Date.now() - started} ms`);
    const databasePath = join(folder, ".n8n", "database.sqlite");
    return {
      installation,
      baseUrl,
      ...keys,
      ownerCookie: session.cookie,
      abilities: abilitiesOf(installation.version),
      prefixes: NO_PREFIXES,
      executions: executionsInDatabase({ databasePath, installation }),
      databasePath,
      processId: server.processId,
      crash,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** An n8n process besides the main one. */
export interface N8nRole {
  /** The base URL of its webhooks, if it serves any. */
  baseUrl: string;
  /** Kills it as a lack of memory would. */
  kill: () => Promise<void>;
  stop: () => Promise<void>;
}

/** @param command n8n's command with its options, such as `worker` or `webhook` */
export async function bootRole(
  installation: N8nInstallation,
  command: readonly string[],
  environment: Record<string, string>,
): Promise<N8nRole> {
  const folder = await mkdtemp(join(tmpdir(), "n8n-observer-"));
  const [port, brokerPort] = await findFreePorts();
  const baseUrl = `http://127.0.0.1:${port}`;
  const server = spawnN8n(installation, command, {
    ...environmentFor(installation, folder, port, brokerPort),
    // A worker serves only health requests, and those only if enabled.
    QUEUE_HEALTH_CHECK_ACTIVE: "true",
    QUEUE_HEALTH_CHECK_PORT: String(port),
    ...environment,
  });
  const stop = async () => {
    await server.end();
    await removeFolder(folder);
  };
  try {
    await waitUntilReady(baseUrl, server, ["/healthz/readiness"]);
    return { baseUrl, kill: server.kill, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const removeFolder = async (folder: string): Promise<void> =>
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });

function environmentFor(
  installation: N8nInstallation,
  folder: string,
  port: number,
  brokerPort: number,
): NodeJS.ProcessEnv {
  return {
    PATH: [dirname(installation.node), process.env.PATH].join(delimiter),
    HOME: folder,
    // n8n loads thousands of modules: with a compile cache it boots in half the time.
    NODE_COMPILE_CACHE: join(installation.directory, ".compile-cache"),
    TMPDIR: folder,
    TZ: "UTC",
    GENERIC_TIMEZONE: "UTC",
    N8N_USER_FOLDER: folder,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: "127.0.0.1",
    // Code nodes run in a task runner, which connects to n8n on a port of its own. It is the default since n8n 2.
    N8N_RUNNERS_ENABLED: "true",
    N8N_RUNNERS_BROKER_PORT: String(brokerPort),
    N8N_ENCRYPTION_KEY: "only-for-tests",
    N8N_DIAGNOSTICS_ENABLED: "false",
    N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
    N8N_TEMPLATES_ENABLED: "false",
    N8N_PERSONALIZATION_ENABLED: "false",
    N8N_SECURE_COOKIE: "false",
    N8N_LOG_LEVEL: "warn",
    EXECUTIONS_DATA_PRUNE: "false",
    // Seconds that n8n waits for running executions when it stops.
    N8N_GRACEFUL_SHUTDOWN_TIMEOUT: "1",
    WEBHOOK_URL: `http://127.0.0.1:${port}`,
  };
}

/** n8n as a process group of its own, with the end of its output. */
interface N8nProcess {
  processId: number;
  hasEnded: () => boolean;
  printed: () => string;
  end: () => Promise<void>;
  /** Kills it at once. */
  kill: () => Promise<void>;
}

function spawnN8n(
  installation: N8nInstallation,
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
): N8nProcess {
  const program = join(installation.directory, "node_modules", "n8n", "bin", "n8n");
  const child = spawn(installation.node, [program, ...command], {
    cwd: environment.N8N_USER_FOLDER,
    env: environment,
    // A group of its own, so that the task runner ends together with n8n.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  const keep = (chunk: Buffer) => {
    printed = (printed + chunk.toString()).slice(-8_000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  child.on("error", (error) => keep(Buffer.from(String(error))));
  const processId = child.pid;
  if (processId === undefined) throw new Error(`n8n could not be started with ${installation.node}.`);

  const killOnExit = () => signalGroup(processId, "SIGKILL");
  process.once("exit", killOnExit);
  return {
    processId,
    hasEnded: () => hasEnded(child),
    printed: () => printed,
    end: async () => {
      await endGroup(child, processId);
      process.off("exit", killOnExit);
    },
    kill: async () => {
      await killGroup(child, processId);
      process.off("exit", killOnExit);
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function endGroup(child: ChildProcess, processId: number): Promise<void> {
  if (!hasEnded(child)) {
    child.kill("SIGTERM");
    const deadline = Date.now() + stopPatience;
    while (!hasEnded(child) && Date.now() < deadline) await sleep(50);
  }
  await killGroup(child, processId);
}

async function killGroup(child: ChildProcess, processId: number): Promise<void> {
  signalGroup(processId, "SIGKILL");
  while (!hasEnded(child)) await sleep(20);
}

function signalGroup(processId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-processId, signal);
  } catch {
    // The process group has already ended.
  }
}

/** Waits for the editor's routes too, which come after readiness and are needed for the owner's set-up. */
const PATHS_OF_MAIN = ["/healthz/readiness", "/rest/settings"];

async function waitUntilReady(
  baseUrl: string,
  server: N8nProcess,
  paths: readonly string[] = PATHS_OF_MAIN,
): Promise<void> {
  const deadline = Date.now() + bootPatience;
  while (Date.now() < deadline) {
    if (server.hasEnded()) throw new Error(`n8n ended before it was ready. It printed:\n${server.printed()}`);
    if (await isReady(baseUrl, paths)) return;
    await sleep(200);
  }
  throw new Error(`n8n was not ready within ${bootPatience} ms. It printed:\n${server.printed()}`);
}

async function isReady(baseUrl: string, paths: readonly string[]): Promise<boolean> {
  const answers = await Promise.all(
    paths.map((path) =>
      fetch(baseUrl + path, { signal: AbortSignal.timeout(2_000) })
        .then(async (response) => response.ok && (await response.text()).startsWith("{"))
        .catch(() => false),
    ),
  );
  return answers.every(Boolean);
}

/** Two different free ports. */
async function findFreePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()];
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("No loopback port is free.");
    ports.push(address.port);
  }
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  const [first, second] = ports;
  if (first === undefined || second === undefined) throw new Error("No loopback port is free.");
  return [first, second];
}
