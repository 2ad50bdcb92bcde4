/**
 * Sends a page with the headers of all our pages: only the icon is loaded, no other site can frame the page, and it is
 * not stored. Scripts and style sheets are constant, so the policy names them by their hashes, and nothing else runs,
 * whatever an answer contains.
 *
 * `form-action` can be `'self'` because no form is answered with a redirect to another site: browsers apply it to the
 * whole chain of redirects, and we cannot know the chain behind a client's callback. See `leave.tsx`.
 */
import type { HtmlEscapedString } from "hono/utils/html";
import { memoizeLast } from "../platform/memoize.ts";
import { sha256Text } from "../platform/sha256.ts";
import { STYLE } from "./style.ts";

export type Page = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The inline content of a page, in addition to the style of all pages. */
export interface PageOptions {
  readonly script?: string;
  readonly styles?: readonly string[];
  /** The page reloads parts of itself from this server. */
  readonly connects?: boolean;
}

/** All scripts and style sheets fit into the cache. */
const hashOf = memoizeLast((text) => `'sha256-${sha256Text("base64", text)}'`, 16);

function policyOf({ script, styles = [], connects = false }: PageOptions): string {
  return [
    "default-src 'none'",
    `style-src ${[STYLE, ...styles].map(hashOf).join(" ")}`,
    // The icon.
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(connects ? ["connect-src 'self'"] : []),
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
  ].join("; ");
}

/** Keeps `headers`, but overwrites those that protect the page. */
export async function pageResponse(
  page: Page,
  status: number,
  headers = new Headers(),
  options: PageOptions = {},
): Promise<Response> {
  protectPage(headers, options);
  return new Response(`<!doctype html>${await page}`, { status, headers });
}

export function protectPage(headers: Headers, options: PageOptions): void {
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Cache-Control", "no-store");
  headers.set("Content-Security-Policy", policyOf(options));
  headers.set("X-Frame-Options", "DENY");
  headers.set("X-Content-Type-Options", "nosniff");
  // Not `no-referrer`: browsers then post the form with `Origin: null`, and its origin is checked.
  headers.set("Referrer-Policy", "same-origin");
}

export const serveText = (text: string): Response =>
  new Response(text, {
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "public, max-age=3600",
      "X-Content-Type-Options": "nosniff",
    },
  });
