/**
 * `npm run dev` on a machine whose browser shows a foreign web page: what the page gets from each port
 * that the command has opened. A browser lets it read only answers that allow its origin, but lets it open any WebSocket
 * whose server does not check the origin. That is how a page can take over a debugger.
 */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { startDev, writeDevVars } from "../support/dev-command.ts";
import { listeningPorts } from "../support/process-tree.ts";
import { copyProject, type ProjectCopy } from "../support/project-copy.ts";
import { launchBrowser, openWatched } from "./support/browser.ts";
import { startSite } from "./support/sites.ts";

/**
 * The page's script. It reads what it can, then opens each WebSocket twice, as workerd's debugger answers only the second
 * connection, and evaluates an expression in the Worker.
 */
const SCRIPT = `async (ports) => {
  const got = [];
  for (const port of ports) {
    for (const path of ["/", "/json", "/json/list", "/core:user:n8n-observer", "/mcp"]) {
      const response = await fetch("http://localhost:" + port + path).catch(() => undefined);
      if (response?.ok) got.push("read " + path);
    }
    const open = (path) => new Promise((resolve) => {
      const socket = new WebSocket("ws://localhost:" + port + path);
      const send = (id, method, params) => socket.send(JSON.stringify({ id, method, params }));
      socket.onopen = () => { got.push("opened " + path); send(1, "Runtime.enable", {}); };
      socket.onmessage = ({ data }) => {
        const { method, id, params, result } = JSON.parse(data);
        if (method === "Runtime.executionContextCreated")
          send(2, "Runtime.evaluate", { expression: "6 * 7", contextId: params.context.id });
        if (id === 2) got.push("evaluated " + result?.result?.value);
      };
      socket.onclose = resolve;
      setTimeout(() => { socket.close(); resolve(); }, 2_000);
    });
    const paths = ["/", "/observer", "/core:user:n8n-observer", "/mcp"];
    await Promise.all([...paths, ...paths].map(open));
  }
  return got;
}`;

let n8n: RecordedN8n;
let copy: ProjectCopy;
let browser: Browser;

beforeAll(async () => {
  n8n = await startRecordedN8n();
  copy = await copyProject();
  await writeDevVars(copy, n8n);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await copy.remove();
  await n8n.close();
});

async function whatPageGets(...args: string[]): Promise<string[]> {
  const server = await startDev(copy, ...args);
  const site = await startSite("<h1>Harmless</h1>");
  const { page, context } = await openWatched(browser);
  try {
    await page.goto(site.origin);
    const ports = await listeningPorts(server.pid);
    expect(ports).toContain(server.port);
    return z.array(z.string()).parse(await page.evaluate(`(${SCRIPT})(${JSON.stringify(ports)})`));
  } finally {
    await context.close();
    await site.close();
    await server.stop();
  }
}

describe("a page of another origin", () => {
  test("gets nothing from any port that npm run dev opens", async () => {
    expect(await whatPageGets()).toEqual([]);
  });

  // Proves that the test above would notice an open debugger.
  test("runs code of its own in the Worker once --inspect has opened the debugger", async () => {
    expect(await whatPageGets("--inspect")).toContain("evaluated 42");
  });
});
