/**
 * `npm run deploy`: deploys the Worker, and tells it its own name, by which it knows its workers.dev address. With
 * `--dry-run` it only says what a deployment would need. Further arguments are wrangler's.
 * Promises: nothing is deployed that could not work, as far as wrangler.toml shows it; ends with wrangler's exit code.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ABOUT_PLAN, aboutBundle, type Finding, findings, renderFindings } from "./deploy/findings.ts";
import { type DeployOptions, readDeployOptions } from "./deploy/options.ts";
import { readObjectClasses, toDeployment } from "./deploy/read-deployment.ts";
import { WRANGLER, wranglerEnvironment } from "./dev-server/wrangler.ts";
import { projectDirectory } from "./project.ts";
import { readWranglerConfig } from "./serve/read-configuration.ts";

/** Bundles it as a deployment would. */
async function findBundle({ env }: DeployOptions): Promise<Finding> {
  const directory = await mkdtemp(join(tmpdir(), "n8n-observer-deploy-"));
  const args = [WRANGLER, "deploy", "--dry-run", "--outdir", directory];
  if (env !== undefined) args.push("--env", env);
  try {
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: projectDirectory,
      env: wranglerEnvironment(),
      encoding: "utf8",
    });
    const [, kib] = /gzip: ([\d.]+) KiB/.exec(stdout) ?? [];
    if (kib === undefined)
      return {
        status: "fail",
        about: "bundle",
        sentence: `It cannot be bundled. wrangler says: ${stderr.trim()}`,
      };
    return aboutBundle(Number(kib));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function runWrangler(args: readonly string[]): void {
  const wrangler = spawn(process.execPath, [WRANGLER, "deploy", ...args], {
    cwd: projectDirectory,
    stdio: "inherit",
  });
  // Ctrl-C reaches wrangler by itself.
  process.on("SIGINT", () => {});
  wrangler.once("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}

async function deploy(args: readonly string[]): Promise<void> {
  const options = readDeployOptions(args, process.env);
  if (options.isHelp) return runWrangler(["--help"]);
  const deployment = toDeployment(readWranglerConfig(options.env), options.name);
  const found = findings(deployment, await readObjectClasses());
  const isWrong = ({ status }: Finding): boolean => status === "fail";
  if (options.isDryRun) {
    const all = [...found, await findBundle(options), ABOUT_PLAN];
    console.log(renderFindings(all));
    console.log(
      all.some(isWrong) ? "\nIt would not work as it stands." : "\nIt can be deployed: npm run deploy",
    );
    if (all.some(isWrong)) process.exitCode = 1;
    return;
  }
  if (found.some(isWrong)) {
    console.error(`Not deployed.\n\n${renderFindings(found.filter(isWrong))}`);
    process.exitCode = 1;
    return;
  }
  runWrangler([...options.wranglerArguments, "--var", `WORKER_NAME:${deployment.name}`]);
}

await deploy(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
