/** The picture of an answer, in a host from the MCP Apps package and a real Chromium. */
import { writeFile } from "node:fs/promises";
import { build } from "esbuild";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { inProject } from "../../scripts/project.ts";
import type { Envelope } from "../../src/mcp/envelope.ts";
import { WATERFALL_PAGE } from "../../src/views/waterfall-page.ts";
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { agentRunOf } from "../support/agent-run-of.ts";
import { createCaller, settingsFor } from "../support/call-recorded.ts";
import { axeViolations } from "./support/axe.ts";
import { launchBrowser, openWatched, type WatchedPage } from "./support/browser.ts";
import { answerOfDay, answerOfOutage, HOSTILE_COUNTS } from "./support/counted-answers.ts";
import { EXPLANATION, HOSTILE, TRACE } from "./support/picture-answers.ts";

const DIGEST = await answerOfDay("summarize_failures", {});
const HOURS = await answerOfDay("query_executions", { groupBy: ["hour"] });
const MANY_HOURS = await answerOfDay("query_executions", {
  groupBy: ["hour"],
  hours: 168,
  sortBy: "medianMs",
});
const WORKFLOWS = await answerOfDay("query_executions", { groupBy: ["workflow"], sortBy: "failures" });
const WORKFLOW_DAYS = await answerOfDay("query_executions", { groupBy: ["workflow", "day"], hours: 168 });

let browser: Browser;
let hostScript: string;
let opened: WatchedPage;
let view: Frame;

beforeAll(async () => {
  browser = await launchBrowser();
  const { outputFiles } = await build({
    entryPoints: [inProject("test", "browser", "picture-host", "host.ts")],
    bundle: true,
    write: false,
    format: "iife",
    target: "chrome123",
  });
  hostScript = outputFiles[0]?.text ?? "";
});
afterEach(async () => {
  await opened.context.close();
});
afterAll(async () => {
  await browser.close();
});

async function load(context: object = {}, options: object = {}): Promise<void> {
  opened = await openWatched(browser, options);
  const { page } = opened;
  await page.setContent("<!doctype html><title>Host</title><body></body>");
  await page.addScriptTag({ content: hostScript });
  await inHost(page, "load", WATERFALL_PAGE, context);
  const frame = page.frames()[1];
  if (frame === undefined) throw new Error("The host has no frame.");
  view = frame;
}

const inHost = async (page: Page, what: string, ...args: unknown[]): Promise<unknown> =>
  await page.evaluate(`testHost[${JSON.stringify(what)}](...${JSON.stringify(args)})`);
const noted = async (what: string): Promise<unknown> =>
  await opened.page.evaluate(`testHost[${JSON.stringify(what)}]`);
const show = async (answer: object): Promise<void> => {
  await inHost(opened.page, "show", { content: [{ type: "text", text: "text" }], structuredContent: answer });
  await view.locator("header").first().waitFor();
};
const lines = (): ReturnType<Frame["locator"]> => view.locator(".line");

