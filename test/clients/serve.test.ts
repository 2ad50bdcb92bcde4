/**
 * `npm run serve`, as somebody without Cloudflare runs it: workerd with all its data on disk. After being killed, it finds
 * its data again.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { findFreePort } from "../../scripts/dev-server/ports.ts";
import { inProject, projectDirectory } from "../../scripts/project.ts";
import { toWorkerSettings } from "../../scripts/start/worker-settings.ts";
import { canaryPattern } from "../real-n8n/canaries.ts";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { connectFirst } from "../support/agent-client.ts";
import { whatForeignPageGets } from "../support/foreign-page.ts";
import { signIn, type TestOAuthClient } from "../support/oauth-client.ts";
import { listeningPorts } from "../support/process-tree.ts";
import { OPERATOR_TOKEN, PASSPHRASE, SERVICE_TOKEN } from "../support/test-worker.ts";

const FIRST_PORT = 28_787;
const READY_TIMEOUT_MS = 50_000;
const POLL_INTERVAL_MS = 100;
/** Longer than pending calls may take. */
const STOP_TIMEOUT_MS = 12_000;

let n8n: RecordedN8n;
let data: string;
let port: number;

interface Server {
  readonly process: ChildProcess;
  output(): string;
}

let running: Server | undefined;

beforeAll(async () => {
  n8n = await startRecordedN8n();
  data = join(await mkdtemp(join(tmpdir(), "n8n-observer-serve-")), "data");
  port = await findFreePort(FIRST_PORT);
});
afterEach(async () => {
  if (running !== undefined) await kill(running);
});
afterAll(async () => {
  await n8n.close();
  await rm(join(data, ".."), { recursive: true, force: true });
});

