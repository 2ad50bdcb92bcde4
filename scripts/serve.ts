/**
 * `npm run serve`: runs the server on this machine permanently: workerd with the same bundle as on Cloudflare, storage
 * on disk. docs/self-hosting.md.
 * Promises: does not start if a setting is missing or malformed; on a signal, lets running calls finish before it ends;
 * if workerd ends by itself, ends with workerd's exit code.
 */

import { resolve } from "node:path";
import { runCommand } from "./command-line/command.ts";
import { CommandError } from "./command-line/command-error.ts";
import { isPortFree } from "./dev-server/ports.ts";
import { onStopRequest } from "./dev-server/stop-request.ts";
import { waitUntilAnswers } from "./dev-server/wait-until-answers.ts";
import { inProject } from "./project.ts";
import { build, buildUnlessFresh } from "./serve/build.ts";
import {
  readServeOptions,
  SERVE_USAGE,
  type ServeOptions,
  toListeningOrigin,
  toLocalOrigin,
} from "./serve/options.ts";
import { keepStatePrivate } from "./serve/private-files.ts";
import {
  findProblems,
  readSettings,
  renderProblems,
  type Settings,
  warnOfUnknownSettings,
} from "./serve/settings.ts";
import { startWorkerd } from "./serve/workerd-process.ts";

const READY_TIMEOUT_MS = 60_000;

type Served = Extract<ServeOptions, { kind: "serve" }>;

async function serve({ host, port, data }: Served, settings: Settings): Promise<number> {
  await keepStatePrivate();
  const configuration = await buildUnlessFresh();
  const directory = resolve(data);
  const workerd = await startWorkerd({ configuration, host, port, data: directory, settings, prints: "all" });
  onStopRequest(() => void workerd.stop());
  const origin = toLocalOrigin(host, port);
  if (await waitUntilAnswers(origin, { timeoutMs: READY_TIMEOUT_MS, isOver: workerd.hasEnded }))
    console.log(
      `n8n-observer is ready at ${origin}, data in ${directory}. Ctrl-C stops it.\n\nConnector URL: ${settings.PUBLIC_URL || origin}/mcp`,
    );
  return await workerd.ended;
}

async function run(options: ServeOptions): Promise<number | undefined> {
  if (options.kind === "build") {
    console.log(`Built: ${await build(resolve(options.directory))}`);
    return undefined;
  }
  const settings = await readSettings(inProject(".dev.vars"), process.env);
  await warnOfUnknownSettings(inProject(".dev.vars"));
  const problems = findProblems(settings, toListeningOrigin(options.host, options.port));
  if (problems.length > 0) throw new CommandError(renderProblems(problems));
  if (!(await isPortFree(options.port)))
    throw new CommandError(
      `Port ${options.port} is taken. Choose another one: npm run serve -- --port <number>`,
    );
  return await serve(options, settings);
}

process.exitCode = await runCommand({ usage: SERVE_USAGE, read: readServeOptions, run });
