/**
 * The look of the pages. `npm run tools screenshots` writes these pictures into the documentation.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inProject } from "../../scripts/project.ts";
import { launchBrowser } from "./support/browser.ts";
import { openVariant } from "./support/page-variants.ts";

const MAXIMUM_BYTES = 80 * 1024;
const GROUND = { light: "rgb(245, 245, 250)", dark: "rgb(17, 19, 26)" };

/** Sizes of the pages. The documentation shows some of the pictures. */
const PHONE = { width: 360, height: 640 };
const DESKTOP = { width: 1120, height: 760 };
const WINDOW = { width: 640, height: 400 };

const PICTURES = [
  { file: "start-page-light.png", page: "start page", colorScheme: "light", ...DESKTOP },
  { file: "start-page-dark.png", page: "start page", colorScheme: "dark", ...DESKTOP },
  { file: "start-page-phone.png", page: "start page", colorScheme: "light", ...PHONE },
  { file: "start-page-phone-dark.png", page: "start page", colorScheme: "dark", ...PHONE },
  { file: "consent.png", page: "consent with the passphrase", colorScheme: "light", ...WINDOW },
  { file: "consent-dark.png", page: "consent with either", colorScheme: "dark", ...WINDOW },
  { file: "consent-provider.png", page: "consent with a provider", colorScheme: "light", ...WINDOW },
  { file: "consent-phone.png", page: "consent with the passphrase", colorScheme: "light", ...PHONE },
  { file: "consent-phone-dark.png", page: "consent with either", colorScheme: "dark", ...PHONE },
  { file: "first-run.png", page: "first run", colorScheme: "light", width: 640, height: 700 },
  { file: "first-run-phone.png", page: "first run, half done", colorScheme: "dark", ...PHONE },
  { file: "error.png", page: "failure", colorScheme: "light", ...WINDOW },
] as const;

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
});

describe("the picture", () => {
  test.each(PICTURES)("$file", async ({ file, page: name, colorScheme, width, height }) => {
    const page = await browser.newPage({ colorScheme, viewport: { width, height } });
    await openVariant(page, name);
    expect(await page.evaluate("getComputedStyle(document.documentElement).backgroundColor")).toBe(
      GROUND[colorScheme],
    );
    const picture = await page.screenshot({ fullPage: height === WINDOW.height });
    if (process.env.WRITE_SCREENSHOTS === "1") {
      expect(picture.length).toBeLessThan(MAXIMUM_BYTES);
      await mkdir(inProject("docs", "images"), { recursive: true });
      await writeFile(join(inProject("docs", "images"), file), picture);
    }
    await page.close();
  });
});

test.each(["consent with the passphrase", "consent with the passphrase, of an app on this computer"])(
  "%s shows Allow on a phone without scrolling",
  async (name) => {
    const page = await browser.newPage({ viewport: PHONE });
    await openVariant(page, name);
    const box = await page.getByRole("button", { name: "Allow", exact: true }).boundingBox();
    expect((box?.y ?? Number.NaN) + (box?.height ?? 0)).toBeLessThanOrEqual(PHONE.height);
    await page.close();
  },
);
