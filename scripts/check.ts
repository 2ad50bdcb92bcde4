/**
 * `npm run check`: all static checks, without the tests. Works offline once npx has cached knip. Prints one line per
 * step, and the output of failed steps. Exits 1 if a step failed.
 */
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { checkSteps, type Step } from "./check/steps.ts";
import { runScript } from "./command-line/command.ts";
import { runProcess } from "./command-line/run-process.ts";
import { wranglerEnvironment } from "./dev-server/wrangler.ts";
import { inProject, projectDirectory } from "./project.ts";

/** Puts the project's own tools first in PATH, even when not run by npm. */
function environment(): NodeJS.ProcessEnv {
  const path = [inProject("node_modules", ".bin"), process.env.PATH ?? ""].join(delimiter);
  return { ...wranglerEnvironment(), PATH: path };
}

async function check(step: Step): Promise<boolean> {
  const begun = Date.now();
  // npm's commands are scripts on Windows, which only a shell can start.
  const options = { cwd: projectDirectory, env: environment(), shell: process.platform === "win32" };
  const { succeeded: passed, output } = await runProcess(step.command, step.args, options).catch(
    ({ message }: Error) => ({ succeeded: false, output: message }),
  );
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  const summary = passed ? step.summarize?.(output) : undefined;
  console.log(
    `${passed ? "pass" : "FAIL"}  ${step.name} (${seconds} s)${summary === undefined ? "" : `: ${summary}`}`,
  );
  if (!passed) {
    console.log(`\n${output.trim()}\n`);
    if (step.solution !== undefined) console.log(`To put it right: ${step.solution}\n`);
  }
  return passed;
}

const USAGE = `Everything that can be known without running the tests, offline: a line for each step.

  npm run check`;

await runScript(USAGE, {}, async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), "n8n-observer-check-"));
  let passed = 0;
  let failed = 0;
  for (const step of checkSteps(temporary.path)) {
    if (await check(step)) passed += 1;
    else failed += 1;
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
});
