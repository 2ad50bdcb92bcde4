/**
 * `npm start`: the Worker in front of a recorded n8n, with nothing to set up.
 * Promises: secrets are in files that only their owner can read, never in the process list, and are removed
 * at the end; the person's own .dev.vars is not read; when it ends, everything that it started has ended.
 */
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { type RecordedN8n, startRecordedN8n } from "../test/recorded-n8n/server.ts";
import type { BackgroundWrangler } from "./dev-server/background-wrangler.ts";
import { launchWorker, quoteOutput } from "./dev-server/launch-worker.ts";
import { onParentGone } from "./dev-server/parent-process.ts";
import { choosePort } from "./dev-server/ports.ts";
import { writeSession } from "./dev-server/session-file.ts";
import { waitUntilAnswers } from "./dev-server/wait-until-answers.ts";
import { announce } from "./start/announcement.ts";
import { readStartOptions, START_USAGE } from "./start/options.ts";
import { createPassphrase } from "./start/passphrase.ts";
import { directoryOfPort } from "./start/places.ts";
import { toEnvFile } from "./start/worker-settings.ts";

const READY_TIMEOUT_MS = 60_000;

/** What has to be undone, the last first. */
const undo: (() => Promise<unknown>)[] = [];
let stopping: Promise<void> | undefined;

async function undoAll(): Promise<void> {
  for (const step of undo.reverse()) await step().catch((error: unknown) => console.error(error));
}

function stop(exitCode: number): Promise<void> {
  stopping ??= undoAll().then(() => process.exit(exitCode));
  return stopping;
}

interface Secrets {
  readonly passphrase: string;
  readonly serviceToken: string;
  readonly operatorToken: string;
}

async function startWorker(n8n: RecordedN8n, port: number, secrets: Secrets): Promise<BackgroundWrangler> {
  const settings = { baseUrl: n8n.baseUrl, apiKey: n8n.apiKey, ...secrets };
  const { wrangler, removeSettings } = await launchWorker({
    directory: directoryOfPort(port),
    port,
    envFile: toEnvFile(settings),
    logLevel: "error",
  });
  undo.push(removeSettings, wrangler.stop);
  // A signal that came while the settings were written has undone nothing of this yet.
  if (stopping !== undefined) {
    await wrangler.stop();
    await removeSettings();
  }
  return wrangler;
}

async function start(wantedPort: number | undefined): Promise<void> {
  const begun = Date.now();
  const port = await choosePort(wantedPort, "npm start");
  const n8n = await startRecordedN8n();
  undo.push(n8n.close);
  const createToken = () => randomBytes(32).toString("base64url");
  const secrets = {
    passphrase: createPassphrase(),
    serviceToken: createToken(),
    operatorToken: createToken(),
  };
  const wrangler = await startWorker(n8n, port, secrets);
  const origin = `http://localhost:${port}`;
  const isReady = await waitUntilAnswers(origin, {
    timeoutMs: READY_TIMEOUT_MS,
    isOver: () => wrangler.hasEnded() || stopping !== undefined,
  });
  if (stopping !== undefined) return;
  if (!isReady) {
    throw new Error(`The server did not start. ${quoteOutput(wrangler)}`);
  }
  const connectorUrl = `${origin}/mcp`;
  const session = await writeSession(directoryOfPort(port), {
    url: connectorUrl,
    token: secrets.serviceToken,
    operatorToken: secrets.operatorToken,
    startedAt: new Date().toISOString(),
  });
  undo.push(() => rm(session, { force: true }));
  const readyAfterMs = Date.now() - begun;
  console.log(
    announce({ connectorUrl, passphrase: secrets.passphrase, scenarios: n8n.scenarios, readyAfterMs }),
  );
  wrangler.showOutput((text) => process.stderr.write(text));
  await wrangler.ended;
  if (stopping === undefined) throw new Error(`The server has ended. ${quoteOutput(wrangler)}`);
}

async function main(): Promise<void> {
  const options = readStartOptions(process.argv.slice(2));
  if (options.kind === "help") return console.log(START_USAGE);
  if (options.kind === "wrong") {
    console.error(`${options.problem}\n\n${START_USAGE}`);
    process.exitCode = 2;
    return;
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop(0));
  onParentGone(() => void stop(0));
  try {
    await start(options.port);
  } catch (error) {
    if (stopping === undefined) console.error(error instanceof Error ? error.message : error);
    await stop(1);
  }
}

await main();
