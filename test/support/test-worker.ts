/** The Worker in workerd alone, as our commands run it, with settings for tests, in front of any n8n. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../scripts/dev-server/ports.ts";
import { waitUntilAnswers } from "../../scripts/dev-server/wait-until-answers.ts";
import { build, buildUnlessFresh } from "../../scripts/serve/build.ts";
import type { Settings } from "../../scripts/serve/settings.ts";
import { startWorkerd } from "../../scripts/serve/workerd-process.ts";
import { toWorkerSettings } from "../../scripts/start/worker-settings.ts";

export const PASSPHRASE = "correct horse battery staple of the tests";
export const OPERATOR_TOKEN = "operator-token-of-the-tests-0123456789abcdef";
export const SERVICE_TOKEN = "service-token-of-the-tests-0123456789";

export interface TestWorker {
  readonly origin: string;
  readonly mcpUrl: string;
  readonly processId: number;
  /** The latest output of the Worker and workerd. */
  output(): string;
  stop(): Promise<void>;
}

/** Below the range of ephemeral ports. */
const FIRST_PORT = 20_000;
const PORTS = 8_000;
const READY_TIMEOUT_MS = 60_000;

/** The index makes no requests by itself, which would use up faults meant for others. */
const UNATTENDED = { INDEX_INTERVAL: "off" };

/** The port and storage of a Worker: one that is started there again finds its predecessor's data. */
export interface TestPlace {
  readonly directory: string;
  readonly port: number;
}

export async function findTestPlace(): Promise<TestPlace> {
  const directory = await mkdtemp(join(tmpdir(), "n8n-observer-"));
  return { directory, port: await findFreePort(FIRST_PORT + Math.floor(Math.random() * PORTS)) };
}

export async function removeTestPlace({ directory }: TestPlace): Promise<void> {
  await rm(directory, { recursive: true, force: true });
}

export interface TestWorkerOptions {
  /** Further settings, by name. */
  readonly settings?: Settings;
  /** A place that the caller removes. By default the Worker has its own. */
  readonly place?: TestPlace;
  /** Modules that replace some of the Worker's, keyed by their specifiers. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Opens a debugger, for a profiler. */
  readonly debuggerPort?: number;
}

/** @param furtherTokens name → token, for users besides the one of `SERVICE_TOKEN` */
export function toTestSettings(
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
  furtherTokens: Readonly<Record<string, string>> = {},
  settings: Settings = {},
): Settings {
  return toWorkerSettings({
    baseUrl,
    apiKey,
    passphrase: PASSPHRASE,
    serviceToken: SERVICE_TOKEN,
    operatorToken: OPERATOR_TOKEN,
    furtherTokens,
    settings: { ...UNATTENDED, ...settings },
  });
}

/** @param furtherTokens name → token, for users besides the one of `SERVICE_TOKEN` */
export async function startTestWorker(
  n8n: { readonly baseUrl: string; readonly apiKey: string },
  furtherTokens: Readonly<Record<string, string>> = {},
  { settings = {}, place, aliases, debuggerPort }: TestWorkerOptions = {},
): Promise<TestWorker> {
  const { directory, port } = place ?? (await findTestPlace());
  const workerd = await startWorkerd({
    configuration:
      aliases === undefined ? await buildUnlessFresh() : await build(join(directory, "bundle"), aliases),
    host: "127.0.0.1",
    port,
    data: join(directory, "data"),
    settings: toTestSettings(n8n, furtherTokens, settings),
    prints: "nothing",
    debuggerPort,
  });
  const stop = async (): Promise<void> => {
    await workerd.stop();
    if (place === undefined) await removeTestPlace({ directory, port });
  };
  const origin = `http://localhost:${port}`;
  const options = { timeoutMs: READY_TIMEOUT_MS, isOver: workerd.hasEnded };
  if (!(await waitUntilAnswers(origin, options))) {
    await stop();
    throw new Error(`The Worker did not start. workerd says:\n\n${workerd.output()}`);
  }
  return { origin, mcpUrl: `${origin}/mcp`, processId: workerd.processId, output: workerd.output, stop };
}
