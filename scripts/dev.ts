/**
 * `npm run dev`: the Worker on this machine, on what .dev.vars says. Further arguments are wrangler's.
 * Promises: works offline; prints the connector URL and what is wrong with the
 * settings once the Worker answers; ends with wrangler's exit code.
 */
import { existsSync, rmSync } from "node:fs";
import { type AskAccess, createAskAccess } from "./dev-server/ask-access.ts";
import { readDevArguments } from "./dev-server/dev-arguments.ts";
import { onParentGone } from "./dev-server/parent-process.ts";
import { choosePort } from "./dev-server/ports.ts";
import { writeSession } from "./dev-server/session-file.ts";
import { readStartPage, renderSettingProblems } from "./dev-server/setting-problems.ts";
import { waitUntilAnswers } from "./dev-server/wait-until-answers.ts";
import { startWrangler } from "./dev-server/wrangler.ts";
import { inProject } from "./project.ts";
import { directoryOfDevPort } from "./start/places.ts";

const READY_TIMEOUT_MS = 60_000;
const DEV_VARS = inProject(".dev.vars");
/** Else wrangler warns at each start that nothing calls the cron job here; this lets one call it by hand. */
const QUIET = ["--test-scheduled"];

const MISSING_SETTINGS = `There is no .dev.vars, which says where your n8n is.

  npm run setup

asks for it and writes it. By hand: copy .dev.vars.example to .dev.vars, fill in N8N_BASE_URL, N8N_API_KEY and
ACCESS_PASSPHRASE, and call npm run dev again. More than one n8n: N8N_INSTANCES (docs/instances.md).
To look around without an n8n of your own: npm start`;

/** The Worker answers: where, what is wrong with its settings, and how `npm run ask` and `npm run status` get in. */
async function reportReady(origin: string, port: number, access: AskAccess | undefined): Promise<void> {
  const url = `${origin}/mcp`;
  if (access !== undefined) {
    const startedAt = new Date().toISOString();
    const { token, operatorToken } = access;
    await writeSession(directoryOfDevPort(port), { url, token, operatorToken, startedAt });
  }
  console.log(`\nConnector URL: ${url}\n`);
  const { instances, settingProblems } = await readStartPage(origin);
  if (instances.length > 0) console.log(`It reads: ${instances.join(", ")}\n`);
  const problems = renderSettingProblems(settingProblems);
  if (problems !== "") console.error(problems);
}

async function dev(args: readonly string[]): Promise<void> {
  const { port: wantedPort, speaksHttp, readsDevVars, wranglerArguments } = readDevArguments(args);
  const port = await choosePort(wantedPort, "npm run dev");
  const directory = directoryOfDevPort(port);
  const access = readsDevVars ? await createAskAccess(directory, DEV_VARS) : undefined;
  const envFiles = access === undefined ? [] : ["--env-file", DEV_VARS, "--env-file", access.envFile];
  const wrangler = startWrangler(
    ["dev", "--port", String(port), "--inspector-port", "0", ...QUIET, ...envFiles, ...wranglerArguments],
    { stdio: "inherit" },
  );
  let hasEnded = false;
  wrangler.once("exit", (code) => {
    hasEnded = true;
    process.exitCode = code ?? 1;
    rmSync(directory, { recursive: true, force: true });
  });
  // Ctrl-C in a terminal reaches wrangler by itself; both ways this process stays until wrangler has ended.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => wrangler.kill(signal));
  onParentGone(() => wrangler.kill("SIGTERM"));
  if (!speaksHttp) return;
  const origin = `http://localhost:${port}`;
  if (await waitUntilAnswers(origin, { timeoutMs: READY_TIMEOUT_MS, isOver: () => hasEnded }))
    await reportReady(origin, port, access);
}

const args = process.argv.slice(2);
const { readsDevVars } = readDevArguments(args);
if (readsDevVars && !existsSync(DEV_VARS)) {
  console.error(MISSING_SETTINGS);
  process.exitCode = 1;
} else {
  await dev(args).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
