/** The start page, as a person sees it in a browser. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { foreignRequests, launchBrowser, openWatched, type WatchedPage } from "./support/browser.ts";

const origin = inject("origin");
const connectorUrl = `${origin}/mcp`;
const CLIENTS = [
  "Claude Code",
  "VS Code",
  "Cursor",
  "n8n",
  "MCP inspector",
  "Any other client",
  "Claude, on the web and the desktop",
  "ChatGPT",
];

let browser: Browser;
let opened: WatchedPage;

beforeAll(async () => {
  browser = await launchBrowser();
  opened = await openWatched(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  await opened.page.goto(origin);
});
afterAll(async () => {
  await browser.close();
});

describe("the start page", () => {
  test("says how each client is connected, with this server's own URL", async () => {
    const { page } = opened;
    expect(await page.getByRole("heading", { level: 3 }).allTextContents()).toEqual(CLIENTS);
    expect(await page.getByRole("textbox", { name: "Connector URL" }).inputValue()).toBe(connectorUrl);
    expect(await page.getByLabel("Command for Claude Code").inputValue()).toBe(
      `claude mcp add --transport http n8n-observer ${connectorUrl}`,
    );
    expect(await page.getByLabel("Command for the MCP inspector").inputValue()).toBe(
      `npx @modelcontextprotocol/inspector --transport http --server-url ${connectorUrl}`,
    );
    expect(JSON.parse(await page.getByLabel("Content of Cursor’s mcp.json").inputValue())).toEqual({
      mcpServers: { "n8n-observer": { url: connectorUrl } },
    });
  });

  test("hands the connector to editors by their own links", async () => {
    const { page } = opened;
    const vsCode = (await page.getByRole("link", { name: "Add to VS Code" }).getAttribute("href")) ?? "";
    const [handler, config = ""] = vsCode.split("?");
    expect(handler).toBe("vscode:mcp/install");
    expect(JSON.parse(decodeURIComponent(config))).toEqual({
      name: "n8n-observer",
      type: "http",
      url: connectorUrl,
    });
    const cursor = new URL(
      (await page.getByRole("link", { name: "Add to Cursor" }).getAttribute("href")) ?? "",
    );
    expect(cursor.protocol + cursor.host + cursor.pathname).toBe(
      "cursor:anysphere.cursor-deeplink/mcp/install",
    );
    expect(cursor.searchParams.get("name")).toBe("n8n-observer");
    expect(JSON.parse(atob(cursor.searchParams.get("config") ?? ""))).toEqual({ url: connectorUrl });
  });

  test("gives its URL for copying by one click, without a script", async () => {
    const { page } = opened;
    await page.locator("main").getByText(connectorUrl, { exact: true }).click();
    await page.keyboard.press("ControlOrMeta+c");
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(connectorUrl);
  });

  test("gives its URL for copying by the tab key, without a mouse", async () => {
    const { page } = opened;
    await page.evaluate("navigator.clipboard.writeText('nothing yet')");
    await page.reload();
    await page.keyboard.press("Tab");
    await page.keyboard.press("ControlOrMeta+c");
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(connectorUrl);
  });

  test("asks no other origin for anything, and breaks no rule of its own", () => {
    expect(opened.requests.length).toBeGreaterThan(0);
    expect(foreignRequests(opened, origin)).toEqual([]);
    expect(opened.errors).toEqual([]);
  });
});

describe("an address that leads nowhere", () => {
  test("is answered by a page that says what to do", async () => {
    const { page, context } = await openWatched(browser);
    const answer = await page.goto(`${origin}/nowhere`);
    expect(answer?.status()).toBe(404);
    expect(await page.getByRole("region", { name: "What to do" }).textContent()).toContain("/mcp");
    await page.getByRole("link", { name: "How to connect" }).click();
    expect(page.url()).toBe(`${origin}/`);
    await context.close();
  });
});
