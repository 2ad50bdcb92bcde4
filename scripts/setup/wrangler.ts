/**
 * Runs wrangler for a set-up. Promises: secrets reach it through standard input only. Tests replace it by setting
 * N8N_OBSERVER_WRANGLER.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../../src/platform/parse-json.ts";
import { CommandError } from "../command-line/command-error.ts";
import { type ProcessResult, runProcess } from "../command-line/run-process.ts";
import { WRANGLER, wranglerEnvironment } from "../dev-server/wrangler.ts";
import { projectDirectory } from "../project.ts";

type Environment = Readonly<Record<string, string>>;

function callOf(args: readonly string[], environment: Environment) {
  const own = process.env.N8N_OBSERVER_WRANGLER;
  const [command, first] = own === undefined ? [process.execPath, [WRANGLER]] : [own, []];
  const options = { cwd: projectDirectory, env: { ...wranglerEnvironment(), ...environment } };
  return [command, [...first, ...args], options] as const;
}

const notStarted = (error: unknown): never => {
  throw new CommandError(`wrangler could not be started: ${error instanceof Error ? error.message : error}`);
};

/** Runs it without showing its output. @param input its standard input */
export async function runWrangler(
  args: readonly string[],
  { input = "", environment = {} }: { readonly input?: string; readonly environment?: Environment } = {},
): Promise<ProcessResult> {
  const [command, all, options] = callOf(args, environment);
  return await runProcess(command, all, { ...options, input }).catch(notStarted);
}

/** Runs it in the person's terminal: it may ask, and open a browser. */
export async function runWranglerInTerminal(
  args: readonly string[],
  environment: Environment = {},
): Promise<boolean> {
  const [command, all, options] = callOf(args, environment);
  const [code] = await once(spawn(command, all, { ...options, stdio: "inherit" }), "close").catch(notStarted);
  return code === 0;
}

/** A line of WRANGLER_OUTPUT_FILE_PATH. https://developers.cloudflare.com/workers/wrangler/system-environment-variables/ */
const deployed = z.looseObject({ type: z.literal("deploy"), targets: z.array(z.string()).nullish() });

/**
 * Deploys in the person's terminal.
 * @returns the Worker's address; undefined if the deployment failed
 * @throws CommandError if the deployed Worker has no address
 */
export async function deployWorker(name: string, environment: Environment): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), "n8n-observer-setup-"));
  const outputFile = join(directory, "output.ndjson");
  try {
    const withOutputFile = { ...environment, WRANGLER_OUTPUT_FILE_PATH: outputFile };
    if (!(await runWranglerInTerminal(["deploy", "--name", name], withOutputFile))) return undefined;
    const lines = (await readFile(outputFile, "utf8").catch(() => "")).split("\n");
    const origin = lines.flatMap((line) => originsIn(line))[0];
    if (origin !== undefined) return origin;
    throw new CommandError(
      "The Worker is deployed, but wrangler gave it no address. Set workers_dev = true in wrangler.toml, or a custom domain, and run npm run setup again.",
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Reads `https://name.account.workers.dev` and `host (custom domain)`. Other targets are schedules and routes. */
export function originsIn(line: string): string[] {
  const entry = deployed.safeParse(parseJson(line));
  const targets = entry.success ? (entry.data.targets ?? []) : [];
  return targets.flatMap((target) => {
    const domain = /^(\S+) \(custom domain\)$/.exec(target)?.[1];
    const url = URL.parse(domain === undefined ? target : `https://${domain}`);
    return url !== null && /^https?:$/.test(url.protocol) ? [url.origin] : [];
  });
}
