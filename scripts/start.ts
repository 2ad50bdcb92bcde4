/**
 * `npm start`: runs the Worker in front of a recorded n8n, with nothing to set up.
 * Promises: secrets are only in the Worker's environment and in a file that only its owner can read, which is removed at
 * the end; never in the process list. .dev.vars is not read. When it ends, every process that it started has ended.
 */

import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { startRecordedN8n } from "../test/recorded-n8n/server.ts";
import { runCommand } from "./command-line/command.ts";
import { CommandError } from "./command-line/command-error.ts";
import { type RunOptions, readRunOptions } from "./dev-server/options.ts";
import { choosePort } from "./dev-server/ports.ts";
import { writeSession } from "./dev-server/session-file.ts";
import { onStopRequest } from "./dev-server/stop-request.ts";
import { waitUntilAnswers } from "./dev-server/wait-until-answers.ts";
import { buildUnlessFresh } from "./serve/build.ts";
import { keepStatePrivate } from "./serve/private-files.ts";
import { startWorkerd } from "./serve/workerd-process.ts";
import { announce } from "./start/announcement.ts";
import { createPassphrase } from "./start/passphrase.ts";
import { directoryOfPort } from "./start/places.ts";
import { toWorkerSettings } from "./start/worker-settings.ts";

const START_USAGE = `Starts n8n-observer with a recorded n8n behind it. Nothing needs to be set up.

  npm start                    on port 8787, or the next one that is free
  npm start -- --port 9000     on this port`;

const READY_TIMEOUT_MS = 60_000;

/** Clean-up steps, run last to first. */
const undo: (() => Promise<unknown>)[] = [];
let stopping: Promise<void> | undefined;

async function undoAll(): Promise<void> {
  for (const step of undo.reverse()) await step().catch((error: unknown) => console.error(error));
}

function stop(exitCode: number): Promise<void> {
  stopping ??= undoAll().then(() => process.exit(exitCode));
  return stopping;
}

async function start(wantedPort: number | undefined): Promise<void> {
  const begun = Date.now();
  const port = await choosePort(wantedPort, "npm start");
  await keepStatePrivate();
  const configuration = await buildUnlessFresh();
  const n8n = await startRecordedN8n();
  undo.push(n8n.close);
  const createToken = () => randomBytes(32).toString("base64url");
  const secrets = {
    passphrase: createPassphrase(),
    serviceToken: createToken(),
    operatorToken: createToken(),
  };
  const directory = directoryOfPort(port);
  const workerd = await startWorkerd({
    configuration,
    host: "127.0.0.1",
    port,
    data: join(directory, "data"),
    settings: toWorkerSettings({ baseUrl: n8n.baseUrl, apiKey: n8n.apiKey, ...secrets }),
    prints: "errors",
  });
  undo.push(workerd.stop);
  // A signal that arrived before the line above has not stopped workerd.
  if (stopping !== undefined) return await workerd.stop();
  const origin = `http://localhost:${port}`;
  const isReady = await waitUntilAnswers(origin, {
    timeoutMs: READY_TIMEOUT_MS,
    isOver: () => workerd.hasEnded() || stopping !== undefined,
  });
  if (stopping !== undefined) return;
  if (!isReady) throw new CommandError("The server did not start. What workerd printed stands above.");
  const connectorUrl = `${origin}/mcp`;
  const session = await writeSession(directory, {
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
  const exitCode = await workerd.ended;
  if (stopping === undefined) throw new CommandError(`The server has ended (exit code ${exitCode}).`);
}

async function run({ port }: RunOptions<never>): Promise<undefined> {
  onStopRequest(() => void stop(0));
  try {
    await start(port);
  } catch (error) {
    if (stopping === undefined) console.error(error instanceof CommandError ? error.message : error);
    await stop(1);
  }
}

process.exitCode = await runCommand({ usage: START_USAGE, read: readRunOptions, run });
