/**
 * `npm run ask -- <requestId>`: asks the running server what happened to a request, as an agent would, and
 * prints the answer on stdout and the progress on stderr. Exit codes: 0 found, 1 not found or an error,
 * 2 wrong arguments.
 */

import { ASK_USAGE, type AskOptions, readAskArguments, toToolArguments } from "./ask/arguments.ts";
import { type Asked, askServer } from "./ask/ask-server.ts";
import { findServer } from "./ask/find-server.ts";
import { toPlainJson } from "./ask/plain-text.ts";
import { createProgressLine } from "./ask/progress-line.ts";
import { renderTrace } from "./ask/render.ts";
import { runCommand } from "./command-line/command.ts";
import { readSessions } from "./dev-server/session-file.ts";
import { startedServersDirectory } from "./start/places.ts";

const EXIT_FOUND = 0;
const EXIT_NOT_FOUND = 1;

async function ask(options: AskOptions): Promise<Asked> {
  const server = findServer({
    url: options.url,
    token: options.token,
    environmentToken: process.env.N8N_OBSERVER_TOKEN || undefined,
    sessions: await readSessions(startedServersDirectory),
  });
  const progress = createProgressLine(process.stderr);
  try {
    return await askServer(server, toToolArguments(options), progress.show);
  } finally {
    progress.clear();
  }
}

async function run(options: AskOptions): Promise<number> {
  const { answer, raw } = await ask(options);
  const text = options.json ? toPlainJson(raw) : renderTrace(answer);
  if (answer.status === "error" && !options.json) console.error(text);
  else console.log(text);
  return answer.status === "success" && answer.data.found ? EXIT_FOUND : EXIT_NOT_FOUND;
}

process.exitCode = await runCommand({ usage: ASK_USAGE, read: readAskArguments, run });
