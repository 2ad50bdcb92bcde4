/**
 * Sends a page with the headers that every page of ours carries: nothing but the icon is loaded, no script runs,
 * no other site can frame it, and nothing is stored.
 *
 * `form-action` is `'self'`, and it can be because no form is ever answered with a redirect to
 * another site: browsers apply it to the whole chain of redirects, and the chain behind a client's
 * callback is not ours to know. See `leave.tsx`.
 */
import { createHash } from "node:crypto";
import type { HtmlEscapedString } from "hono/utils/html";
import { STYLE } from "./style.ts";

export type Page = HtmlEscapedString | Promise<HtmlEscapedString>;

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  // The icon.
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** `headers` are kept, apart from those that protect the page. */
export async function pageResponse(page: Page, status: number, headers = new Headers()): Promise<Response> {
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Cache-Control", "no-store");
  headers.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
  headers.set("X-Frame-Options", "DENY");
  headers.set("X-Content-Type-Options", "nosniff");
  // Not `no-referrer`: browsers then post the form with `Origin: null`, and its origin is checked.
  headers.set("Referrer-Policy", "same-origin");
  return new Response(`<!doctype html>${await page}`, { status, headers });
}