describe("a trace", () => {
  beforeEach(async () => {
    await load();
    await show(TRACE);
  });

  test("has a line for each execution, with failures marked and bars at their times", async () => {
    expect(await lines().locator(".label").allTextContents()).toEqual(["Orders", "Stock", "On error"]);
    expect(await view.locator("li > .failed .label").allTextContents()).toEqual(["Orders", "Stock"]);
    const [first, second] = [
      await lines().nth(0).locator(".bar").boundingBox(),
      await lines().nth(1).locator(".bar").boundingBox(),
    ];
    expect(second?.x ?? 0).toBeGreaterThan(first?.x ?? 0);
    expect(second?.width ?? 0).toBeLessThan((first?.width ?? 0) * 0.6);
    expect(await view.locator("header p").textContent()).toBe(TRACE.message);
    expect(opened.errors).toEqual([]);
  });

  test("opens details by click, which call a tool and open n8n through the host", async () => {
    await lines().nth(1).click();
    expect(await view.locator("#details-1").textContent()).toContain("failed node");
    await opened.page.evaluate(
      `testHost.answer = { content: [{ type: "text", text: "Because of <b>stock</b>." }] }`,
    );
    await view.locator("#details-1").getByRole("button", { name: "Explain" }).click();
    await expect
      .poll(async () => await view.locator("#details-1 pre").textContent())
      .toBe("Because of <b>stock</b>.");
    expect(await noted("calls")).toEqual([{ name: "explain_failure", arguments: { executionId: "42" } }]);
    await view.locator("#details-1").getByRole("button", { name: "Open in n8n" }).click();
    await expect
      .poll(async () => await noted("links"))
      .toEqual(["https://n8n.example.com/workflow/w2/executions/42"]);
  });

  test("says so when the host refuses a call", async () => {
    await lines().nth(0).click();
    await view.locator("#details-0").getByRole("button", { name: "Summary" }).click();
    await expect
      .poll(async () => await view.locator("#details-0 pre").textContent())
      .toContain("The call failed: ");
  });

  test("can be used by keyboard alone", async () => {
    const { keyboard } = opened.page;
    await lines().nth(0).focus();
    await keyboard.press("ArrowDown");
    await keyboard.press("Enter");
    expect(await lines().nth(1).getAttribute("aria-expanded")).toBe("true");
    await keyboard.press("Tab");
    await keyboard.press("Escape");
    expect(await lines().nth(1).getAttribute("aria-expanded")).toBe("false");
    await keyboard.press("End");
    expect(await view.locator(".line:focus .label").textContent()).toBe("On error");
    await keyboard.press("Home");
    expect(await view.locator(".line:focus .label").textContent()).toBe("Orders");
  });

  test("reports its height to the host, and again when it grows", async () => {
    await expect.poll(async () => (await noted("heights")) as number[]).not.toEqual([]);
    const before = ((await noted("heights")) as number[]).at(-1) ?? 0;
    await lines().nth(1).click();
    await expect.poll(async () => ((await noted("heights")) as number[]).at(-1) ?? 0).toBeGreaterThan(before);
  });
});

test("a hostile answer stays text", async () => {
  await load();
  await show(HOSTILE);
  await lines().nth(0).click();
  expect(await view.locator("main img, main script, main a").count()).toBe(0);
  expect(await view.locator(".label").first().textContent()).toBe('<img src=x onerror="parent.hit=1">');
  expect(await view.getByRole("button", { name: "Open in n8n" }).count()).toBe(0);
  expect(await opened.page.evaluate("window.hit")).toBeUndefined();
  expect(opened.errors).toEqual([]);
});

test("a hostile series stays text, and an invalid time gets no column", async () => {
  await load();
  await show(HOSTILE_COUNTS);
  expect(await view.locator("main img, main script, main a").count()).toBe(0);
  expect(await view.locator("header p").textContent()).toBe("<script>parent.hit=1</script>");
  expect(await view.locator("rect").count()).toBeLessThan(5);
  expect(await opened.page.evaluate("window.hit")).toBeUndefined();
  expect(opened.errors).toEqual([]);
});

describe("a series", () => {
  beforeEach(async () => {
    await load();
    await show(HOURS);
  });

  test("has a column for each hour, with failures below the line", async () => {
    const box = await view.locator("figure svg").boundingBox();
    const well = await view
      .locator("rect.ok")
      .evaluateAll((all) => all.map((one) => Number(one.getAttribute("x"))));
    const failed = view.locator("rect.failed");
    expect(well).toHaveLength(24);
    expect(await failed.count()).toBeGreaterThan(15);
    const first = await failed.first().boundingBox();
    const above = await view.locator("rect.ok").first().boundingBox();
    expect(first?.y ?? 0).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0) - 1);
    expect((first?.y ?? 0) + (first?.height ?? 0)).toBeLessThanOrEqual(
      (box?.y ?? 0) + (box?.height ?? 0) + 1,
    );
  });

  test("is also given in words and numbers, which open by keyboard", async () => {
    expect(await view.locator("figcaption").textContent()).toMatch(
      /^Executions by hour, UTC Up to \d+\. Below the line: what failed, up to \d+\.$/,
    );
    await view.locator("summary").focus();
    await opened.page.keyboard.press("Enter");
    await view.locator("figure dl").waitFor();
    expect(await view.locator("figure dt").count()).toBe(24);
    expect(await view.locator("figure dt").first().textContent()).toBe("2026-11-17T15:00");
    expect(await view.locator("figure dd").first().textContent()).toMatch(/^\d+, \d+ failed$/);
  });
});

