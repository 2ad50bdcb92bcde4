/** The image: what it is made of, and what it starts. Without a Docker its start script is run as it stands. */
import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { inProject } from "../../scripts/project.ts";

const dockerfile = await readFile(inProject("Dockerfile"), "utf8");

test("pins each base image by its digest", () => {
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(bases).toHaveLength(2);
  for (const image of bases) expect(image).toMatch(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
});

test("has the settings that the pages are compiled with: without them JSX is React's, which is not there", async () => {
  const { extends: base } = z
    .looseObject({ extends: z.string() })
    .parse(JSON.parse(await readFile(inProject("src", "tsconfig.json"), "utf8")));
  const name = base.replace("../", "");
  expect(dockerfile).toMatch(new RegExp(`^COPY .*\\b${name.replaceAll(".", "\\.")} `, "m"));
  expect(await readFile(inProject(".dockerignore"), "utf8")).toContain(`\n!${name}\n`);
});

test("starts by the script below, as a user without rights", () => {
  expect(dockerfile).toContain("scripts/serve/container.sh /server/start");
  expect(dockerfile).toMatch(/^CMD \["\/server\/start"\]$/m);
  expect(dockerfile).toMatch(/^USER observer$/m);
  expect(dockerfile).not.toMatch(/^ENTRYPOINT/m);
});

test("is told its address by the compose file", async () => {
  const compose = z
    .looseObject({
      services: z.looseObject({
        "n8n-observer": z.looseObject({ environment: z.record(z.string(), z.string()) }),
        n8n: z.looseObject({ ports: z.array(z.string()) }),
      }),
    })
    .parse(parse(await readFile(inProject("compose.yaml"), "utf8")));
  const { "n8n-observer": observer, n8n } = compose.services;
  expect(observer.environment.PUBLIC_URL).toMatch(/^\$\{PUBLIC_URL:-http:\/\/localhost:8787\}$/);
  for (const published of n8n.ports) expect(published).toMatch(/^127\.0\.0\.1:/);
});

describe.skipIf(process.platform === "win32")("the start script", () => {
  let server: string;
  let data: string;

  beforeAll(async () => {
    server = await mkdtemp(join(tmpdir(), "n8n-observer-image-"));
    data = join(server, "data");
    await copyFile(inProject("scripts", "serve", "container.sh"), join(server, "start"));
    await writeFile(join(server, "workerd"), '#!/bin/sh\numask\necho "$@"\n', { mode: 0o755 });
    await mkdir(join(data, "n8n-observer-ActivityLog"), { recursive: true });
    for (const folder of [data, join(data, "n8n-observer-ActivityLog")]) await chmod(folder, 0o755);
    for (const file of [join("n8n-observer-ActivityLog", "left.sqlite"), "of-somebody-else.txt"])
      await writeFile(join(data, file), "", { mode: 0o644 });
  });
  afterAll(async () => {
    await rm(server, { recursive: true });
  });

  async function start(
    settings: NodeJS.ProcessEnv,
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const run = promisify(execFile)(join(server, "start"), [data], {
      env: { PATH: process.env.PATH, ...settings },
    });
    const outcome = await run.catch((error: unknown) => error);
    const { stdout = "", stderr = "" } = Object(outcome);
    return { code: run.child.exitCode ?? -1, stdout: String(stdout), stderr: String(stderr) };
  }

  const modeOf = async (...path: string[]): Promise<number> => (await stat(join(data, ...path))).mode & 0o777;

  test.each([{}, { PUBLIC_URL: "" }])("starts nothing with %j, and says what to set", async (settings) => {
    const { code, stdout, stderr } = await start(settings);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain("Not started: the setting PUBLIC_URL is missing.");
    expect(stderr).toContain("http://localhost:8787");
  });

  test("starts workerd at every address, with data that only its owner can read, old data too", async () => {
    const { code, stdout } = await start({ PUBLIC_URL: "https://observer.example" });
    expect(code).toBe(0);
    const [umask, args] = stdout.trim().split("\n");
    expect(umask).toBe("0077");
    expect(args).toBe(
      `serve ${server}/observer.capnp --socket-addr http=*:8787 --directory-path data=${data}`,
    );
    expect(await modeOf("n8n-observer-ActivityLog")).toBe(0o700);
    expect(await modeOf("n8n-observer-ActivityLog", "left.sqlite")).toBe(0o600);
    expect(await modeOf("of-somebody-else.txt")).toBe(0o644);
  });
});
