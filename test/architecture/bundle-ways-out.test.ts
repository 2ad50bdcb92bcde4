/** The deployed bundle, libraries included, reaches out only where `explained-ways-out.ts` explains it, and has no binding that could. */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WRANGLER, wranglerEnvironment } from "../../scripts/dev-server/wrangler.ts";
import { projectDirectory } from "../../scripts/project.ts";
import { expected, LIBRARIES, OURS, tally } from "./explained-ways-out.ts";
import { waysOutOf } from "./ways-out.ts";

const TIMEOUT_MS = 120_000;

describe("the deployed bundle", () => {
  let directory: string;
  let output = "";
  let bundle = "";

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "n8n-observer-bundle-"));
    const wrangler = spawn(process.execPath, [WRANGLER, "deploy", "--dry-run", "--outdir", directory], {
      cwd: projectDirectory,
      env: wranglerEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [wrangler.stdout, wrangler.stderr])
      stream?.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    const code = await new Promise((resolve) => wrangler.once("close", resolve));
    expect(code, output).toBe(0);
    bundle = await readFile(join(directory, "index.js"), "utf8");
  }, TIMEOUT_MS);
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  /** Finds the modules by the paths that esbuild writes above each. */
  function modules(): { at: number; where: string }[] {
    return [...bundle.matchAll(/^\/\/ ((?:node_modules|src)\/\S+\.\w+)$/gm)].map(
      ({ index, 1: path = "" }) => ({
        at: index,
        where: path.replace(/^node_modules\/((?:@[^/]+\/)?[^/]+)\/.*$/, "$1"),
      }),
    );
  }

  test("reaches out only where it is explained", () => {
    const all = modules();
    expect(all.length).toBeGreaterThan(100);
    const whereOf = (at: number): string => all.findLast((module) => module.at <= at)?.where ?? "before all";
    const ways = waysOutOf(bundle, "js").map(({ what, at }) => ({ where: whereOf(at), what }));
    expect(tally(ways)).toEqual(expected([...OURS, ...LIBRARIES]));
  });

  test("is given no binding that leads elsewhere", () => {
    const bindings = [...output.matchAll(/^env\.(\w+)(?: \(([^)]*)\))?\s+(\S.*?)\s*$/gm)].map(
      ([, name, , kind]) => `${name}: ${kind}`,
    );
    expect(bindings.sort()).toEqual([
      "ACTIVITY_LOG: Durable Object",
      "CALL_LIMIT: Rate Limit",
      "GRANT_LEDGER: Durable Object",
      "HISTORY_INDEX: Durable Object",
      "N8N_LIMITER: Durable Object",
      "OAUTH_KV: KV Namespace",
      "OPERATOR_CALLS: Rate Limit",
      "PASSPHRASE_LOCK: Durable Object",
      "PUBLIC_ADDRESS: Durable Object",
      "REGISTRATION_GATE: Durable Object",
      "USER_IDS: Durable Object",
    ]);
  });
});
