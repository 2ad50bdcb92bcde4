/** The start page in a browser, with and without its script. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { foreignRequests, launchBrowser, openWatched, type WatchedPage } from "./support/browser.ts";

const origin = inject("origin");
const connectorUrl = `${origin}/mcp`;
const CLIENTS = ["Claude Code", "VS Code", "Cursor", "n8n", "Claude on the web, ChatGPT, Copilot Studio"];
const MORE_CLIENTS = [
  "Codex",
  "Gemini CLI",
  "Zed",
  "Windsurf",
  "Goose",
  "LibreChat",
  "Raycast",
  "Postman",
  "MCP inspector",
  "Apps that start local programs only",
  "Any other app",
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

const clipboard = async (): Promise<unknown> => {
  await opened.page.bringToFront();
  return await opened.page.evaluate("navigator.clipboard.readText()");
};
const clearClipboard = () => opened.page.evaluate("navigator.clipboard.writeText('nothing yet')");

describe("the start page", () => {
  test("says how to connect each client, with this server's URL", async () => {
    const { page } = opened;
    expect(await page.getByRole("heading", { level: 3 }).allTextContents()).toEqual(CLIENTS);
    await page.getByText("More apps:").click();
    expect(await page.getByRole("heading", { level: 3 }).allTextContents()).toEqual([
      ...CLIENTS,
      ...MORE_CLIENTS,
    ]);
    for (const [label, text] of [
      ["Connector URL", connectorUrl],
      ["Command for Claude Code", `claude mcp add --transport http n8n-observer ${connectorUrl}`],
      ["Command for Codex", `codex mcp add n8n-observer --url ${connectorUrl}`],
      ["Command for Gemini CLI", `gemini mcp add --transport http n8n-observer ${connectorUrl}`],
      [
        "Command for the MCP inspector",
        `npx @modelcontextprotocol/inspector --transport http --server-url ${connectorUrl}`,
      ],
    ] as const)
      expect(await page.getByRole("textbox", { name: label, exact: true }).inputValue()).toBe(text);
  });

  test.each([
    ["Content of Cursor’s mcp.json", { mcpServers: { "n8n-observer": { url: connectorUrl } } }],
    [
      "Content of Windsurf’s mcp_config.json",
      {
        mcpServers: {
          "n8n-observer": { serverUrl: connectorUrl, headers: { Authorization: "Bearer <service token>" } },
        },
      },
    ],
    [
      "Configuration with mcp-remote",
      { mcpServers: { "n8n-observer": { command: "npx", args: ["-y", "mcp-remote", connectorUrl] } } },
    ],
  ])("%s is JSON as the app reads it", async (name, content) => {
    const text = await opened.page.getByRole("textbox", { name, exact: true }).inputValue();
    expect(JSON.parse(text)).toEqual(content);
  });

  test("has links that install the connector in VS Code and Cursor", async () => {
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

  test("copies by a button, and confirms it", async () => {
    const { page } = opened;
    await clearClipboard();
    const button = page.getByRole("button", { name: "Copy Connector URL" });
    await button.click();
    expect(await clipboard()).toBe(connectorUrl);
    expect(await page.getByRole("status").textContent()).toBe("Copied");
    expect(await page.getByRole("button", { name: "Copied Connector URL" }).count()).toBe(1);
    await page.getByRole("button", { name: "Copy Command for Claude Code" }).click();
    expect(await clipboard()).toBe(`claude mcp add --transport http n8n-observer ${connectorUrl}`);
  });

  test("has the Copy button as high as the connector URL", async () => {
    const heightOf = (selector: string) =>
      opened.page.$eval(`.panel .copyable ${selector}`, (element) => element.getBoundingClientRect().height);
    expect(await heightOf("button")).toBeCloseTo(await heightOf("input"), 0);
  });

  test("selects its URL for copying by one click", async () => {
    await clearClipboard();
    const { page } = opened;
    await page.locator(".panel").getByText(connectorUrl, { exact: true }).click();
    await page.keyboard.press("ControlOrMeta+c");
    expect(await clipboard()).toBe(connectorUrl);
  });

  test("selects its URL for copying by the tab key", async () => {
    const { page } = opened;
    await clearClipboard();
    await page.reload();
    // The link to the page for people comes first.
    for (const _stop of ["the page", "the URL"]) await page.keyboard.press("Tab");
    await page.keyboard.press("ControlOrMeta+c");
    expect(await clipboard()).toBe(connectorUrl);
  });

  test("links to the documentation, the source and the privacy page", async () => {
    const { page } = opened;
    const links = page.getByRole("navigation", { name: "About this server" }).getByRole("link");
    expect(await links.allTextContents()).toEqual(["Docs", "Source", "Privacy"]);
    expect(await page.getByRole("contentinfo").textContent()).toMatch(/n8n-observer \d+\.\d+\.\d+/);
  });

  test("makes no request to another origin, and violates no policy of its own", () => {
    expect(opened.requests.length).toBeGreaterThan(0);
    expect(foreignRequests(opened, origin)).toEqual([]);
    expect(opened.errors).toEqual([]);
  });

  test("runs no script but its own", async () => {
    const { page, context, errors } = await openWatched(browser);
    await page.goto(origin);
    await expect(page.addScriptTag({ content: "document.title = 'taken over'" })).rejects.toThrow();
    expect(await page.title()).toBe("What happened in n8n? · n8n-observer");
    expect(errors.join("\n")).toContain("Content Security Policy");
    await context.close();
  });
});

describe("without a script", () => {
  test("the page is complete, has no dead button, and a click still selects", async () => {
    const { page, context } = await openWatched(browser, { javaScriptEnabled: false });
    await clearClipboard();
    await page.goto(origin);
    expect(await page.getByRole("button").count()).toBe(0);
    await page.getByText("More apps:").click();
    expect(await page.getByRole("heading", { level: 3 }).count()).toBe(CLIENTS.length + MORE_CLIENTS.length);
    await page.locator(".panel").getByText(connectorUrl, { exact: true }).click();
    await page.keyboard.press("ControlOrMeta+c");
    expect(await clipboard()).toBe(connectorUrl);
    await context.close();
  });
});

describe("an unknown address", () => {
  test("is answered with a page that says what to do", async () => {
    const { page, context } = await openWatched(browser);
    const answer = await page.goto(`${origin}/nowhere`);
    expect(answer?.status()).toBe(404);
    expect(await page.getByRole("region", { name: "What to do" }).textContent()).toContain("/mcp");
    await page.getByRole("link", { name: "How to connect" }).click();
    expect(page.url()).toBe(`${origin}/`);
    await context.close();
  });
});
