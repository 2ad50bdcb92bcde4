/**
 * `npm run dev`, on a machine where `wrangler dev` ran before and a foreign web page is open in the browser.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { type DevCommand, startDev, writeDevVars } from "../support/dev-command.ts";
import { whatForeignPageGets } from "../support/foreign-page.ts";
import { listeningPorts } from "../support/process-tree.ts";
import { copyProject, type ProjectCopy } from "../support/project-copy.ts";
import { PASSPHRASE } from "../support/test-worker.ts";

const TIMEOUT_MS = 50_000;
const POLL_INTERVAL_MS = 100;

let n8n: RecordedN8n;
let copy: ProjectCopy;

beforeAll(async () => {
  n8n = await startRecordedN8n();
  copy = await copyProject();
  await writeDevVars(copy, n8n);
});
afterAll(async () => {
  await n8n.close();
  await copy.remove();
});

async function until(isTrue: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  for (const deadline = Date.now() + TIMEOUT_MS; !(await isTrue()); await sleep(POLL_INTERVAL_MS))
    if (Date.now() > deadline) throw new Error(what());
}

async function ask(...args: string[]): Promise<string> {
  const command = [copy.inCopy("scripts", "ask.ts"), ...args];
  return (await promisify(execFile)(process.execPath, command, { cwd: copy.directory })).stdout;
}

describe.skipIf(process.platform === "win32")("npm run dev", () => {
  let server: DevCommand;
  let oldFile: string;

  beforeAll(async () => {
    // Files as `wrangler dev` leaves them.
    const oldFolder = copy.inCopy(".wrangler", "state", "v3", "kv");
    oldFile = join(oldFolder, "old.sqlite");
    await mkdir(oldFolder, { recursive: true });
    await writeFile(oldFile, "", { mode: 0o644 });
    for (const folder of [copy.inCopy(".wrangler"), oldFolder]) await chmod(folder, 0o755);
    server = await startDev(copy);
  });
  afterAll(async () => {
    await server.stop();
  });

  test("prints its URL, no warning and no secret", () => {
    expect(server.output()).toContain(`Connector URL: ${server.origin}/mcp`);
    expect(server.output()).not.toContain("Not ready yet");
    expect(server.output()).not.toContain("debugger");
    expect(server.output()).not.toContain(n8n.apiKey);
    expect(server.output()).not.toContain(PASSPHRASE);
  });

  test("opens one port, and a web page gets nothing from it", async () => {
    const ports = await listeningPorts(server.pid);
    expect(ports).toEqual([server.port]);
    expect(await whatForeignPageGets(ports)).toEqual([]);
  });

  test("ignores MF-Original-URL, with which a client of wrangler dev chooses the address", async () => {
    const url = `${server.origin}/.well-known/oauth-protected-resource/mcp`;
    const spoofed = "http://evil.example/.well-known/oauth-protected-resource/mcp";
    const response = await fetch(url, { headers: { "MF-Original-URL": spoofed } });
    expect(await response.json()).toMatchObject({ resource: `${server.origin}/mcp` });
    const rerouted = await fetch(`${server.origin}/nothing`, {
      headers: { "MF-Original-URL": `${server.origin}/health` },
    });
    expect(rerouted.status).toBe(404);
  });

  test.each([
    "/__scheduled",
    "/cdn-cgi/handler/scheduled",
    "/cdn-cgi/mf/scheduled",
    "/cdn-cgi/local/explorer",
  ])("does not serve %s, which wrangler dev answers without a sign-in", async (path) => {
    const response = await fetch(`${server.origin}${path}`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('"not_found"');
  });

  test("makes .wrangler accessible to its owner only, whatever created it", async () => {
    const entries = await readdir(copy.inCopy(".wrangler"), { recursive: true, withFileTypes: true });
    const modes = await Promise.all(
      entries.map(async (entry) => {
        const { mode } = await stat(join(entry.parentPath, entry.name));
        return `${entry.isDirectory() ? "folder" : "file"} ${(mode & 0o777).toString(8)}`;
      }),
    );
    expect(new Set(modes)).toEqual(new Set(["folder 700", "file 600"]));
    expect((await stat(copy.inCopy(".wrangler"))).mode & 0o777).toBe(0o700);
    expect(existsSync(oldFile)).toBe(true);
  });

  test("npm run ask finds the server and its token", async () => {
    expect(await ask("req-deep-failure")).toMatch(/^Request "req-deep-failure" failed at node "Fetch Rate"/);
  });

  test("serves the current source, and the last working one after a syntax error", async () => {
    const pages = copy.inCopy("src", "sign-in", "failure.ts");
    const source = await readFile(pages, "utf8");
    const notFound = async (): Promise<string> => {
      // While workerd restarts, nothing answers.
      const response = await fetch(`${server.origin}/nothing`).catch(() => undefined);
      return (await response?.text()) ?? "";
    };
    await writeFile(pages, source.replace("No page and no endpoint", "Not one page and no endpoint"));
    await until(
      async () => (await notFound()).includes("Not one page"),
      () => server.output(),
    );
    await writeFile(pages, `${source}\nconst = ;`);
    await until(
      () => server.output().includes("could not be bundled"),
      () => server.output(),
    );
    expect(await notFound()).toContain("Not one page");
    await writeFile(pages, source);
    await until(
      async () => (await notFound()).includes("No page and no endpoint"),
      () => server.output(),
    );
  });

  test("ends when stopped, and removes its session", async () => {
    expect(await server.stop()).toBe(0);
    await expect(fetch(server.origin)).rejects.toThrow();
    expect(existsSync(copy.inCopy(".wrangler", "start", `dev-${server.port}`))).toBe(false);
  });
});

describe.skipIf(process.platform === "win32")("npm run dev -- --inspect", () => {
  // Proves that the test above would notice an open debugger.
  test("opens a debugger to every web page, and says so", async () => {
    const server = await startDev(copy, "--inspect");
    try {
      const ports = await listeningPorts(server.pid);
      expect(ports).toHaveLength(2);
      const [debuggerPort = 0] = ports.filter((each) => each !== server.port);
      expect(server.output()).toContain(`A debugger is open at 127.0.0.1:${debuggerPort} (--inspect)`);
      expect(server.output()).toContain("read your n8n key, the passphrase");
      const got = await whatForeignPageGets(ports);
      expect(got).toContainEqual(expect.stringMatching(`^${debuggerPort}/\\S+ is a WebSocket`));
    } finally {
      await server.stop();
    }
  });
});
