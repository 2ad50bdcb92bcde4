/**
 * `npm run dev`: runs the Worker on this machine with the settings in .dev.vars, and rebuilds it when a source changes.
 * Promises: works offline; once the Worker answers, prints the connector URL and what is wrong with the settings; opens
 * a debugger only with --inspect, and then warns of the risk; ends with workerd's exit code.
 */

import { existsSync, rmSync } from "node:fs";
import { runCommand } from "./command-line/command.ts";
import { CommandError } from "./command-line/command-error.ts";
import { withAskAccess } from "./dev-server/ask-access.ts";
import { type RunOptions, readRunOptions } from "./dev-server/options.ts";
import { choosePort, findFreePort } from "./dev-server/ports.ts";
import { writeSession } from "./dev-server/session-file.ts";
import { readStartPage, renderSettingProblems } from "./dev-server/setting-problems.ts";
import { onStopRequest } from "./dev-server/stop-request.ts";
import { waitUntilAnswers } from "./dev-server/wait-until-answers.ts";
import { watchSources } from "./dev-server/watch-sources.ts";
import { inProject } from "./project.ts";
import { buildUnlessFresh, SOURCES } from "./serve/build.ts";
import { keepStatePrivate } from "./serve/private-files.ts";
import { readSettings, warnOfUnknownSettings } from "./serve/settings.ts";
import { startWorkerd } from "./serve/workerd-process.ts";
import { directoryOfDevPort } from "./start/places.ts";

const DEV_USAGE = `Runs n8n-observer on this machine with the settings in .dev.vars, and restarts it after each change of src.

  npm run dev                    on port 8787, or the next one that is free
  npm run dev -- --port 9000     on this port
  npm run dev -- --quiet         prints errors only
  npm run dev -- --inspect       opens a debugger, to which any web page can connect

For good, or for other machines: npm run serve`;

const READY_TIMEOUT_MS = 60_000;
/** The port at which Chrome and editors look for a debugger. */
const DEBUGGER_PORT = 9229;
const DEV_VARS = inProject(".dev.vars");
/** The folder in which wrangler dev stored Durable Objects, so that their data is kept. */
const DATA = inProject(".wrangler", "state", "v3", "do");

const MISSING_SETTINGS = `There is no .dev.vars, which says where your n8n is.

  npm run setup

asks for it and writes it. By hand: copy .dev.vars.example to .dev.vars, fill in N8N_BASE_URL, N8N_API_KEY and
ACCESS_PASSPHRASE, and call npm run dev again. More than one n8n: N8N_INSTANCES (docs/instances.md).
To look around without an n8n of your own: npm start`;

const warnOfDebugger = (port: number): string => `
A debugger is open at 127.0.0.1:${port} (--inspect). It has no sign-in: while it is open, any program on this machine and
any web page in a browser on it can run code in the server and read your n8n key, the passphrase, and whatever n8n
answers. Close all other pages, and restart without --inspect when you are done.
`;

/** Prints the connector URL, the n8n instances, and what is wrong with the settings. */
async function reportReady(origin: string): Promise<void> {
  console.log(`\nConnector URL: ${origin}/mcp\n`);
  const { instances, settingProblems } = await readStartPage(origin);
  if (instances.length > 0) console.log(`It reads: ${instances.join(", ")}\n`);
  const problems = renderSettingProblems(settingProblems);
  if (problems !== "") console.error(problems);
}

/** workerd reloads the new bundle by itself. If the build fails, the last bundle keeps running. */
async function rebuild(): Promise<void> {
  try {
    await buildUnlessFresh();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
}

async function dev({ port: wanted, flags }: RunOptions<"inspect" | "quiet">): Promise<number> {
  const port = await choosePort(wanted, "npm run dev");
  if (!existsSync(DEV_VARS)) throw new CommandError(MISSING_SETTINGS);
  const debuggerPort = flags.has("inspect") ? await findFreePort(DEBUGGER_PORT) : undefined;
  await keepStatePrivate();
  await warnOfUnknownSettings(DEV_VARS);
  const { settings, token, operatorToken } = withAskAccess(await readSettings(DEV_VARS, {}));
  const workerd = await startWorkerd({
    configuration: await buildUnlessFresh(),
    host: "127.0.0.1",
    port,
    data: DATA,
    settings,
    prints: flags.has("quiet") ? "errors" : "all",
    reloads: true,
    debuggerPort,
  });
  onStopRequest(() => void workerd.stop());
  const stopWatching = watchSources(
    SOURCES.map((name) => inProject(name)),
    rebuild,
  );
  if (debuggerPort !== undefined) console.error(warnOfDebugger(debuggerPort));
  const directory = directoryOfDevPort(port);
  const origin = `http://localhost:${port}`;
  if (await waitUntilAnswers(origin, { timeoutMs: READY_TIMEOUT_MS, isOver: workerd.hasEnded })) {
    const startedAt = new Date().toISOString();
    if (token !== undefined)
      await writeSession(directory, { url: `${origin}/mcp`, token, operatorToken, startedAt });
    await reportReady(origin);
  }
  const exitCode = await workerd.ended;
  stopWatching();
  rmSync(directory, { recursive: true, force: true });
  return exitCode;
}

process.exitCode = await runCommand({
  usage: DEV_USAGE,
  read: (args) => readRunOptions(args, ["inspect", "quiet"]),
  run: dev,
});
