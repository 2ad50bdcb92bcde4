/**
 * `npm run setup` in a fresh clone, answered as a new user would, until the first answer from the real n8n is in the
 * terminal, with its duration and number of questions.
 */

import { copyProject } from "../support/project-copy.ts";
import { KEYS, openTerminal } from "../support/pseudo-terminal.ts";
import type { NaiveExecution } from "./naive-reader.ts";

const LONGEST_MS = 180_000;
const MOST_QUESTIONS = 6;

/**
 * @param executions all executions in n8n's database
 * @returns a note with the duration and the number of questions
 */
export async function checkSetup(
  n8n: { readonly baseUrl: string; readonly key: string },
  executions: readonly NaiveExecution[],
): Promise<string> {
  await using resources = new AsyncDisposableStack();
  const copy = await copyProject();
  resources.defer(copy.remove);
  const begun = performance.now();
  const terminal = openTerminal([process.execPath, "scripts/setup.ts"], {
    cwd: copy.directory,
    env: { PATH: process.env.PATH, HOME: copy.directory },
  });
  resources.defer(terminal.stop);
  const answers: readonly [question: string, keys: string][] = [
    ["Where is n8n-observer to run?", KEYS.enter],
    ["Where is your n8n?", `${n8n.baseUrl}/home/workflows${KEYS.enter}`],
    ["n8n's API key", `${n8n.key}${KEYS.enter}`],
    ["A passphrase for signing in", KEYS.enter],
    ["A token for a client without a browser", KEYS.enter],
    ["Start the server now?", KEYS.enter],
  ];
  for (const [question, keys] of answers) await terminal.answer(question, keys);
  await terminal.sees("The first answer, about a request of yours");
  await terminal.sees("The server runs. Ctrl-C stops it.");
  const tookMs = performance.now() - begun;
  terminal.type(KEYS.ctrlC);
  const code = await terminal.ended;
  if (terminal.raw().includes(n8n.key)) throw new Error("the key was shown");
  if (answers.length > MOST_QUESTIONS) throw new Error(`${answers.length} questions are too many`);
  if (tookMs > LONGEST_MS) throw new Error(`it took ${Math.round(tookMs)} ms`);
  const entry = entryIn(terminal.shown(), executions);
  return `${(tookMs / 1_000).toFixed(1)} s, ${answers.length} questions, true about execution ${entry.id} (${entry.status}), exit code ${code}`;
}

/** The execution that the answer describes, from n8n's database. @throws Error when the answer is wrong */
function entryIn(shown: string, executions: readonly NaiveExecution[]): NaiveExecution {
  const answer = shown.slice(shown.indexOf("The first answer"));
  const [, requestId] = /^Request "([^"]+)"/m.exec(answer) ?? [];
  if (requestId === undefined) throw new Error(`the answer names no request:\n${answer}`);
  const truth = executions.filter(({ data }) => JSON.stringify(data).includes(requestId));
  const execution = truth.find(
    ({ id, workflowName, status }) =>
      answer.includes(`in "${workflowName}" (execution ${id})`) &&
      answer.includes(status === "success" ? "succeeded" : "failed"),
  );
  if (execution === undefined) throw new Error(`the answer is not true of ${requestId}:\n${answer}`);
  return execution;
}
