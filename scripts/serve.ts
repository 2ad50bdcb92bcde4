/**
 * `npm run serve`: the server on this machine, for good: workerd with the same bundle as on Cloudflare, storage on
 * disk. docs/self-hosting.md.
 * Promises: it does not start with a setting that is missing or malformed; it ends when it is told to, after what is
 * under way; when workerd ends by itself, so does this, with its exit code.
 */
import { existsSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onParentGone } from "./dev-server/parent-process.ts";
import { isPortFree } from "./dev-server/ports.ts";
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
import { findProblems, readSettings, renderProblems, type Settings } from "./serve/settings.ts";
import { startWorkerd } from "./serve/workerd-process.ts";

const READY_TIMEOUT_MS = 60_000;
/** How long what is under way may take once the server was told to end. */
const STOP_TIMEOUT_MS = 8_000;
/** Only the user that the server runs as reads what it keeps. */
const OWNER_ONLY = 0o700;
/** What workerd makes in a folder that was there before, and that others may enter. */
const NOTHING_FOR_OTHERS = 0o077;

type Served = Extract<ServeOptions, { kind: "serve" }>;

async function serve({ host, port, data }: Served, settings: Settings, configuration: string): Promise<void> {
  const directory = resolve(data);
  if (!existsSync(directory)) {
    await mkdir(directory, { recursive: true, mode: OWNER_ONLY });
    await chmod(directory, OWNER_ONLY);
  }
  process.umask(NOTHING_FOR_OTHERS);
  const workerd = startWorkerd({ configuration, host, port, data: directory, settings });
  let isStopping = false;
  const ended = new Promise<void>((resolveEnded) => {
    workerd.once("exit", (code, signal) => {
      process.exitCode = isStopping ? 0 : (code ?? (signal === null ? 0 : 1));
      resolveEnded();
    });
  });
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    workerd.kill("SIGTERM");
    await Promise.race([ended, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    workerd.kill("SIGKILL");
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop());
  onParentGone(() => void stop());
  const origin = toLocalOrigin(host, port);
  const isOver = () => isStopping || workerd.exitCode !== null || workerd.signalCode !== null;
  if (await waitUntilAnswers(origin, { timeoutMs: READY_TIMEOUT_MS, isOver }))
    console.log(
      `n8n-observer is ready at ${origin}, data in ${directory}. Ctrl-C stops it.\n\nConnector URL: ${settings.PUBLIC_URL || origin}/mcp`,
    );
  await ended;
}

async function main(): Promise<void> {
  const options = readServeOptions(process.argv.slice(2));
  if (options.kind === "help") return console.log(SERVE_USAGE);
  if (options.kind === "wrong") {
    console.error(`${options.problem}\n\n${SERVE_USAGE}`);
    process.exitCode = 2;
    return;
  }
  if (options.kind === "build") return console.log(`Built: ${await build(resolve(options.directory))}`);
  const settings = await readSettings(inProject(".dev.vars"), process.env);
  const problems = findProblems(settings, toListeningOrigin(options.host, options.port));
  if (problems.length > 0) throw new Error(renderProblems(problems));
  if (!(await isPortFree(options.port)))
    throw new Error(`Port ${options.port} is taken. Choose another one: npm run serve -- --port <number>`);
  await serve(options, settings, await buildUnlessFresh(inProject(".wrangler", "serve")));
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
