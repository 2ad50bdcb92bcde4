/**
 * The blocks of commands in the documentation, run unchanged in a shell, against a server that `npm start`
 * runs. Their output is as documented. `test/docs/command-lines.ts` lists the commands that cannot be run here.
 */
import { execFile, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { delimiter } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFreePort } from "../../scripts/dev-server/ports.ts";
import { inProject, projectDirectory } from "../../scripts/project.ts";
import { readCommandBlocks, reasonNotToRun } from "../docs/command-lines.ts";

const FIRST_PORT = 19_787;
const READY_TIMEOUT_MS = 50_000;
const POLL_INTERVAL_MS = 50;

const blocks = readCommandBlocks()
  .map((block) => ({
    ...block,
    commands: block.commands.filter((each) => reasonNotToRun(each) === undefined),
  }))
  // Without a command that can be run here, a setting alone proves nothing.
  .filter(({ commands }) => commands.some((each) => !each.startsWith("export ")));

describe.skipIf(process.platform === "win32")("the documented commands", () => {
  let port = 0;
  let stop: () => boolean;

  beforeAll(async () => {
    port = await findFreePort(FIRST_PORT);
    const started = spawn(process.execPath, ["scripts/start.ts", "--port", String(port)], {
      cwd: projectDirectory,
      stdio: ["ignore", "pipe", "pipe"],
    });
    stop = () => started.kill("SIGTERM");
    let printed = "";
    for (const stream of [started.stdout, started.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
    for (
      const deadline = Date.now() + READY_TIMEOUT_MS;
      !printed.includes("Ctrl-C");
      await sleep(POLL_INTERVAL_MS)
    )
      if (started.exitCode !== null || Date.now() > deadline) throw new Error(printed);
  });

  afterAll(async () => {
    stop();
    await rm(inProject(".wrangler", "start", String(port)), { recursive: true, force: true });
  });

  /** @throws Error when a command fails or uses an unset variable */
  async function run(commands: readonly string[]): Promise<string> {
    const path = [inProject("node_modules", ".bin"), process.env.PATH ?? ""].join(delimiter);
    const env = { ...process.env, PATH: path };
    const script = `set -euo pipefail\n${commands.join("\n")}`;
    return (await promisify(execFile)("bash", ["-c", script], { cwd: projectDirectory, env })).stdout;
  }

  test("are found in several places", () => {
    expect(blocks.length).toBeGreaterThan(4);
  });

  test.each(blocks)("$place", async ({ commands, output }) => {
    const printed = await run(commands);
    expect(printed.trim()).not.toBe("");
    for (const line of output?.split("\n") ?? []) expect(printed).toContain(line);
  });
});
