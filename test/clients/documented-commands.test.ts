/**
 * The blocks of commands in the documentation, run as they stand there, in a shell, beside a server that `npm start`
 * runs. What a block shows as its output is what comes out. Which commands cannot be run here: `test/docs/command-lines.ts`.
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
  // A setting alone shows nothing: what it is for cannot be run here.
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

  /** @throws Error when a command of the block fails, or uses what is not set */
  async function run(commands: readonly string[]): Promise<string> {
    const path = [inProject("node_modules", ".bin"), process.env.PATH ?? ""].join(delimiter);
    const env = { ...process.env, PATH: path };
    const script = `set -euo pipefail\n${commands.join("\n")}`;
    return (await promisify(execFile)("bash", ["-c", script], { cwd: projectDirectory, env })).stdout;
  }

  test("are enough to be worth it", () => {
    expect(blocks.length).toBeGreaterThan(4);
  });

  test.each(blocks)("$place", async ({ commands, output }) => {
    const printed = await run(commands);
    expect(printed.trim()).not.toBe("");
    for (const line of output?.split("\n") ?? []) expect(printed).toContain(line);
  });
});
