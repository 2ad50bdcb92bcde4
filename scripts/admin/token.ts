/**
 * `npm run admin token`: manages service tokens, for clients without a browser.
 * Promises: a token is shown once and never stored, only its SHA-256; a failed command changes nothing.
 */
import { projectDirectory } from "../project.ts";
import { runToken } from "../token/run-token.ts";

process.exitCode = await runToken(process.argv.slice(2), {
  directory: projectDirectory,
  print: (line) => console.log(line),
  printError: (line) => console.error(line),
});
