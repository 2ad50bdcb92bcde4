/**
 * `npm start` and `npm run ask` as a newcomer runs them, through npm. The port is chosen here, so that a server
 * already running on this machine is left alone.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify, stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFreePort } from "../../scripts/dev-server/ports.ts";
import { inProject, projectDirectory } from "../../scripts/project.ts";
import { whatForeignPageGets } from "../support/foreign-page.ts";
import {
  descendantsOf,
  listeningPorts,
  type RunningProcess,
  runningProcesses,
} from "../support/process-tree.ts";

const execute = promisify(execFile);

const FIRST_PORT = 18_787;
const READY_TIMEOUT_MS = 50_000;
const STOP_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 50;

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(command: string, args: readonly string[]): Promise<Result> {
  const child = execute(command, args, { cwd: projectDirectory });
  const outcome = await child.catch((error: unknown) => error);
  const { stdout = "", stderr = "" } = Object(outcome);
  return { code: child.child.exitCode ?? -1, stdout: String(stdout), stderr: String(stderr) };
}

const ask = (...args: string[]): Promise<Result> => run("npm", ["run", "--silent", "ask", "--", ...args]);

async function waitFor(isTrue: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    if (await isTrue()) return true;
    await sleep(POLL_INTERVAL_MS);
  }
  return await isTrue();
}

describe.skipIf(process.platform === "win32")("npm start", () => {
  let port = 0;
  let npm: ChildProcess;
  let printed = "";
  let family: RunningProcess[] = [];

  beforeAll(async () => {
    port = await findFreePort(FIRST_PORT);
    npm = spawn("npm", ["start", "--", "--port", String(port)], {
      cwd: projectDirectory,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [npm.stdout, npm.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
    }
    const isReady = () => printed.includes("Ctrl-C") || npm.exitCode !== null;
    if (!(await waitFor(isReady, READY_TIMEOUT_MS)) || npm.exitCode !== null) throw new Error(printed);
    family = await descendantsOf(npm.pid ?? 0);
  });

  afterAll(async () => {
    npm.kill("SIGTERM");
    await rm(inProject(".wrangler", "start", String(port)), { recursive: true, force: true });
  });

  /** The part of the output that a person would copy. */
  const find = (pattern: RegExp): string => pattern.exec(printed)?.[1] ?? "";

  test("prints the URL, a passphrase, and the next steps", async () => {
    const url = find(/Connector URL\s+(\S+)/);
    expect(url).toBe(`http://localhost:${port}/mcp`);
    expect(find(/Passphrase\s+(\S+)/)).toMatch(/^(\w{4}-){4}\w{4}$/);
    expect(printed).toContain(`claude mcp add --transport http n8n-observer ${url}`);
    expect(printed).toContain(`npx @modelcontextprotocol/inspector --transport http --server-url ${url}`);
    expect((await fetch(url)).status).toBe(401);
  });

  test("keeps its secrets out of the process list", () => {
    const passphrase = find(/Passphrase\s+(\S+)/);
    expect(family.map(({ command }) => command).join("\n")).toContain("workerd");
    for (const { command } of family) {
      expect(command).not.toContain(passphrase);
      expect(command).not.toMatch(/ACCESS_PASSPHRASE|N8N_API_KEY|SERVICE_TOKENS/);
    }
  });

  // The second port is the recorded n8n's, which answers nobody without its key.
  test("opens no port from which a web page gets anything", async () => {
    const ports = await listeningPorts(npm.pid ?? 0);
    expect(ports).toContain(port);
    expect(ports).toHaveLength(2);
    expect(await whatForeignPageGets(ports)).toEqual([]);
  });

  test("npm run ask answers for the suggested request id", async () => {
    const requestId = find(/npm run ask -- (\S+)/);
    const { code, stdout, stderr } = await ask(requestId, "--url", `http://localhost:${port}/mcp`);
    expect(stderr).toContain("Read ");
    expect(stdout).toMatch(
      new RegExp(`^Request "${requestId}" failed at node "Fetch Rate" in "SWF_Fetch_Rate"`),
    );
    expect(stdout).toMatch(/"Global Error Handler"\|error_handler\|success\|/);
    expect(stdout).toContain("complete=true");
    expect(stdout).toBe(stripVTControlCharacters(stdout));
    expect(code).toBe(0);
  });

  test("npm run ask --json prints the whole answer", async () => {
    const { code, stdout } = await ask("req-retry", "--json", "--url", `http://localhost:${port}/mcp`);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "success",
      data: { outcome: "success", found: true },
    });
    expect(code).toBe(0);
  });

  test("npm run ask explains failures, and exits with 1 when it found nothing", async () => {
    const url = `http://localhost:${port}/mcp`;
    const unknown = await ask("never-sent", "--url", url);
    expect(unknown.stdout).toContain("was not found");
    expect(unknown.code).toBe(1);
    const refused = await ask("req-1", "--after", "yesterday", "--url", url);
    expect(refused.stderr).toContain("VALIDATION_ERROR");
    expect(refused.code).toBe(1);
    const stranger = await ask("req-1", "--token", "not-a-token", "--url", url);
    expect(stranger.stderr).toContain("does not accept this token");
    expect(stranger.code).toBe(1);
    const absent = await ask("req-1", "--url", "http://localhost:1/mcp");
    expect(absent.stderr).toContain("Run npm start (a recorded n8n) or npm run dev (yours) first");
    expect(absent.code).toBe(1);
    expect((await ask()).code).toBe(2);
  });

  test("a port that is taken is refused with a message", async () => {
    const { code, stderr } = await run("npm", ["start", "--silent", "--", "--port", String(port)]);
    expect(stderr).toContain(`Port ${port} is taken`);
    expect(code).toBe(1);
  });

  test("ends together with its child processes, and leaves no secret on disk", async () => {
    const passphrase = find(/Passphrase\s+(\S+)/);
    npm.kill("SIGTERM");
    const pids = new Set(family.map(({ pid }) => pid));
    const isOver = async () => !(await runningProcesses()).some(({ pid }) => pids.has(pid));
    expect(pids.size).toBeGreaterThanOrEqual(2);
    expect(await waitFor(isOver, STOP_TIMEOUT_MS)).toBe(true);
    const left = await readdir(inProject(".wrangler", "start", String(port)), {
      recursive: true,
      withFileTypes: true,
    });
    const files = left.filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(0);
    for (const { parentPath, name } of files) {
      expect(name).not.toBe("session.json");
      expect(await readFile(join(parentPath, name), "latin1")).not.toContain(passphrase);
    }
  });
});
