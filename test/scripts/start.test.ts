import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { toPort } from "../../scripts/command-line/arguments.ts";
import { readRunOptions } from "../../scripts/dev-server/options.ts";
import { choosePort, findFreePort, isPortFree } from "../../scripts/dev-server/ports.ts";
import { announce, suggestRequestIds } from "../../scripts/start/announcement.ts";
import { createPassphrase, PASSPHRASE_ALPHABET } from "../../scripts/start/passphrase.ts";
import { toWorkerSettings } from "../../scripts/start/worker-settings.ts";
import { readSignInSettings, settingProblems } from "../../src/settings/index.ts";
import { readN8nSettings } from "../../src/settings/instances.ts";
import { readRecording } from "../recorded-n8n/recording.ts";
import { listenOnLoopback, stopServer } from "../support/loopback-server.ts";

describe("passphrase", () => {
  test("can be read aloud, and has at least 80 bits", () => {
    const passphrase = createPassphrase();
    expect(passphrase).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){4}$/);
    expect(passphrase).not.toMatch(/[01lo]/);
    const characters = passphrase.replaceAll("-", "").length;
    expect(characters * Math.log2(new Set(PASSPHRASE_ALPHABET).size)).toBeGreaterThanOrEqual(80);
    expect(createPassphrase()).not.toBe(passphrase);
  });
});

describe("settings of the started Worker", () => {
  const secrets = {
    baseUrl: "http://127.0.0.1:5678",
    apiKey: "key-of-this-test",
    passphrase: createPassphrase(),
    serviceToken: "token",
    operatorToken: "operator token",
  };
  const settings = toWorkerSettings(secrets);

  test("are valid", () => {
    expect(settingProblems(settings, "http://localhost:8787/")).toEqual([]);
  });

  test("hold the passphrase, and only the hash of the service token", () => {
    expect(readN8nSettings(settings)).toMatchObject({ baseUrl: secrets.baseUrl, apiKey: secrets.apiKey });
    const signIn = readSignInSettings(settings);
    expect(signIn.passphrase).toBe(secrets.passphrase);
    expect(signIn.serviceTokens).toEqual([
      {
        name: "npm-run-ask",
        sha256: createHash("sha256").update("token").digest("hex"),
        scopes: ["n8n:read", "n8n:data"],
      },
    ]);
    expect(settings.OPERATOR_TOKEN_SHA256).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("announcement", () => {
  test("suggests a deep failure and a retry of the recording", async () => {
    const { manifest } = await readRecording();
    expect(suggestRequestIds(manifest.scenarios).map(({ requestId }) => requestId)).toEqual([
      "req-deep-failure",
      "req-retry",
    ]);
  });

  test("names URL, passphrase and commands, also for a recording without scenarios", () => {
    const text = announce({
      connectorUrl: "http://localhost:9000/mcp",
      passphrase: "abcd-efgh",
      scenarios: [],
      readyAfterMs: 1_840,
    });
    expect(text).toContain("ready after 1.8 s");
    expect(text).toContain("http://localhost:9000/mcp\n");
    expect(text).toContain("abcd-efgh");
    expect(text).toContain("claude mcp add --transport http n8n-observer http://localhost:9000/mcp");
  });
});

describe("options", () => {
  const KNOWN = ["inspect", "quiet"] as const;

  test.each([
    [[], { port: undefined, flags: [] }],
    [["--port", "9000"], { port: 9000, flags: [] }],
    [["--port=1", "--inspect"], { port: 1, flags: ["inspect"] }],
  ])("%j", (args, { port, flags }) => {
    expect(readRunOptions(args, KNOWN)).toEqual({
      kind: "run",
      options: { port, flags: new Set(flags) },
    });
  });

  test("help takes precedence", () => {
    expect(readRunOptions(["-h", "--port", "0"])).toEqual({ kind: "help" });
  });

  test.each([
    [["--port"]],
    [["--port", "0"]],
    [["--port", "65536"]],
    [["--port", "8e3"]],
    [["x"]],
    [["--host", "0"]],
    [["--inspect"]],
    [["--inspector-port", "9229"]],
  ])("%j is refused", (args) => {
    expect(readRunOptions(args)).toMatchObject({ kind: "wrong", problem: expect.stringMatching(/\w+/) });
  });
});

describe("ports", () => {
  test("a taken port is skipped, and refused if it was chosen", async () => {
    const server = createServer();
    const port = Number(new URL(await listenOnLoopback(server)).port);
    try {
      expect(await isPortFree(port)).toBe(false);
      expect(await findFreePort(port)).toBeGreaterThan(port);
      const refused = choosePort(port, "npm run dev");
      await expect(refused).rejects.toThrow(
        `Port ${port} is taken. Choose another one: npm run dev -- --port `,
      );
    } finally {
      await stopServer(server);
    }
  });

  test("are numbers from 1 to 65535", () => {
    expect(toPort("8787")).toBe(8787);
    for (const typed of ["0", "-1", "1.5", " 80", "99999"])
      expect(() => toPort(typed)).toThrow("--port takes a number from 1 to 65535.");
  });
});
