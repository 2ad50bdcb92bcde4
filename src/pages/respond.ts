/**
 * Sends a page with the headers that all our pages have: only the icon is loaded, no other site can frame the page,
 * and it is not stored. Scripts and style sheets are ours and constant, so the policy names them by their hashes: those of
 * the page run and nothing else does, whatever an answer smuggled in.
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

/** What a page has inline, besides the style of all pages. */
export interface Inline {
  readonly script?: string;
  readonly styles?: readonly string[];
  /** The page reloads parts of itself from this server. */
  readonly connects?: boolean;
}

export interface PageOptions extends Inline {
  readonly copyButtons?: boolean;
}

const hashes = new Map<string, string>();

function hashOf(text: string): string {
  const hash = hashes.get(text) ?? `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  hashes.set(text, hash);
  return hash;
}

function policyOf({ script, styles = [], connects = false, copyButtons = false }: PageOptions): string {
  const scripts = [...(copyButtons ? [COPY_SCRIPT] : []), ...(script === undefined ? [] : [script])];
  return [
    "default-src 'none'",
    `style-src ${[STYLE, ...styles].map(hashOf).join(" ")}`,
    // The icon.
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(connects ? ["connect-src 'self'"] : []),
    ...(scripts.length === 0 ? [] : [`script-src ${scripts.map(hashOf).join(" ")}`]),
  ].join("; ");
}

/** `headers` are kept, except those that protect the page. */
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