test("an incident can be explained, and a workflow's failures listed", async () => {
  await load();
  await show(DIGEST);
  await lines().nth(0).click();
  await view.locator("#details-0").getByRole("button", { name: "Explain" }).click();
  await show(WORKFLOWS);
  await lines().nth(0).click();
  await view.locator("#details-0").getByRole("button", { name: "Its failures" }).click();
  await expect
    .poll(async () => await noted("calls"))
    .toMatchObject([
      { name: "explain_failure" },
      { name: "summarize_failures", arguments: { workflowId: "w0" } },
    ]);
});

test("a host that never initializes receives nothing but the request to initialize", async () => {
  opened = await openWatched(browser);
  await opened.page.setContent("<!doctype html><title>Host</title><body></body>");
  await opened.page.evaluate(`{
    window.heard = [];
    addEventListener("message", ({ data }) => heard.push(data.method));
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts";
    frame.srcdoc = ${JSON.stringify(WATERFALL_PAGE)};
    document.body.append(frame);
  }`);
  await expect.poll(async () => await opened.page.evaluate("heard")).toEqual(["ui/initialize"]);
});

/** A directory for a picture of each look, if set. */
const LOOKS_DIRECTORY = process.env.LOOKS_DIRECTORY;

/** The pictures in the documentation: real answers with the failed line open. */
const PICTURES = [
  { file: "picture-trace", answer: await traceOf("req-deep-failure"), open: 2 },
  { file: "picture-agent-run", answer: await agentRunOf("nested-fails-3-1"), open: 1 },
  { file: "picture-incidents", answer: await answerOfOutage("summarize_failures", {}), open: 0 },
] as const;

describe.each(PICTURES)("the picture $file", ({ file, answer, open }) => {
  test.each(["light", "dark"] as const)("in %s", async (theme) => {
    await load({ theme }, { viewport: { width: 720, height: 500 }, colorScheme: theme });
    await show(answer);
    await lines().nth(open).click();
    const picture = await (await view.frameElement()).screenshot();
    if (process.env.WRITE_SCREENSHOTS === "1")
      await writeFile(inProject("docs", "images", `${file}-${theme}.png`), picture);
    expect(picture.length).toBeLessThan(80_000);
  });
});

async function traceOf(requestId: string): Promise<Envelope> {
  const n8n = await startRecordedN8n();
  try {
    return await createCaller({ settings: settingsFor(n8n) }).call("trace_request", { requestId });
  } finally {
    await n8n.close();
  }
}

const LOOKS = [
  { theme: "light", width: 720 },
  { theme: "dark", width: 720 },
  { theme: "light", width: 360 },
  { theme: "dark", width: 360 },
] as const;

describe.each([
  ["a trace", TRACE],
  ["an explanation", EXPLANATION],
  ["an agent's run", await agentRunOf("nested-fails-3-1")],
  ["a digest", DIGEST],
  ["hours", HOURS],
  ["many hours", MANY_HOURS],
  ["workflows", WORKFLOWS],
  ["workflows by day", WORKFLOW_DAYS],
])("%s", (name, answer) => {
  test.each(LOOKS)("is readable in $theme at $width pixels", async ({ theme, width }) => {
    await load({ theme }, { viewport: { width, height: 700 } });
    await show(answer);
    if ((await lines().count()) > 0) await lines().nth(0).click();
    expect(await axeViolations(view)).toEqual([]);
    if (LOOKS_DIRECTORY !== undefined)
      await opened.page.screenshot({
        path: `${LOOKS_DIRECTORY}/${name.replaceAll(" ", "-")}-${theme}-${width}.png`,
        fullPage: true,
      });
    const widths = await view.evaluate("[document.documentElement.scrollWidth, innerWidth]");
    expect(widths).toEqual([(widths as number[])[1], (widths as number[])[1]]);
    expect(opened.errors).toEqual([]);
  });
});

test("uses the host's colours, and follows their changes", async () => {
  await load({ theme: "light", styles: { variables: { "--color-background-primary": "rgb(1, 2, 3)" } } });
  const ground = async (): Promise<unknown> =>
    await view.evaluate("getComputedStyle(document.body).backgroundColor");
  expect(await ground()).toBe("rgb(1, 2, 3)");
  await inHost(opened.page, "wear", {
    theme: "dark",
    styles: { variables: { "--color-background-primary": "rgb(9, 9, 9)" } },
  });
  await expect.poll(ground).toBe("rgb(9, 9, 9)");
});
