/** The messages of `npm run dev`, and the token that it makes for `npm run ask`. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { withAskAccess } from "../../scripts/dev-server/ask-access.ts";
import { renderSettingProblems } from "../../scripts/dev-server/setting-problems.ts";
import { inProject } from "../../scripts/project.ts";
import { readSignInSettings, settingProblems } from "../../src/settings/index.ts";
import { findServiceToken } from "../../src/sign-in/service-token.ts";
import { listenOnLoopback, stopServer } from "../support/loopback-server.ts";

const run = promisify(execFile);

async function withTakenPort<Result>(use: (port: number) => Promise<Result>): Promise<Result> {
  const server = createServer((_request, response) => response.end("somebody else's"));
  try {
    return await use(Number(new URL(await listenOnLoopback(server)).port));
  } finally {
    await stopServer(server);
  }
}

test("a taken port is refused with a free one, without printing a URL", async () => {
  await withTakenPort(async (port) => {
    const args = [inProject("scripts", "dev.ts"), "--port", String(port)];
    const failed = await run(process.execPath, args).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(Object(failed).stderr).toMatch(
      new RegExp(`^Port ${port} is taken\\. Choose another one: npm run dev -- --port \\d+\\n$`),
    );
  });
});

describe("the settings", () => {
  test("are reported with a solution if they are wrong", () => {
    const problems = settingProblems({ N8N_BASE_URL: "http://localhost:5678" }, "http://localhost:8787/");
    const message = renderSettingProblems(problems);
    expect(message).toContain("The setting N8N_API_KEY is missing.");
    expect(message).toContain("create an API key");
  });

  test("are not mentioned if they are right", () => {
    expect(renderSettingProblems([])).toBe("");
  });

  test("of the example name the key's scopes as the README does", async () => {
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

  test("is valid beside the user's own tokens", async () => {
    const { settings, token = "" } = withAskAccess({ ...WAY_IN, SERVICE_TOKENS: OWN });
    const { serviceTokens } = readSignInSettings(settings);
    expect(serviceTokens.map(({ name }) => name)).toEqual(["nightly", "npm-run-ask"]);
    expect((await findServiceToken(token, serviceTokens))?.scopes).toEqual(["n8n:read", "n8n:data"]);
  });

  test.each([
    ["nobody could sign in without it", { N8N_API_KEY: "key" }],
    ["the passphrase is empty", { ACCESS_PASSPHRASE: "" }],
    ["each user brings their own n8n key", { ...WAY_IN, N8N_KEYS: "personal" }],
    ["the user has a token of that name", { SERVICE_TOKENS: `npm-run-ask ${"a".repeat(64)} n8n:read` }],
  ])("is not made if %s", (_why, settings) => {
    expect(withAskAccess(settings)).toEqual({ settings, token: undefined, operatorToken: undefined });
  });

  test("comes with an operator token, unless the user has set one", () => {
    expect(withAskAccess(WAY_IN).settings.OPERATOR_TOKEN_SHA256).toMatch(/^[0-9a-f]{64}$/);
    const own = { ...WAY_IN, OPERATOR_TOKEN_SHA256: "a".repeat(64) };
    const { settings, operatorToken } = withAskAccess(own);
    expect(operatorToken).toBeUndefined();
    expect(settings.OPERATOR_TOKEN_SHA256).toBe(own.OPERATOR_TOKEN_SHA256);
  });

  test("reaches the Worker only as a hash, and is new each time", () => {
    const { settings, token, operatorToken } = withAskAccess(WAY_IN);
    for (const secret of [token, operatorToken]) {
      expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(JSON.stringify(settings)).not.toContain(secret);
    }
    expect(withAskAccess(WAY_IN).token).not.toBe(token);
  });
});
