/** Starts the server as `npm run dev` does, asks it a question as an agent would, and lets it run until Ctrl-C. */

import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { askServer } from "../ask/ask-server.ts";
import { renderTrace } from "../ask/render.ts";
import { CommandError } from "../command-line/command-error.ts";
import { readSessions, type Session } from "../dev-server/session-file.ts";
import { diagnose } from "../doctor/diagnose.ts";
import { renderFindings } from "../doctor/render.ts";
import { inProject, projectDirectory } from "../project.ts";
import { startedServersDirectory } from "../start/places.ts";
import type { SetupRun } from "./setup-run.ts";

const READY_TIMEOUT_MS = 90_000;
const POLL_INTERVAL_MS = 100;
/** Its log output would hide the answer. */
const QUIET = "--quiet";

/** @returns the server's exit code @throws CommandError when it does not start */
export async function runServer(
  { questions }: SetupRun,
  port: number,
  requestId: string | undefined,
): Promise<number> {
  const begun = new Date().toISOString();
  questions.tell("step", "Starting the server. Ctrl-C stops it.");
  const server = spawn(process.execPath, [inProject("scripts", "dev.ts"), "--port", String(port), QUIET], {
    cwd: projectDirectory,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const ended = new Promise<number>((resolve) => {
    server.once("exit", (code) => resolve(code ?? 0));
    server.once("error", () => resolve(1));
  });
  // In a terminal Ctrl-C reaches the server by itself; this stays until it has ended.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => server.kill("SIGTERM"));
  const session = await waitForSession(server, `http://localhost:${port}/mcp`, begun);
  if (session === undefined) {
    server.kill("SIGTERM");
    await ended;
    throw new CommandError("The server did not start; what it says stands above. npm run dev tries again.");
  }
  await tellFirstAnswer(session, requestId);
  console.log("The server runs. Ctrl-C stops it.");
  return await ended;
}

/** The server writes its session file once it answers. */
async function waitForSession(
  server: ChildProcess,
  url: string,
  begun: string,
): Promise<Session | undefined> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (server.exitCode === null && Date.now() < deadline) {
    const sessions = await readSessions(startedServersDirectory);
    const session = sessions.find((each) => each.url === url && each.startedAt >= begun);
    if (session !== undefined) return session;
    await sleep(POLL_INTERVAL_MS);
  }
  return undefined;
}

async function tellFirstAnswer({ url, token }: Session, requestId: string | undefined): Promise<void> {
  if (requestId === undefined) {
    const findings = await diagnose({ origin: new URL(url).origin, token });
    console.log(`\n${renderFindings(findings)}\n\nOnce n8n has executions: npm run ask -- <request id>\n`);
    return;
  }
  console.log("\nAsking what happened to one of the newest requests");
  try {
    const { answer } = await askServer({ url, token }, { requestId }, () => {});
    console.log(
      `\nThe first answer, about a request of yours (npm run ask -- <request id>):\n\n${renderTrace(answer)}\n`,
    );
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
  }
}
