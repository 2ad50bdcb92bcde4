/**
 * A browser, and pages that are watched: what they print to the console, what they refuse for the sake of
 * their policy, and which other origins they ask for anything.
 */
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { chromiumLaunchOptions } from "./chromium.ts";

/** A page must do what it does within this time, in milliseconds. */
const ACTION_TIMEOUT_MS = 10_000;

export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch(await chromiumLaunchOptions());
}

export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console, among them each violation of the page's Content-Security-Policy. */
  readonly errors: readonly string[];
  /** Every request, as `<method> <URL>`. */
  readonly requests: readonly string[];
}

/** A page in a context of its own: cookies are shared with no other. */
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

/** The requests that left for any other origin. */
export function foreignRequests({ requests }: WatchedPage, origin: string): string[] {
  return requests.filter((request) => new URL(request.slice(request.indexOf(" ") + 1)).origin !== origin);
}
