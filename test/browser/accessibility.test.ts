/**
 * Every page for everyone: axe-core's rules (WCAG 2.2 A and AA, best practice) in both colour schemes, and no
 * sideways scrolling at 320 px (WCAG 1.4.10).
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
 * What axe-core finds, and what it could not decide. Two things it cannot judge. The ground runs from one colour
 * into another: each of the two stands for the whole in turn. A field of what is copied lies under text of the
 * same colours: that is taken away.
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

/** What is folded away counts, too. */
async function openDetails(): Promise<void> {
  await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
}

describe.each(Object.keys(PAGE_VARIANTS))("%s", (name) => {
  test.each(["light", "dark"] as const)("has nothing that keeps anyone out, in %s", async (colorScheme) => {
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
