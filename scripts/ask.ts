/**
 * `npm run ask -- <requestId>`, or `-- <tool> '<JSON>'`: asks the running server what happened to a request, or calls
 * any of its tools, as an agent would, and prints the answer on stdout and the progress on stderr. Exit codes: 0 found
 * or answered, 1 not found or an error, 2 wrong arguments.
 */

import {
  ASK_USAGE,
  type AskOptions,
  readAskArguments,
  type ToolCall,
  toToolArguments,
} from "./ask/arguments.ts";
import { askServer, callTool, type OnProgress } from "./ask/ask-server.ts";
import { findServer, type Server } from "./ask/find-server.ts";
import { toPlainJson, toPlainLines } from "./ask/plain-text.ts";
import { createProgressLine } from "./ask/progress-line.ts";
import { renderTrace } from "./ask/render.ts";
import { runCommand } from "./command-line/command.ts";
import { readSessions } from "./dev-server/session-file.ts";
import { startedServersDirectory } from "./start/places.ts";

const EXIT_FOUND = 0;
const EXIT_NOT_FOUND = 1;

async function run(options: AskOptions): Promise<number> {
  const server = findServer({
    url: options.url,
    token: options.token,
    environmentToken: process.env.N8N_OBSERVER_TOKEN || undefined,
    sessions: await readSessions(startedServersDirectory),
  });
  const { call } = options;
  return call === undefined ? await trace(server, options) : await callAnyTool(server, call, options.json);
}

async function trace(server: Server, options: AskOptions): Promise<number> {
  const { answer, raw } = await withProgress((show) => askServer(server, toToolArguments(options), show));
  const text = options.json ? toPlainJson(raw) : renderTrace(answer);
  if (answer.status === "error" && !options.json) console.error(text);
  else console.log(text);
  return answer.status === "success" && answer.data.found ? EXIT_FOUND : EXIT_NOT_FOUND;
}

/** Prints errors on stdout, too: an agent reads them like any other answer. */
async function callAnyTool(server: Server, call: ToolCall, isJson: boolean): Promise<number> {
  const result = await withProgress((show) => callTool(server, call, show));
  const texts = result.content.flatMap((part) => (part.type === "text" ? [toPlainLines(part.text)] : []));
  console.log(isJson ? toPlainJson(result.structuredContent ?? null) : texts.join("\n"));
  return result.isError === true ? EXIT_NOT_FOUND : EXIT_FOUND;
}

async function withProgress<Answer>(ask: (show: OnProgress) => Promise<Answer>): Promise<Answer> {
  const progress = createProgressLine(process.stderr);
  try {
    return await ask(progress.show);
  } finally {
    progress.clear();
  }
}

process.exitCode = await runCommand({ usage: ASK_USAGE, read: readAskArguments, run });
