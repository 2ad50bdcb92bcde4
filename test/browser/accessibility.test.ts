/**
 * Every page is accessible: axe-core's rules (WCAG 2.2 A and AA, best practice) hold in both colour schemes, and nothing
 * scrolls sideways at 320 px (WCAG 1.4.10).
 */
import axe, { type AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowser } from "./support/browser.ts";
import { openVariant, PAGE_VARIANTS } from "./support/page-variants.ts";

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  page = await browser.newPage();
});
afterAll(async () => {
  await browser.close();
});

/**
 * What axe-core finds or cannot decide. It cannot judge two things, so they are changed first. The background is a
 * gradient: each of its two colours is used for the whole in turn. The hidden field that holds the text to copy lies
 * under text of the same colours: that text is hidden.
 */
async function findProblems(): Promise<string[]> {
  const problems: string[] = [];
  await page.evaluate(axe.source);
  await page.addStyleTag({ content: ".copyable code { display: none }" });
  for (const ground of ["--ground", "--glow"]) {
    await page.addStyleTag({ content: `html { background: var(${ground}) !important }` });
    const { violations, incomplete }: AxeResults = await page.evaluate("axe.run()");
    problems.push(
      ...[...violations, ...incomplete].flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id} on ${ground}: ${html} ${failureSummary}`),
      ),
    );
  }
  return problems;
}

/** Collapsed content counts too. */
async function openDetails(): Promise<void> {
  await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
}

describe.each(Object.keys(PAGE_VARIANTS))("%s", (name) => {
  test.each(["light", "dark"] as const)("has no accessibility problem in %s", async (colorScheme) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme });
    await openVariant(page, name);
    await openDetails();
    expect(await findProblems()).toEqual([]);
  });

  test("fits 320 px", async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await openVariant(page, name);
    await openDetails();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
  });
});
