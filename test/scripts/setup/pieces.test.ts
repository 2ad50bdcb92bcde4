/** The pure parts of the set-up and of its service tokens. */
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readSetupArguments, SETUP_USAGE } from "../../../scripts/setup/arguments.ts";
import { refusePassphrase } from "../../../scripts/setup/choose-access.ts";
import { renderClientLines } from "../../../scripts/setup/client-lines.ts";
import { Draft } from "../../../scripts/setup/draft.ts";
import { writeWhole } from "../../../scripts/setup/env-file.ts";
import { canBeWritten, withSettings } from "../../../scripts/setup/env-text.ts";
import { readN8nAddress } from "../../../scripts/setup/n8n-address.ts";
import { originsIn } from "../../../scripts/setup/wrangler.ts";
import { readTokenArguments } from "../../../scripts/token/arguments.ts";
import { addToken, readEntries, removeToken, writeEntries } from "../../../scripts/token/service-tokens.ts";
import { ClientSteps } from "../../../src/pages/client-steps.tsx";

describe("n8n's address is read as people paste it:", () => {
  test.each([
    ["https://n8n.example.com", "https://n8n.example.com"],
    ["  https://n8n.example.com/  ", "https://n8n.example.com"],
    ["https://n8n.example.com/home/workflows", "https://n8n.example.com"],
    ["https://n8n.example.com/workflow/1XeIfz7HPI4BwIKP?projectId=2#/x", "https://n8n.example.com"],
    ["https://n8n.example.com/workflow/1XeI/executions/12", "https://n8n.example.com"],
    ["https://n8n.example.com/settings/api", "https://n8n.example.com"],
    ["https://n8n.example.com/api/v1", "https://n8n.example.com"],
    ["https://n8n.example.com/api/v1/docs/", "https://n8n.example.com"],
    ["https://n8n.example.com/projects/abc/workflows", "https://n8n.example.com"],
    ["https://n8n.example.com/signin?redirect=%2Fhome", "https://n8n.example.com"],
    ["https://example.com/automation/home/workflows", "https://example.com/automation"],
    ["n8n.example.com", "https://n8n.example.com"],
    ["n8n.example.com:8443/home", "https://n8n.example.com:8443"],
    ["localhost:5678", "http://localhost:5678"],
    ["127.0.0.1:5678/home/workflows", "http://127.0.0.1:5678"],
    ["http://localhost:5678/api/v1/", "http://localhost:5678"],
    ['"https://n8n.example.com"', "https://n8n.example.com"],
    ["<https://n8n.example.com/home>", "https://n8n.example.com"],
    ["<https://n8n.example.com/home>.", "https://n8n.example.com"],
    ["https://n8n.example.com,", "https://n8n.example.com"],
    ["https://n8n.example.com.", "https://n8n.example.com"],
    ["https:/n8n.example.com/home", "https://n8n.example.com"],
    ["https://n8n.example.com/instance-ai/1", "https://n8n.example.com"],
    ["https://n8n.example.com/assistant", "https://n8n.example.com"],
    ["https://example.com/automation/new-agent", "https://example.com/automation"],
  ])("%s", (pasted, baseUrl) => {
    expect(readN8nAddress(pasted, "local")).toEqual({ kind: "address", baseUrl });
  });

  test.each([
    ["", /Type n8n's address/],
    ["n8n server", /not an address/],
    ["https://", /not an address/],
    ["ftp://n8n.example.com", /begins with https/],
    ["http://n8n.example.com", /unencrypted/],
    ["http://192.168.1.5:5678", /unencrypted/],
    ["https://me:secret@n8n.example.com", /N8N_HEADERS/],
  ])("%s is refused with the reason", (pasted, problem) => {
    const read = readN8nAddress(pasted, "local");
    expect(read).toMatchObject({ kind: "wrong", problem: expect.stringMatching(problem) });
    expect(JSON.stringify(read)).not.toContain("secret");
  });

  test("an address of this machine is refused for Cloudflare", () => {
    const read = readN8nAddress("http://localhost:5678", "cloudflare");
    expect(read).toMatchObject({
      kind: "wrong",
      problem: expect.stringContaining("Cloudflare cannot reach"),
    });
  });
});

describe("the text of .dev.vars", () => {
  const settings = { N8N_API_KEY: "the-new-key", ACCESS_PASSPHRASE: "a passphrase # of words" };

  test("keeps every other line, and each setting once", () => {
    const text = [
      "# my own notes: N8N_API_KEY=not-this",
      "N8N_API_KEY=old",
      "export  REDACT_PII = on",
      'N8N_HEADERS="A: 1',
      "N8N_API_KEY: of a header",
      'B: 2"',
      "",
      "N8N_API_KEY=older",
    ].join("\n");
    expect(withSettings(text, settings)).toBe(
      `${[
        "# my own notes: N8N_API_KEY=not-this",
        "N8N_API_KEY=the-new-key",
        "export  REDACT_PII = on",
        'N8N_HEADERS="A: 1',
        "N8N_API_KEY: of a header",
        'B: 2"',
        "ACCESS_PASSPHRASE='a passphrase # of words'",
      ].join("\n")}\n`,
    );
  });

  test("a setting of several lines is replaced as a whole", () => {
    expect(withSettings('A=1\nB="x\ny\nz"\nC=3\n', { B: "new" })).toBe("A=1\nB=new\nC=3\n");
  });

  test("a setting may be named like a member of Object", () => {
    expect(withSettings("constructor=1\n", { A: "b" })).toBe("constructor=1\nA=b\n");
  });

  test("an unclosed quote does not swallow other lines", () => {
    expect(withSettings('B="x\nC=3\n', { B: "new" })).toBe("B=new\nC=3\n");
  });

  test.each(["plain", "with space", "#hash", 'double "quotes"', "a=b", "ünïcode", "`back`", "", "x;y z"])(
    "a written value is read back unchanged: %s",
    (value) => {
      expect(canBeWritten(value)).toBe(true);
      expect(parseEnv(withSettings("", { SETTING: value })).SETTING).toBe(value);
    },
  );

  test.each(["it's", "costs $HOME", "back\\slash", "two\nlines", " space"])(
    "a value that would be read back differently is refused: %j",
    (value) => {
      expect(canBeWritten(value)).toBe(false);
      expect(() => withSettings("", { SETTING: value })).toThrow(/SETTING/);
    },
  );
});

describe("files with secrets", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "n8n-observer-setup-"));
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });
  const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

  test("are accessible to their owner only, even if they were open before", async () => {
    const path = join(directory, "open.env");
    await writeFile(path, "A=1\n");
    await chmod(path, 0o644);
    await writeWhole(path, "A=2\n");
    expect(await readFile(path, "utf8")).toBe("A=2\n");
    expect(await modeOf(path)).toBe(0o600);
  });

  test("a link stays a link", async () => {
    const path = join(directory, "real.env");
    const link = join(directory, "link.env");
    await writeFile(path, "A=1\n");
    await symlink(path, link);
    await writeWhole(link, "A=2\n");
    expect(await readFile(path, "utf8")).toBe("A=2\n");
  });

  test("a failed write changes nothing, and says so", async () => {
    const place = join(directory, "nowhere", "x.env");
    await expect(writeWhole(place, "A=1\n")).rejects.toThrow(/cannot be written/);
    expect((await readdir(directory)).filter((name) => name.endsWith(".new"))).toEqual([]);
  });

  test("a draft is stored, resumed and removed", async () => {
    const path = join(directory, "draft.env");
    const draft = await Draft.open(path, false);
    expect(draft.facts).toEqual({});
    await draft.keep({ SETUP_PLACE: "local", N8N_BASE_URL: "https://n8n.example.com" });
    expect(await modeOf(path)).toBe(0o600);
    const next = await Draft.open(path, false);
    expect(next.facts).toEqual({ SETUP_PLACE: "local", N8N_BASE_URL: "https://n8n.example.com" });
    expect((await Draft.open(path, true)).facts).toEqual({});
    await expect(stat(path)).rejects.toThrow();
  });
});

