/** Mermaid itself, in a real browser: it needs a document to read and to draw a chart. */
import { createRequire } from "node:module";
import chromium from "@sparticuz/chromium";
import { chromium as playwright } from "playwright-core";
import * as z from "zod";

const drawn = z.union([
  /** The text in each box, without white space: Mermaid breaks lines. */
  z.strictObject({ labels: z.array(z.string()), edges: z.number() }),
  /** What Mermaid says against the chart. */
  z.strictObject({ error: z.string() }),
]);
export type Drawn = z.infer<typeof drawn>;

export interface MermaidBrowser {
  readonly draw: (charts: readonly string[]) => Promise<Drawn[]>;
  readonly close: () => Promise<void>;
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
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args,
    headless: true,
  });
  const page = await browser.newPage();
  await page.setContent("<!doctype html><html><body></body></html>");
  await page.addScriptTag({ path: createRequire(import.meta.url).resolve("mermaid/dist/mermaid.min.js") });
  return {
    draw: async (charts) => z.array(drawn).parse(await page.evaluate(`(${DRAW})(${JSON.stringify(charts)})`)),
    close: async () => await browser.close(),
  };
}
