/**
 * Runs the official conformance suite unmodified: its command line, one process for each server and protocol
 * revision. Each scenario has a time limit, and so has the process.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { inProject } from "../../scripts/project.ts";

/** The protocol revisions that this server is tested at. */
export const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof REVISIONS)[number];

const SCENARIO_TIMEOUT_MS = 10_000;
/** For all scenarios of one run, which take about five seconds. */
const RUN_TIMEOUT_MS = 60_000;
/** The suite prints this URL on a line of its own for a person to open. */
const AUTHORIZATION_REQUEST = /^(https?:\S+\/authorize\?\S+)\n/m;

const PACKAGE = inProject("node_modules", "@modelcontextprotocol", "conformance");
const COMMAND = join(PACKAGE, "dist", "index.js");

const check = z.looseObject({
  id: z.string(),
  status: z.enum(["SUCCESS", "FAILURE", "WARNING", "SKIPPED", "INFO"]),
  errorMessage: z.string().optional(),
});
export type Check = z.infer<typeof check>;

/** Scenario → its checks. */
export type Results = ReadonlyMap<string, readonly Check[]>;

/** The kinds of scenarios that `conformance list` knows. */
export type ScenarioKind = "server" | "authorization";

export async function suiteVersion(): Promise<string> {
  const manifest = z.object({ version: z.string() });
  return manifest.parse(JSON.parse(await readFile(join(PACKAGE, "package.json"), "utf8"))).version;
}

/** Scenario → what it applies to, according to the suite: revisions, or `extension`. */
export async function listScenarios(kind: ScenarioKind): Promise<ReadonlyMap<string, readonly string[]>> {
  const { output } = await run(["list", `--${kind}`]);
  const lines = [...output.matchAll(/^ {2}- (\S+) \[([^\]]+)\]$/gm)];
  if (lines.length === 0) throw new Error(`The suite lists no ${kind} scenarios.`);
  return new Map(lines.map(([, name = "", versions = ""]) => [name, versions.split(",")]));
}

/** Every server scenario of a revision. */
export async function runServerScenarios(url: string, revision: Revision): Promise<Results> {
  const args = ["--url", url, "--suite", "all", "--timeout", String(SCENARIO_TIMEOUT_MS)];
  return await collect("server-", ["server", ...args, "--spec-version", revision]);
}

export interface AuthorizationRun {
  readonly issuer: string;
  readonly clientId: string;
  readonly resource: string;
  /** Where the suite waits for the code, on 127.0.0.1. */
  readonly callbackPort: number;
  /** Called with the authorization request that a person would open. */
  readonly onAuthorizationRequest: (url: URL) => Promise<void>;
}

/** Every authorization-server scenario of a revision. */
export async function runAuthorizationScenarios(
  { issuer, clientId, resource, callbackPort, onAuthorizationRequest }: AuthorizationRun,
  revision: Revision,
): Promise<Results> {
  const client = ["--client-id", clientId, "--resource", resource, "--port", String(callbackPort)];
  const args = ["authorization", "--url", issuer, ...client, "--spec-version", revision];
  return await collect("authorization-server-", args, onAuthorizationRequest);
}

async function collect(
  prefix: string,
  args: readonly string[],
  onAuthorizationRequest?: AuthorizationRun["onAuthorizationRequest"],
): Promise<Results> {
  const directory = await mkdtemp(join(tmpdir(), "n8n-observer-conformance-"));
  try {
    const { output, isOver } = await run([...args, "--output-dir", directory], onAuthorizationRequest);
    if (!isOver) throw new Error(`The suite did not end within ${RUN_TIMEOUT_MS} ms. It says:\n${output}`);
    const results = await readResults(directory, prefix);
    if (results.size === 0) throw new Error(`The suite ran nothing. It says:\n${output}`);
    return results;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The suite writes each scenario into `<prefix><scenario>-<time>/checks.json`. */
async function readResults(directory: string, prefix: string): Promise<Results> {
  const results = new Map<string, readonly Check[]>();
  for (const name of await readdir(directory)) {
    const scenario = name.slice(prefix.length).replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, "");
    const text = await readFile(join(directory, name, "checks.json"), "utf8").catch(() => "[]");
    results.set(scenario, z.array(check).parse(JSON.parse(text)));
  }
  return results;
}

interface Run {
  readonly output: string;
  /** False when it had to be killed. */
  readonly isOver: boolean;
}

async function run(
  args: readonly string[],
  onAuthorizationRequest: AuthorizationRun["onAuthorizationRequest"] = async () => {},
): Promise<Run> {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), RUN_TIMEOUT_MS);
  let output = "";
  let visit: Promise<void> | undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const [, request] = AUTHORIZATION_REQUEST.exec(output) ?? [];
      // If nobody answers the request, the suite waits for minutes.
      if (request === undefined || visit !== undefined) return;
      visit = onAuthorizationRequest(new URL(request));
      visit.catch(() => child.kill("SIGKILL"));
    });
  }
  try {
    const isOver = await ended(child);
    await visit;
    return { output, isOver };
  } finally {
    clearTimeout(timer);
  }
}

/** True when the process ended by itself: a run with failures has an exit code, a killed one has none. */
function ended(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code !== null));
  });
}
