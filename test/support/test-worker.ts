/** The Worker in `wrangler dev` with settings for tests, in front of whichever n8n. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchWorker, quoteOutput } from "../../scripts/dev-server/launch-worker.ts";
import { findFreePort } from "../../scripts/dev-server/ports.ts";
import { writePrivately } from "../../scripts/dev-server/session-file.ts";
import { waitUntilAnswers } from "../../scripts/dev-server/wait-until-answers.ts";
import { toEnvFile } from "../../scripts/start/worker-settings.ts";

export const PASSPHRASE = "correct horse battery staple of the tests";
export const OPERATOR_TOKEN = "operator-token-of-the-tests-0123456789abcdef";
export const SERVICE_TOKEN = "service-token-of-the-tests-0123456789";

export interface TestWorker {
  readonly origin: string;
  readonly mcpUrl: string;
  /** What the Worker and wrangler printed last. */
  output(): string;
  stop(): Promise<void>;
}

/** Below the range from which systems take ports for outgoing connections. */
const FIRST_PORT = 20_000;
const PORTS = 8_000;
const READY_TIMEOUT_MS = 60_000;

/** What the index asks by itself would meet the faults that a test has made for others. */
const UNATTENDED = { INDEX_INTERVAL: "off" };

/** Where a Worker runs and keeps its storage: one that is started there again finds what the last one left. */
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
  readonly settings?: Readonly<Record<string, string>>;
  /** A place of the caller's, who removes it. Without one it has its own. */
  readonly place?: TestPlace;
  /** Another wrangler configuration than the project's own, as TOML. */
  readonly configuration?: string;
}

/** @param furtherTokens name → token, for users besides the one of `SERVICE_TOKEN` */
export async function startTestWorker(
  n8n: { readonly baseUrl: string; readonly apiKey: string },
  furtherTokens: Readonly<Record<string, string>> = {},
  { settings = {}, place, configuration }: TestWorkerOptions = {},
): Promise<TestWorker> {
  const { directory, port } = place ?? (await findTestPlace());
  const secrets = {
    passphrase: PASSPHRASE,
    serviceToken: SERVICE_TOKEN,
    operatorToken: OPERATOR_TOKEN,
    furtherTokens,
  };
  const envFile = toEnvFile({
    baseUrl: n8n.baseUrl,
    apiKey: n8n.apiKey,
    ...secrets,
    settings: { ...UNATTENDED, ...settings },
  });
  const config =
    configuration === undefined
      ? {}
      : { config: await writePrivately(directory, "wrangler.toml", configuration) };
  const { wrangler } = await launchWorker({ directory, port, envFile, logLevel: "log", ...config });
  const stop = async (): Promise<void> => {
    await wrangler.stop();
    if (place === undefined) await removeTestPlace({ directory, port });
  };
  const origin = `http://localhost:${port}`;
  const options = { timeoutMs: READY_TIMEOUT_MS, isOver: wrangler.hasEnded };
  if (!(await waitUntilAnswers(origin, options))) {
    await stop();
    throw new Error(`The Worker did not start. ${quoteOutput(wrangler)}`);
  }
  return { origin, mcpUrl: `${origin}/mcp`, output: wrangler.output, stop };
}
