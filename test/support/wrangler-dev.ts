/**
 * The Worker in `wrangler dev`, as run by hand. No command of ours uses it, because it opens a debugger without
 * a sign-in. It is needed for storage in wrangler's own format.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { writePrivately } from "../../scripts/dev-server/session-file.ts";
import { waitUntilAnswers } from "../../scripts/dev-server/wait-until-answers.ts";
import { WRANGLER, wranglerEnvironment } from "../../scripts/dev-server/wrangler.ts";
import { projectDirectory } from "../../scripts/project.ts";
import { type TestPlace, type TestWorker, toTestSettings } from "./test-worker.ts";

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;

/** Its storage is in the folder `state` of the place. */
export async function startInWranglerDev(
  n8n: { readonly baseUrl: string; readonly apiKey: string },
  { directory, port }: TestPlace,
): Promise<Omit<TestWorker, "processId">> {
  const settings = Object.entries(toTestSettings(n8n)).map(([name, value]) => `${name}='${value}'\n`);
  const envFile = await writePrivately(directory, "settings.env", settings.join(""));
  const args = ["--env-file", envFile, "--port", String(port), "--persist-to", join(directory, "state")];
  const wrangler = spawn(process.execPath, [WRANGLER, "dev", "--inspector-port", "0", ...args], {
    cwd: projectDirectory,
    env: wranglerEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let printed = "";
  for (const stream of [wrangler.stdout, wrangler.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  const stop = async (): Promise<void> => {
    if (wrangler.pid === undefined || wrangler.exitCode !== null || wrangler.signalCode !== null) return;
    const ended = once(wrangler, "exit");
    wrangler.kill("SIGTERM");
    await Promise.race([ended, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    killGroup(wrangler.pid);
  };
  const origin = `http://localhost:${port}`;
  const isOver = () => wrangler.exitCode !== null;
  if (!(await waitUntilAnswers(origin, { timeoutMs: READY_TIMEOUT_MS, isOver }))) {
    await stop();
    throw new Error(`wrangler dev did not start. It says:\n\n${printed}`);
  }
  return { origin, mcpUrl: `${origin}/mcp`, output: () => printed, stop };
}

/** Kills the process group, children included. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (Object(error).code !== "ESRCH") throw error;
  }
}
