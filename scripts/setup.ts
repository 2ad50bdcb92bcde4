/**
 * `npm run setup`: from nothing to a server that answers, on this machine or on Cloudflare, by a few questions.
 * Promises: nothing is written before it is tested, and then all at once; a secret is shown on no screen, in no process
 * list and in no error; after a stop, starting it again resumes where it was.
 */
import { projectDirectory } from "./project.ts";
import { runSetup } from "./setup/run-setup.ts";
import { terminalQuestions } from "./setup/terminal-questions.ts";

const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
const code = await runSetup(process.argv.slice(2), {
  directory: projectDirectory,
  environment: process.env,
  print: (line) => console.log(line),
  printError: (line) => console.error(line),
  terminal: isTerminal ? terminalQuestions : undefined,
});
// Work in progress is not awaited when it is stopped.
process.exit(code);
