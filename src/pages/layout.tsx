/** The frame of every page. The banner has nothing to focus, so there is no skip link, unless `bar` adds one. */
import type { Child } from "hono/jsx";
import { raw } from "hono/utils/html";
import { docsUrl, SOURCE_URL } from "../platform/about.ts";
import { VERSION } from "../platform/version.ts";
import { STYLE } from "./style.ts";

interface LayoutProps {
  readonly title: string;
  readonly wide?: boolean;
  /** The page must be sent with the same script and styles, or the browser ignores them. */
  readonly script?: string;
  readonly styles?: readonly string[];
  /** Content of the banner, in place of the name. */
  readonly bar?: Child;
  readonly children: Child;
}

export function Layout(props: LayoutProps) {
  const { title, wide = false, script, styles = [], bar, children } = props;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · n8n-observer`}</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        {[STYLE, ...styles].map((style) => (
          <style>{raw(style)}</style>
        ))}
      </head>
      <body class={wide ? "wide" : ""}>
        <header>
          <Eye />
          {bar === undefined ? "n8n-observer" : bar}
        </header>
        <main>{children}</main>
        <Footer />
        {script !== undefined && <script>{raw(script)}</script>}
      </body>
    </html>
  );
}

/** Links to other sites send no referrer: the server's address may be private. */
function Footer() {
  return (
    <footer>
      <span>Reads n8n, and changes nothing there.</span>
      <nav aria-label="About this server">
        <a href={docsUrl("README.md")} rel="noreferrer">
          Docs
        </a>
        <a href={SOURCE_URL} rel="noreferrer">
          Source
        </a>
        <a href="/privacy">Privacy</a>
      </nav>
      <span>n8n-observer {VERSION}</span>
    </footer>
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
