/**
 * Sends a page with the headers that all our pages have: only the icon is loaded, no other site can frame the page,
 * and it is not stored. No script runs except the copy script, allowed by its hash on pages that have it.
 *
 * `form-action` can be `'self'` because no form is ever answered with a redirect to
 * another site: browsers apply it to the whole chain of redirects, and we cannot know the chain behind a client's
 * callback. See `leave.tsx`.
 */
import { createHash } from "node:crypto";
import type { HtmlEscapedString } from "hono/utils/html";
import { COPY_SCRIPT } from "./copy-script.ts";
import { STYLE } from "./style.ts";

export type Page = HtmlEscapedString | Promise<HtmlEscapedString>;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const RULES = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  // The icon.
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];
const CONTENT_SECURITY_POLICY = RULES.join("; ");
const WITH_COPY_BUTTONS = [...RULES, `script-src ${hashOf(COPY_SCRIPT)}`].join("; ");

interface PageOptions {
  /** The page has the copy script. */
  readonly copyButtons?: boolean;
}

/** `headers` are kept, except those that protect the page. */
export async function pageResponse(
  page: Page,
  status: number,
  headers = new Headers(),
  { copyButtons = false }: PageOptions = {},
): Promise<Response> {
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Cache-Control", "no-store");
  headers.set("Content-Security-Policy", copyButtons ? WITH_COPY_BUTTONS : CONTENT_SECURITY_POLICY);
  headers.set("X-Frame-Options", "DENY");
  headers.set("X-Content-Type-Options", "nosniff");
  // Not `no-referrer`: browsers then post the form with `Origin: null`, and its origin is checked.
  headers.set("Referrer-Policy", "same-origin");
  return new Response(`<!doctype html>${await page}`, { status, headers });
}

/** Sends plain text that anyone may read. */
export const serveText = (text: string): Response =>
  new Response(text, {
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "public, max-age=3600",
      "X-Content-Type-Options": "nosniff",
    },
  });
