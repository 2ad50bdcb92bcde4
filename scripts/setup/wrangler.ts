/**
 * wrangler, as a set-up needs it. Promises: secrets reach it by standard input alone. Tests put a program of their own
 * in its place by N8N_OBSERVER_WRANGLER.
 */

import { type SpawnOptions, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { CommandError } from "../command-line/command-error.ts";
import { WRANGLER, wranglerEnvironment } from "../dev-server/wrangler.ts";
import { parsedJson } from "../doctor/request.ts";
import { projectDirectory } from "../project.ts";

const MAX_OUTPUT_CHARACTERS = 100_000;

export interface WranglerAnswer {
  readonly succeeded: boolean;
  /** What it printed, on both streams. */
  readonly output: string;
  readonly stdout: string;
}

type Environment = Readonly<Record<string, string>>;

function start(args: readonly string[], environment: Environment, options: SpawnOptions) {
  const own = process.env.N8N_OBSERVER_WRANGLER;
  const [command, first] = own === undefined ? [process.execPath, [WRANGLER]] : [own, []];
  return spawn(command, [...first, ...args], {
    cwd: projectDirectory,
    env: { ...wranglerEnvironment(), ...environment },
    ...options,
  });
}

/** Runs it where nobody sees it. @param input what it reads from standard input */
export async function runWrangler(
  args: readonly string[],
  { input = "", environment = {} }: { readonly input?: string; readonly environment?: Environment } = {},
): Promise<WranglerAnswer> {
  const child = start(args, environment, { stdio: ["pipe", "pipe", "pipe"] });
  let output = "";
  let stdout = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout = (stdout + text).slice(-MAX_OUTPUT_CHARACTERS);
    output = (output + text).slice(-MAX_OUTPUT_CHARACTERS);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-MAX_OUTPUT_CHARACTERS);
  });
  // One that ends before it has read all is told by its exit code.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  const code = await exitOf(child);
  return { succeeded: code === 0, output, stdout };
}

/** Runs it in the person's terminal: it may ask, and open a browser. */
export async function runWranglerInTerminal(
  args: readonly string[],
  environment: Environment = {},
): Promise<boolean> {
  return (await exitOf(start(args, environment, { stdio: "inherit" }))) === 0;
}

function exitOf(child: ReturnType<typeof start>): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) =>
      reject(new CommandError(`wrangler could not be started: ${error.message}`)),
    );
    child.once("close", (code) => resolve(code ?? 1));
  });
}

/** A line of what wrangler writes down, by WRANGLER_OUTPUT_FILE_PATH: https://developers.cloudflare.com/workers/wrangler/system-environment-variables/ */
const deployed = z.looseObject({ type: z.literal("deploy"), targets: z.array(z.string()).nullish() });

/**
 * Deploys in the person's terminal.
 * @returns the address that wrangler gave the Worker; undefined when it failed
 * @throws CommandError when it gave none
 */
export async function deployWorker(name: string, environment: Environment): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), "n8n-observer-setup-"));
  const written = join(directory, "output.ndjson");
  try {
    const told = { ...environment, WRANGLER_OUTPUT_FILE_PATH: written };
    if (!(await runWranglerInTerminal(["deploy", "--name", name], told))) return undefined;
    const lines = (await readFile(written, "utf8").catch(() => "")).split("\n");
    const origin = lines.flatMap((line) => originsIn(line))[0];
    if (origin !== undefined) return origin;
    throw new CommandError(
      "The Worker is deployed, but wrangler gave it no address. Set workers_dev = true in wrangler.toml, or a custom domain, and run npm run setup again.",
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** `https://name.account.workers.dev`, or `host (custom domain)`. Others are schedules and routes. */
export function originsIn(line: string): string[] {
  const entry = deployed.safeParse(parsedJson(line));
  const targets = entry.success ? (entry.data.targets ?? []) : [];
  return targets.flatMap((target) => {
    const domain = /^(\S+) \(custom domain\)$/.exec(target)?.[1];
    const url = URL.parse(domain === undefined ? target : `https://${domain}`);
    return url !== null && /^https?:$/.test(url.protocol) ? [url.origin] : [];
  });
}
