/**
 * Bundles `src/views/waterfall` into one self-contained page, whose policy allows only its script and its style, by
 * their digests. Promises: the same sources give the same text.
 */
import { createHash } from "node:crypto";
import { build } from "esbuild";
import { inProject } from "../project.ts";

const SOURCES = inProject("src", "views", "waterfall");

async function bundle(entry: string, loader: "ts" | "css"): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${SOURCES}/${entry}`],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    // Browsers of hosts, including those of phones.
    target: ["chrome123", "safari17.5", "firefox120"],
    charset: "utf8",
    legalComments: "none",
    loader: { [`.${loader}`]: loader },
  });
  return (outputFiles[0]?.text ?? "").trim();
}

const digestOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

async function viewPage(): Promise<string> {
  const [script, style] = [await bundle("main.ts", "ts"), await bundle("style.css", "css")];
  const policy = `default-src 'none'; script-src ${digestOf(script)}; style-src ${digestOf(style)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>n8n-observer</title>
<style>${style}</style>
</head>
<body><main aria-busy="true"></main><script>${script}</script></body>
</html>
`;
}

/** The module that the server imports. */
export const viewModule =
  async (): Promise<string> => `/** Generated from src/views/waterfall by \`npm run generate\`. Do not edit. */
export const WATERFALL_PAGE = ${JSON.stringify(await viewPage())};
`;
