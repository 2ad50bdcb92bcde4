/** `npm run dev`: what it tells, and how `npm run ask` gets in. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { withAskAccess } from "../../scripts/dev-server/ask-access.ts";
import { renderSettingProblems } from "../../scripts/dev-server/setting-problems.ts";
import { inProject } from "../../scripts/project.ts";
import { readSignInSettings, settingProblems } from "../../src/settings/index.ts";
import { findServiceToken } from "../../src/sign-in/service-token.ts";

const run = promisify(execFile);

async function withTakenPort<Result>(use: (port: number) => Promise<Result>): Promise<Result> {
  const server = createServer((_request, response) => response.end("somebody else's"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = z.custom<AddressInfo>().parse(server.address());
    return await use(port);
  } finally {
    server.close();
  }
}

test("on a port that is taken it names the port and one that is free, and nobody else's address", async () => {
  const { port, told } = await withTakenPort(async (taken) => {
    const args = [inProject("scripts", "dev.ts"), "--port", String(taken)];
    const failed = await run(process.execPath, args).catch((error: unknown) => error);
    return {
      port: taken,
      told: z.object({ code: z.literal(1), stdout: z.string(), stderr: z.string() }).parse(failed),
    };
  });
  expect(told.stderr).toMatch(
    new RegExp(`^Port ${port} is taken\\. Choose another one: npm run dev -- --port \\d+\\n$`),
  );
  expect(told.stdout).toBe("");
});

describe("the settings", () => {
  test("that are wrong are told with what to do", () => {
    const problems = settingProblems({ N8N_BASE_URL: "http://localhost:5678" }, "http://localhost:8787/");
    const told = renderSettingProblems(problems);
    expect(told).toContain("The setting N8N_API_KEY is missing.");
    expect(told).toContain("create an API key");
  });

  test("that are right are not told", () => {
    expect(renderSettingProblems([])).toBe("");
  });

  test("of the example ask for a key with the scopes that the README names", async () => {
    const scopesOf = async (file: string): Promise<string[]> =>
      [
        ...new Set(
          (await readFile(inProject(file), "utf8")).match(/\b(?:workflow|execution|tag):(?:read|list)\b/g),
        ),
      ].sort();
    expect(await scopesOf(".dev.vars.example")).toEqual(await scopesOf("README.md"));
  });
});

describe("a token for npm run ask", () => {
  const OWN = `nightly ${"a".repeat(64)} n8n:read`;
  const WAY_IN = { ACCESS_PASSPHRASE: "long-enough-for-this" };

  test("is good beside the person's own", async () => {
    const { settings, token = "" } = withAskAccess({ ...WAY_IN, SERVICE_TOKENS: OWN });
    const { serviceTokens } = readSignInSettings(settings);
    expect(serviceTokens.map(({ name }) => name)).toEqual(["nightly", "npm-run-ask"]);
    expect((await findServiceToken(token, serviceTokens))?.scopes).toEqual(["n8n:read", "n8n:data"]);
  });

  test.each([
    ["nobody could get in without it", { N8N_API_KEY: "key" }],
    ["a passphrase that is empty lets nobody in", { ACCESS_PASSPHRASE: "" }],
    ["people give n8n keys of their own", { ...WAY_IN, N8N_KEYS: "personal" }],
    ["the person has one of that name", { SERVICE_TOKENS: `npm-run-ask ${"a".repeat(64)} n8n:read` }],
  ])("is not made where %s", (_why, settings) => {
    expect(withAskAccess(settings)).toEqual({ settings, token: undefined, operatorToken: undefined });
  });

  test("has one for the operator's commands beside it, unless the person has set their own", () => {
    expect(withAskAccess(WAY_IN).settings.OPERATOR_TOKEN_SHA256).toMatch(/^[0-9a-f]{64}$/);
    const own = { ...WAY_IN, OPERATOR_TOKEN_SHA256: "a".repeat(64) };
    const { settings, operatorToken } = withAskAccess(own);
    expect(operatorToken).toBeUndefined();
    expect(settings.OPERATOR_TOKEN_SHA256).toBe(own.OPERATOR_TOKEN_SHA256);
  });

  test("reaches the Worker as a hash, and is another one each time", () => {
    const { settings, token, operatorToken } = withAskAccess(WAY_IN);
    for (const secret of [token, operatorToken]) {
      expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(JSON.stringify(settings)).not.toContain(secret);
    }
    expect(withAskAccess(WAY_IN).token).not.toBe(token);
  });
});