describe("arguments", () => {
  test("secrets are refused as arguments, and not repeated", () => {
    for (const args of [["--key", "n8n_api_secret"], ["--passphrase=secret"], ["secret"]]) {
      const read = readSetupArguments(args);
      expect(read.kind).toBe("wrong");
      expect(JSON.stringify(read)).not.toContain("secret");
    }
  });

  test.each([
    [["--local", "--deploy"], /exclude each other/],
    [["--key-from-env", "--key-file", "x"], /exclude each other/],
    [["--make-passphrase", "--passphrase-from-env"], /exclude each other/],
    [["--key-file", "-", "--passphrase-file", "-"], /standard input/],
    [["--port", "70000"], /--port/],
    [["--worker", "Upper_Case"], /--worker/],
  ])("%j are refused", (args, problem) => {
    expect(readSetupArguments(args)).toMatchObject({
      kind: "wrong",
      problem: expect.stringMatching(problem),
    });
  });

  test("the help lists every option", () => {
    for (const name of ["url", "key-from-env", "key-file", "worker", "start", "anew", "yes", "port"])
      expect(SETUP_USAGE).toContain(`--${name}`);
    expect(readSetupArguments(["--help"])).toEqual({ kind: "help" });
  });

  test.each([
    [["list"], { kind: "list" }],
    [["add", "n8n"], { kind: "add", name: "n8n", scopes: ["n8n:read"] }],
    [["add", "n8n", "--data"], { kind: "add", name: "n8n", scopes: ["n8n:read", "n8n:data"] }],
    [["remove", "n8n"], { kind: "remove", name: "n8n" }],
  ])("npm run admin token -- %j", (args, action) => {
    expect(readTokenArguments(args)).toMatchObject({ kind: "run", options: { action } });
  });

  test.each([
    [[]],
    [["add"]],
    [["remove"]],
    [["add", "a", "b"]],
    [["rename", "x"]],
    [["list", "--data"]],
    [["--what"]],
  ])("npm run admin token -- %j is refused", (args) => {
    expect(readTokenArguments(args).kind).toBe("wrong");
  });
});

