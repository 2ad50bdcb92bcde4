/**
 * The commands of the documentation, and what the tests do with each: `documented-commands.test.ts`
 * runs it, or it is listed here with the reason why it cannot be run. A command that is neither fails
 * `commands.test.ts`.
 */
import { globSync, readFileSync } from "node:fs";
import { type Fence, readParts } from "../../scripts/check/markdown.ts";
import { inProject } from "../../scripts/project.ts";

export interface CommandBlock {
  /** `docs/audit.md:27` */
  readonly place: string;
  readonly commands: readonly string[];
  /** Its documented output: the block right behind it, if that is a text block. */
  readonly output: string | undefined;
}

/** Historical documents: their commands need not work today. */
const HISTORICAL = new Set(["CHANGELOG.md", "docs/decisions.md"]);
const SHELLS = new Set(["sh", "bash", "shell", "console"]);
const LOOKS_LIKE_COMMANDS =
  /^(?:\$ )?(?:npm|npx|node|git|cp|install|cd|docker|openssl|printf|curl|token=|claude|cloudflared) ?/;

/** Why a command is not run, by its beginning. The first match counts. */
export const NOT_RUN: readonly (readonly [RegExp, string])[] = [
  [/^npm ci( && npm test)?$/, "the tests run in what it has installed"],
  [
    /^npm test$|^npm run (?:tools test\b|tools conformance|test:all|check)\b/,
    "it is these tests, or runs beside them in CI",
  ],
  [
    /^npm start\b|^npm ci && npm start$/,
    "`test/clients/start.test.ts` runs it, and so do these tests, to ask it",
  ],
  [/^npm run (dev|serve)\b/, "runs until it is stopped; tests of their own start the same server"],
  [
    /^npm run (setup|doctor|admin token|admin status)\b/,
    "asks, or needs a server of one's own; has tests of its own",
  ],
  [/^npm run index$/, "runs until the index is whole; `test/clients/audit.test.ts` runs it on one that is"],
  [/^npm run (tools|generate)\b/, "takes long, or writes into the repository"],
  [/^npm run test:n8n\b/, "needs an n8n of one's own; `test/scripts/given-n8n.test.ts` has a small one"],
  [
    /^npm run deploy$|^npx wrangler (?:login|deploy|secret|tail|kv|versions|rollback)/,
    "needs an account at Cloudflare",
  ],
  [/--url https:/, "asks a server that is deployed"],
  [
    /^npm run admin users -- revoke/,
    "nobody is signed in here; `test/worker/operator/revocation.test.ts` revokes",
  ],
  [
    /^npm run admin access\b/,
    "needs a server with access rules; `test/worker/access-rules.test.ts` asks one for what it prints",
  ],
  [/^docker |^cloudflared /, "needs Docker, or Cloudflare's program"],
  [/^install -m 600 \.dev\.vars\.example /, "would take the place of the settings of whoever runs the tests"],
  [/^git /, "needs the repository's address"],
  [
    /^(?:claude|codex|gemini|npx (?:-y )?(?:@modelcontextprotocol\/inspector|mcp-remote|mcporter))/,
    "another program",
  ],
];

/** The commands that are run, by their beginning. */
export const RUN = /^(?:npm run (?:ask|admin (?:audit|users|index))\b|openssl |printf |token=|export )/;

export const reasonNotToRun = (command: string): string | undefined =>
  NOT_RUN.find(([form]) => form.test(command))?.[1];

export function readCommandBlocks(): CommandBlock[] {
  const files = globSync(["*.md", "docs/**/*.md"], { cwd: inProject() }).filter(
    (file) => !HISTORICAL.has(file),
  );
  return files.sort().flatMap((file) => blocksOf(file, readFileSync(inProject(file), "utf8")));
}

function blocksOf(file: string, document: string): CommandBlock[] {
  const lines = document.split("\n");
  const { fences } = readParts(document);
  return fences.filter(isCommandBlock).map((fence) => {
    const next = fences.find(({ line }) => line > fence.line);
    const end = fence.line + fence.text.split("\n").length + 1;
    const isRightBehind =
      next?.language === "text" && lines.slice(end, next.line - 1).every((line) => line.trim() === "");
    return {
      place: `${file}:${fence.line}`,
      commands: commandsOf(fence),
      output: isRightBehind ? next.text : undefined,
    };
  });
}

const isCommandBlock = ({ language, text }: Fence): boolean =>
  SHELLS.has(language) || (language === "" && LOOKS_LIKE_COMMANDS.test(text));

/** One command per line, without prompt and comment. In a terminal session, all lines without a prompt are output. */
function commandsOf({ text }: Fence): string[] {
  const joined = text.replace(/\\\n\s*/g, " ").split("\n");
  const typed = joined.some((line) => line.startsWith("$ "))
    ? joined.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2))
    : joined;
  return typed.map((line) => line.replace(/(^|\s)#\s.*$/, "").trim()).filter((line) => line !== "");
}
