/**
 * `npm run deploy`: deploys the Worker and passes it its own name, by which it recognizes its workers.dev address. With
 * `--dry-run`, only reports what a deployment needs. Further options go to wrangler.
 * Promises: does not deploy if wrangler.toml shows that the Worker would not work; ends with wrangler's exit code.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT_FAILED, runCommand } from "./command-line/command.ts";
import { CommandError } from "./command-line/command-error.ts";
import { runProcess } from "./command-line/run-process.ts";
import { ABOUT_PLAN, aboutBundle, findings } from "./deploy/findings.ts";
import { DEPLOY_USAGE, type DeployOptions, readDeployOptions } from "./deploy/options.ts";
import { WRANGLER, wranglerEnvironment } from "./dev-server/wrangler.ts";
import { type Finding, fail, isFailure } from "./doctor/finding.ts";
import { renderFindings } from "./doctor/render.ts";
import { projectDirectory } from "./project.ts";
import { readObjectClasses, readWranglerConfig } from "./serve/read-configuration.ts";

/** Bundles the Worker as a deployment would. */
async function findBundle({ env }: DeployOptions): Promise<Finding> {
  const directory = await mkdtemp(join(tmpdir(), "n8n-observer-deploy-"));
  const args = [WRANGLER, "deploy", "--dry-run", "--outdir", directory];
  if (env !== undefined) args.push("--env", env);
  try {
    const options = { cwd: projectDirectory, env: wranglerEnvironment() };
    const { stdout, output } = await runProcess(process.execPath, args, options);
    const [, kib] = /gzip: ([\d.]+) KiB/.exec(stdout) ?? [];
    return kib === undefined
      ? fail("bundle", `It cannot be bundled. wrangler says: ${output.trim()}`)
      : aboutBundle(Number(kib));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function runWrangler(args: readonly string[]): Promise<number> {
  const wrangler = spawn(process.execPath, [WRANGLER, "deploy", ...args], {
    cwd: projectDirectory,
    stdio: "inherit",
  });
  // Ctrl-C reaches wrangler directly.
  process.on("SIGINT", () => {});
  const [code] = await once(wrangler, "exit");
  return code ?? EXIT_FAILED;
}

async function deploy(options: DeployOptions): Promise<number> {
  const config = readWranglerConfig(options.env);
  const name = options.name ?? config.name;
  if (name === undefined) throw new CommandError("wrangler.toml has no name.");
  const found = findings({ ...config, name }, await readObjectClasses());
  if (options.isDryRun) {
    const all = [...found, await findBundle(options), ABOUT_PLAN];
    const fails = all.some(isFailure);
    console.log(renderFindings(all));
    console.log(fails ? "\nIt would not work as it stands." : "\nIt can be deployed: npm run deploy");
    return fails ? EXIT_FAILED : 0;
  }
  if (found.some(isFailure))
    throw new CommandError(`Not deployed.\n\n${renderFindings(found.filter(isFailure))}`);
  return await runWrangler([...options.wranglerArguments, "--var", `WORKER_NAME:${name}`]);
}

process.exitCode = await runCommand({
  usage: DEPLOY_USAGE,
  read: (args) => readDeployOptions(args, process.env),
  run: deploy,
});