function launch(settings: Readonly<Record<string, string>>): Server {
  const secrets = { passphrase: PASSPHRASE, serviceToken: SERVICE_TOKEN, operatorToken: OPERATOR_TOKEN };
  const environment = toWorkerSettings({ baseUrl: n8n.baseUrl, apiKey: n8n.apiKey, ...secrets, settings });
  const process_ = spawn(
    process.execPath,
    [inProject("scripts", "serve.ts"), "--port", String(port), "--data", data],
    {
      cwd: projectDirectory,
      env: { ...process.env, npm_lifecycle_event: undefined, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
      // A process group of its own: SIGKILL to the group has the effect of a power failure.
      detached: true,
    },
  );
  let output = "";
  for (const stream of [process_.stdout, process_.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  return { process: process_, output: () => output };
}

async function start(settings: Readonly<Record<string, string>> = {}): Promise<Server> {
  const server = launch(settings);
  running = server;
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!server.output().includes("is ready") && Date.now() < deadline && server.process.exitCode === null)
    await sleep(POLL_INTERVAL_MS);
  if (!server.output().includes("is ready")) throw new Error(server.output());
  return server;
}

async function kill({ process: process_ }: Server): Promise<void> {
  running = undefined;
  if (process_.pid === undefined || process_.exitCode !== null || process_.signalCode !== null) return;
  const ended = once(process_, "exit");
  process.kill(-process_.pid, "SIGKILL");
  await ended;
}

const origin = (): string => `http://localhost:${port}`;
const trace = z.looseObject({ found: z.boolean(), outcome: z.string() });
const checks = z.object({ checks: z.array(z.object({ check: z.string(), detail: z.string() })) });

async function call<T extends z.ZodType>(
  client: TestOAuthClient,
  name: string,
  args: Record<string, unknown>,
  schema: T,
): Promise<z.infer<T>> {
  const agent = await connectFirst(`${origin()}/mcp`, client);
  try {
    return schema.parse((await agent.call(name, args)).envelope.data);
  } finally {
    await agent.close();
  }
}

async function untilIndexed(client: TestOAuthClient): Promise<void> {
  for (const until = Date.now() + READY_TIMEOUT_MS; Date.now() < until; await sleep(POLL_INTERVAL_MS)) {
    const { checks: lines } = await call(client, "check_connection", {}, checks);
    if (lines.some(({ detail }) => detail.includes("all that n8n has"))) return;
  }
  throw new Error("The index was not filled by its alarm.");
}

async function untilStored(): Promise<void> {
  for (const until = Date.now() + READY_TIMEOUT_MS; Date.now() < until; await sleep(POLL_INTERVAL_MS)) {
    if ((await readdir(data, { recursive: true })).some((name) => name.endsWith(".sqlite"))) return;
  }
  throw new Error("Nothing was stored.");
}

const CALLS: readonly [tool: string, args: Record<string, unknown>][] = [
  ["trace_request", { requestId: "req-deep-failure" }],
  ["search_executions", { value: "req-deep-failure" }],
  ["summarize_failures", {}],
];

/** All files of the data folder, as one text. */
async function onDisk(): Promise<string> {
  const files = (await readdir(data, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const contents = await Promise.all(
    files.map(async ({ parentPath, name }) => await readFile(join(parentPath, name), "latin1")),
  );
  return contents.join("\n");
}

/** Sends a request as a TLS proxy in front of the server does. */
async function askAs(host: string, path: string): Promise<{ status: number; body: string }> {
  const asked = httpRequest({ port, path, headers: { Host: host, "X-Forwarded-For": "203.0.113.9" } });
  asked.end();
  const [response] = await once(asked, "response");
  let body = "";
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode, body };
}

describe.skipIf(process.platform === "win32")("npm run serve", () => {
  test("keeps sign-ins and the index when it is killed", async () => {
    const first = await start({ INDEX_INTERVAL: "10" });
    const client = await signIn(`${origin()}/mcp`, PASSPHRASE, true);
    const args = { requestId: "req-deep-failure" };
    expect(await call(client, "trace_request", args, trace)).toMatchObject({ found: true, outcome: "error" });
    await untilIndexed(client);
    await kill(first);

    n8n.requests.length = 0;
    await start({ INDEX_INTERVAL: "off" });
    // The same tokens still work: nobody types the passphrase here.
    expect(await call(client, "trace_request", args, trace)).toMatchObject({ found: true, outcome: "error" });
    const pages = n8n.requests.filter(({ path }) => path.includes("cursor="));
    expect(pages).toEqual([]);
    // The refresh token works too, once the access token has expired.
    const tokens = client.tokens();
    if (tokens === undefined) throw new Error("There are no tokens.");
    client.saveTokens({ ...tokens, access_token: "run-out" });
    expect(await call(client, "trace_request", args, trace)).toMatchObject({ found: true });
  });

  test("keeps its data from other users of the machine, and its secrets out of the process list", async () => {
    await start();
    expect((await stat(data)).mode & 0o077).toBe(0);
    const list = execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8", maxBuffer: 16 * 1024 * 1024 });
    expect(list).toContain(`data=${data}`);
    expect(list).not.toContain(PASSPHRASE);
    expect(list).not.toContain(n8n.apiKey);
  });

  test("opens one port, and a web page gets nothing from it", async () => {
    const { process: process_ } = await start();
    const ports = await listeningPorts(process_.pid ?? 0);
    expect(ports).toEqual([port]);
    expect(await whatForeignPageGets(ports)).toEqual([]);
  });

  test("keeps its data from others even in an existing folder that they may enter", async () => {
    const originalData = data;
    data = await mkdtemp(join(tmpdir(), "n8n-observer-serve-"));
    try {
      // Files of an earlier server with open permissions, and somebody else's file.
      await mkdir(join(data, "n8n-observer-ActivityLog"));
      await writeFile(join(data, "n8n-observer-ActivityLog", "left.txt"), "");
      await writeFile(join(data, "of-somebody-else.txt"), "");
      for (const name of await readdir(data, { recursive: true })) await chmod(join(data, name), 0o755);
      await chmod(data, 0o755);
      await start();
      await untilStored();
      const kept = await readdir(data, { recursive: true });
      const modeOf = async (name: string): Promise<number> => (await stat(join(data, name))).mode & 0o777;
      for (const name of kept.filter((each) => each.includes("/"))) expect(await modeOf(name)).toBe(0o600);
      for (const name of kept.filter((each) => /^n8n-observer-[^/]*$/.test(each)))
        expect(await modeOf(name)).toBe(0o700);
      expect(kept).toContain("n8n-observer-ActivityLog/left.txt");
      expect(await modeOf("of-somebody-else.txt")).toBe(0o755);
    } finally {
      if (running !== undefined) await kill(running);
      await rm(data, { recursive: true, force: true });
      data = originalData;
    }
  });

  test("keeps no secret and no payload on disk, as /privacy says", async () => {
    const server = await start({ INDEX_INTERVAL: "10" });
    const client = await signIn(`${origin()}/mcp`, PASSPHRASE, true);
    for (const [tool, args] of CALLS) {
      const agent = await connectFirst(`${origin()}/mcp`, client);
      await agent.call(tool, args);
      await agent.close();
    }
    await untilIndexed(client);
    await kill(server);
    const kept = await onDisk();
    const { access_token: accessToken, refresh_token: refreshToken } = client.tokens() ?? {};
    const secrets = {
      PASSPHRASE,
      SERVICE_TOKEN,
      OPERATOR_TOKEN,
      apiKey: n8n.apiKey,
      accessToken,
      refreshToken,
    };
    // Compared by name: a failure would print the whole data folder.
    expect(
      Object.entries(secrets).flatMap(([name, value]) => (kept.includes(String(value)) ? name : [])),
    ).toEqual([]);
    expect(canaryPattern.exec(kept)).toBeNull();
    expect(kept.includes("token:owner:")).toBe(true);
  });

  test("limits how often an address may call the operator endpoints", async () => {
    await start();
    // More calls than two periods allow, as they may fall into two.
    const answers: number[] = [];
    for (let call_ = 0; call_ < 241; call_ += 1) {
      const response = await fetch(`${origin()}/operator/audit`, {
        method: "POST",
        headers: { Authorization: "Bearer wrong" },
      });
      await response.body?.cancel();
      answers.push(response.status);
    }
    expect(new Set(answers)).toEqual(new Set([401, 429]));
  });

  test("ends on SIGTERM with exit code 0, and frees its port", async () => {
    const server = await start();
    server.process.kill("SIGTERM");
    const [code] = await Promise.race([once(server.process, "exit"), sleep(STOP_TIMEOUT_MS, ["late"])]);
    expect(code).toBe(0);
    await expect(fetch(origin())).rejects.toThrow();
  });

  test("behind a TLS proxy it answers only at PUBLIC_URL", async () => {
    await start({ PUBLIC_URL: "https://observer.example" });
    const metadata = await askAs("observer.example", "/.well-known/oauth-protected-resource/mcp");
    expect(metadata.status).toBe(200);
    expect(JSON.parse(metadata.body)).toMatchObject({ resource: "https://observer.example/mcp" });
    const other = await askAs("evil.example", "/mcp");
    expect(other.status).toBe(421);
    expect(other.body).toContain("https://observer.example/mcp");
  });

  test("does not start with a missing or weak setting, and names it", async () => {
    const server = launch({ N8N_API_KEY: "", ACCESS_PASSPHRASE: "canary-47" });
    running = server;
    const [code] = await once(server.process, "exit");
    expect(code).toBe(1);
    expect(server.output()).toContain("N8N_API_KEY");
    expect(server.output()).toContain("ACCESS_PASSPHRASE");
    expect(server.output()).not.toContain("canary-47");
  });
});
