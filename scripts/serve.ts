/**
 * `npm run serve`: the server on this machine, for good: workerd with the same bundle as on Cloudflare, storage on
 * disk. docs/self-hosting.md.
 * Promises: it does not start with a setting that is missing or malformed; it ends when it is told to, after what is
 * under way; when workerd ends by itself, so does this, with its exit code.
 */
import { resolve } from "node:path";
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
import { findProblems, readSettings, renderProblems, type Settings } from "./serve/settings.ts";
import { startWorkerd } from "./serve/workerd-process.ts";

const READY_TIMEOUT_MS = 60_000;

type Served = Extract<ServeOptions, { kind: "serve" }>;

async function serve({ host, port, data }: Served, settings: Settings): Promise<void> {
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
  process.exitCode = await workerd.ended;
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
  await serve(options, settings);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
