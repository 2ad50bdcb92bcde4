/**
 * `npm run dev`: the Worker on this machine, on what .dev.vars says. Further arguments are wrangler's.
 * Promises: works offline; prints the connector URL once the Worker answers; ends with wrangler's exit code.
 */
import { existsSync } from "node:fs";
import { readDevArguments } from "./dev-server/dev-arguments.ts";
import { onParentGone } from "./dev-server/parent-process.ts";
import { DEFAULT_PORT, findFreePort } from "./dev-server/ports.ts";
import { waitUntilAnswers } from "./dev-server/wait-until-answers.ts";
import { startWrangler } from "./dev-server/wrangler.ts";
import { inProject } from "./project.ts";

const READY_TIMEOUT_MS = 60_000;

const MISSING_SETTINGS = `There is no .dev.vars, which says where your n8n is.

  cp .dev.vars.example .dev.vars

Then fill in N8N_BASE_URL, N8N_API_KEY and ACCESS_PASSPHRASE, and call npm run dev again.
To look around without an n8n of your own: npm start`;

async function dev(args: readonly string[]): Promise<void> {
  const { port: wantedPort, speaksHttp, wranglerArguments } = readDevArguments(args);
  const port = wantedPort ?? (await findFreePort(DEFAULT_PORT));
  const wrangler = startWrangler(
    ["dev", "--port", String(port), "--inspector-port", "0", ...wranglerArguments],
    { stdio: "inherit" },
  );
  let hasEnded = false;
  wrangler.once("exit", (code) => {
    hasEnded = true;
    process.exitCode = code ?? 1;
  });
  // Ctrl-C in a terminal reaches wrangler by itself; both ways this process stays until wrangler has ended.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => wrangler.kill(signal));
  onParentGone(() => wrangler.kill("SIGTERM"));
  if (!speaksHttp) return;
  const origin = `http://localhost:${port}`;
  if (await waitUntilAnswers(origin, { timeoutMs: READY_TIMEOUT_MS, isOver: () => hasEnded })) {
    console.log(`\nConnector URL: ${origin}/mcp\n`);
  }
}

const args = process.argv.slice(2);
const { readsDevVars } = readDevArguments(args);
if (readsDevVars && !existsSync(inProject(".dev.vars"))) {
  console.error(MISSING_SETTINGS);
  process.exitCode = 1;
} else {
  await dev(args);
}
