/**
 * `npm run setup`: sets up a server, on this machine or on Cloudflare, by asking a few questions.
 * Promises: settings are tested before they are written, and written in one step; a typed secret appears on no screen,
 * in no process list and in no error; after an interruption, the next run resumes there.
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
// After a stop, work in progress is not awaited.
process.exit(code);
