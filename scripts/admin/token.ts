/**
 * `npm run admin token`: who may come in without a browser.
 * Promises: a token is shown once and kept nowhere; only its SHA-256 is; whatever fails leaves things as they were.
 */
import { projectDirectory } from "../project.ts";
import { runToken } from "../token/run-token.ts";

process.exitCode = await runToken(process.argv.slice(2), {
  directory: projectDirectory,
  print: (line) => console.log(line),
  printError: (line) => console.error(line),
});
