/** The frame of every page. What stands inside is escaped by the renderer. */
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
        <style>{raw(STYLE)}</style>
      </head>
      <body>
        <main class={wide ? "wide" : ""}>
          <p class="brand">
            <Eye />
            n8n-observer
          </p>
          {children}
        </main>
      </body>
    </html>
  );
}

function Eye() {
  return (
    <svg
      width="24"
      height="24"
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
