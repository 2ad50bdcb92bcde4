/**
 * A browser, and pages whose console, policy violations and requests
 * are watched.
 */
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { chromiumLaunchOptions } from "./chromium.ts";

/** The time within which a page has to react. */
const ACTION_TIMEOUT_MS = 10_000;

export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch(await chromiumLaunchOptions());
}

export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and warnings on the console, including violations of the page's Content-Security-Policy. */
  readonly errors: readonly string[];
  /** Every request, as `<method> <URL>`. */
  readonly requests: readonly string[];
}

/** Opens a page in a context of its own, which shares no cookies. */
export async function openWatched(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(ACTION_TIMEOUT_MS);
  const page = await context.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("request", (request) => requests.push(`${request.method()} ${request.url()}`));
  return { page, context, errors, requests };
}

/** Id or text of the element with the focus. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()");

/** Presses the tab key until this element has the focus. @returns the elements that had it, in order */
export async function tabTo(page: Page, last: string): Promise<string[]> {
  const order: string[] = [];
  while (order.at(-1) !== last && order.length < 20) {
    await page.keyboard.press("Tab");
    order.push(await focused(page));
  }
  return order;
}

/** The requests to other origins. */
export function foreignRequests({ requests }: WatchedPage, origin: string): string[] {
  return requests.filter((request) => new URL(request.slice(request.indexOf(" ") + 1)).origin !== origin);
}