test.each([
  ["eleven char", /too short/],
  ["it's a long passphrase", /no quotes/],
  ["costs $HOME and more", /no \$/],
])("a passphrase is refused without being repeated: %s", (passphrase, problem) => {
  expect(refusePassphrase(passphrase)).toMatch(problem);
  expect(refusePassphrase(passphrase)).not.toContain(passphrase);
});

describe("service tokens", () => {
  test("are added, read back and removed by name, with only their hash stored", () => {
    const one = addToken([], "n8n", ["n8n:read"]);
    const two = addToken(one.entries, "report", ["n8n:read", "n8n:data"]);
    const setting = writeEntries(two.entries);
    expect(readEntries(setting)).toEqual(two.entries);
    expect(setting).not.toContain(one.token);
    expect(one.token).not.toBe(two.token);
    expect(removeToken(readEntries(setting), "n8n").map(({ name }) => name)).toEqual(["report"]);
  });

  test("duplicate, invalid and unknown names are refused", () => {
    const { entries } = addToken([], "n8n", ["n8n:read"]);
    expect(() => addToken(entries, "n8n", ["n8n:read"])).toThrow(/already.*remove n8n/);
    expect(() => addToken(entries, "two words", ["n8n:read"])).toThrow(/without spaces/);
    expect(() => removeToken(entries, "other")).toThrow(/There are: n8n\./);
    expect(() => removeToken([], "other")).toThrow(/none at all/);
  });
});

describe("the origins in wrangler's output file", () => {
  test.each([
    [
      '{"type":"deploy","targets":["https://observer.me.workers.dev","schedule: 17 * * * *"]}',
      ["https://observer.me.workers.dev"],
    ],
    [
      '{"type":"deploy","targets":["observer.example.com (custom domain)"]}',
      ["https://observer.example.com"],
    ],
    ['{"type":"deploy","targets":["example.com/* (zone name: example.com)"]}', []],
    ['{"type":"wrangler-session","targets":["https://x.example.com"]}', []],
    ["", []],
    ["{", []],
  ])("%s", (line, origins) => {
    expect(originsIn(line)).toEqual(origins);
  });
});

describe("the line for each app", () => {
  const connectorUrl = "http://localhost:8787/mcp";

  test("is also on the start page", () => {
    const page = String(ClientSteps({ connectorUrl, isLoopback: true }));
    const decoded = page.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
    const commands = renderClientLines(connectorUrl)
      .split("\n")
      .flatMap((line) => /(?:(?:claude|codex|gemini) mcp|npx|\{).*$/.exec(line)?.[0] ?? []);
    expect(commands).toHaveLength(5);
    for (const command of commands) expect(decoded).toContain(command);
  });

  test("is left out for apps that connect from the internet if the server is local", () => {
    expect(renderClientLines(connectorUrl)).not.toContain("ChatGPT");
    expect(renderClientLines("https://observer.example.com/mcp")).toContain("ChatGPT");
  });
});
