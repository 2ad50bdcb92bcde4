/**
 * Mermaid itself, in a real browser: it needs a document to read and to draw a chart. It is 120 MB, for this alone,
 * so it is installed into a cache outside the repository when it is first asked for.
 */
import { execFile } from "node:child_process";
import { mkdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium as playwright } from "playwright-core";
import * as z from "zod";
import { chromiumLaunchOptions } from "../browser/support/chromium.ts";

const drawn = z.union([
  /** The text in each box, without white space: Mermaid breaks lines. */
  z.strictObject({ labels: z.array(z.string()), edges: z.number() }),
  /** What Mermaid says against the chart. */
  z.strictObject({ error: z.string() }),
]);
type Drawn = z.infer<typeof drawn>;

export interface MermaidBrowser {
  readonly draw: (charts: readonly string[]) => Promise<Drawn[]>;
  readonly close: () => Promise<void>;
}

const VERSION = "12.3.0";
const run = promisify(execFile);

/** The script for browsers. @throws Error when npm cannot install it */
async function installMermaid(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "n8n-observer");
  const directory = join(cache, `mermaid-${VERSION}`);
  const script = join(directory, "node_modules", "mermaid", "dist", "mermaid.min.js");
  const isThere = await stat(script).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    await mkdir(directory, { recursive: true });
    const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    await run("npm", ["install", "--prefix", directory, ...quiet, `mermaid@${VERSION}`]);
  }
  return script;
}

/** Runs in the page, for which there are no types here. */
const DRAW = `async (charts) => {
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict", flowchart: { htmlLabels: false } });
  const drawn = [];
  for (const [index, chart] of charts.entries()) {
    try {
      await mermaid.parse(chart);
      const holder = document.createElement("div");
      holder.innerHTML = (await mermaid.render("chart" + index, chart)).svg;
      const labels = [...holder.querySelectorAll("g.node")].map((node) => node.textContent.replace(/\\s/g, ""));
      drawn.push({ labels, edges: holder.querySelectorAll("path.flowchart-link").length });
    } catch (error) {
      drawn.push({ error: String(error) });
    }
  }
  return drawn;
}`;

export async function openMermaid(): Promise<MermaidBrowser> {
  const browser = await playwright.launch({ ...(await chromiumLaunchOptions()), headless: true });
  const page = await browser.newPage();
  await page.setContent("<!doctype html><html><body></body></html>");
  await page.addScriptTag({ path: await installMermaid() });
  return {
    draw: async (charts) => z.array(drawn).parse(await page.evaluate(`(${DRAW})(${JSON.stringify(charts)})`)),
    close: async () => await browser.close(),
  };
}
