/**
 * The frame of every page: a banner, the main part, and what the project is. What stands inside is
 * escaped by the renderer. There is nothing to tab through before the main part, so no skip link.
 */
import type { Child } from "hono/jsx";
import { raw } from "hono/utils/html";
import { STYLE } from "./style.ts";

interface LayoutProps {
  readonly title: string;
  readonly wide?: boolean;
  readonly children: Child;
}

export function Layout({ title, wide = false, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · n8n-observer`}</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <style>{raw(STYLE)}</style>
      </head>
      <body class={wide ? "wide" : ""}>
        <header>
          <Eye />
          n8n-observer
        </header>
        <main>{children}</main>
        <footer>It looks into n8n, and only ever reads.</footer>
      </body>
    </html>
  );
}

function Eye() {
  return (
    <svg
      width="26"
      height="26"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      aria-hidden="true"
    >
      <path d="M2 12s3.6-7 10-7 10 7 10 7-3.6 7-10 7S2 12 2 12z" />
      <circle cx="12" cy="12" r="3" fill="currentColor" />
    </svg>
  );
}
