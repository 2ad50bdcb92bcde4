/** `npm run setup -- --deploy` and `npm run admin token -- --deployed`, with a fake wrangler. */
import { existsSync } from "node:fs";
import { chmod, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { inProject } from "../../../scripts/project.ts";
import { type RecordedN8n, startRecordedN8n } from "../../recorded-n8n/server.ts";
import { createCertificate } from "../../support/certificates.ts";
import type { FakeWranglerState } from "../../support/fake-wrangler.ts";
import { handOn } from "../../support/hand-on.ts";
import { listenOnLoopback, stopServer } from "../../support/loopback-server.ts";
import { copyProject, type ProjectCopy } from "../../support/project-copy.ts";
import { KEYS, openTerminal, type PseudoTerminal } from "../../support/pseudo-terminal.ts";
import { type PlayedServer, playServer } from "../doctor/played-server.ts";
import { type ScriptRun, setupIn, tokenIn } from "./run-script.ts";

const KEY = "n8n_api_key-for-cloudflare-0123456789";
const PASSPHRASE = "a lantern beside seven rivers";
/** An address of this machine that does not count as loopback, as Cloudflare has to reach n8n. */
const HOST = "0.0.0.0";
const usualAuthorities = getCACertificates("default");
const authority = createCertificate({ hosts: [], isAuthority: true });

let n8n: RecordedN8n;
let front: Server;
let n8nUrl = "";
let worker: PlayedServer;
let copy: ProjectCopy;
let terminal: PseudoTerminal | undefined;
let environment: Record<string, string>;

beforeAll(async () => {
  setDefaultCACertificates([...usualAuthorities, authority.cert]);
  n8n = await startRecordedN8n({ apiKey: KEY });
  const { cert, key } = createCertificate({ hosts: [HOST], issuer: authority });
  front = createServer({ cert, key }, (request, response) => void handOn(n8n.baseUrl, request, response));
  copy = await copyProject();
  n8nUrl = `https://${HOST}:${new URL(await listenOnLoopback(front)).port}`;
});
afterAll(async () => {
  setDefaultCACertificates(usualAuthorities);
  await copy.remove();
  await stopServer(front);
  await n8n.close();
});
beforeEach(async () => {
  worker = await playServer();
  const wrangler = copy.inCopy("wrangler-of-the-test");
  const program = inProject("test", "support", "fake-wrangler.ts");
  await writeFile(wrangler, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  await chmod(wrangler, 0o755);
  await writeFile(copy.inCopy("authority.pem"), authority.cert);
  environment = {
    N8N_OBSERVER_WRANGLER: wrangler,
    FAKE_WRANGLER: copy.inCopy("wrangler.json"),
    NODE_EXTRA_CA_CERTS: copy.inCopy("authority.pem"),
    N8N_API_KEY: KEY,
    ACCESS_PASSPHRASE: PASSPHRASE,
  };
  // Code in this process finds wrangler by the process's own environment.
  for (const name of ["N8N_OBSERVER_WRANGLER", "FAKE_WRANGLER"]) vi.stubEnv(name, environment[name]);
});
afterEach(async () => {
  if (terminal !== undefined) {
    await terminal.stop();
    expectNoSecret(terminal.raw());
  }
  terminal = undefined;
  vi.unstubAllEnvs();
  const { calls } = await state();
  expectNoSecret(JSON.stringify(calls.map(({ args }) => args)));
  await worker.close();
  for (const name of [".dev.vars.setup", ".deployed.json"]) await rm(copy.inCopy(name), { force: true });
});

function expectNoSecret(text: string): void {
  expect(text).not.toContain(KEY);
  expect(text).not.toContain(PASSPHRASE);
}

async function play(facts: Partial<FakeWranglerState> = {}): Promise<void> {
  const usual = { loggedIn: true, workers: [], origin: worker.origin, secrets: {}, calls: [] };
  await writeFile(copy.inCopy("wrangler.json"), JSON.stringify({ ...usual, ...facts }));
}

const state = async (): Promise<FakeWranglerState> =>
  JSON.parse(await readFile(copy.inCopy("wrangler.json"), "utf8"));
const exists = (name: string): boolean => existsSync(copy.inCopy(name));

/** What an earlier set-up has remembered of a deployed Worker. */
const rememberDeployed = async (facts: object): Promise<void> =>
  await writeFile(
    copy.inCopy(".deployed.json"),
    JSON.stringify({ worker: "mine", origin: worker.origin, ...facts }),
  );

/** Runs `body` with further variables in wrangler.toml. */
async function withVariable(line: string, body: () => Promise<void>): Promise<void> {
  const path = copy.inCopy("wrangler.toml");
  const original = await readFile(path, "utf8");
  await writeFile(path, `${original}\n[vars]\n${line}\n`);
  try {
    await body();
  } finally {
    await writeFile(path, original);
  }
}

const UNATTENDED = ["--deploy", "--yes", "--key-from-env", "--passphrase-from-env"];

async function deploy(...args: string[]): Promise<ScriptRun> {
  const all = [...UNATTENDED, "--url", n8nUrl, ...args];
  const run = await setupIn(copy.directory, all, environment);
  expectNoSecret(run.stdout + run.stderr);
  return run;
}

test("deploys, sets every secret by standard input, and checks the address it was given", async () => {
  await play();
  const run = await deploy("--service-token", "n8n");
  expect(run).toMatchObject({ code: 1, stdout: expect.stringContaining("does not accept this token") });
  const { secrets, calls, workers } = await state();
  expect(workers).toEqual(["n8n-observer"]);
  expect(secrets).toEqual({
    N8N_BASE_URL: n8nUrl,
    N8N_API_KEY: KEY,
    ACCESS_PASSPHRASE: PASSPHRASE,
    PUBLIC_URL: worker.origin,
    SERVICE_TOKENS: expect.stringMatching(/^n8n [0-9a-f]{64} n8n:read$/),
  });
  expect(calls.map(({ args }) => args.slice(0, 2).join(" "))).toEqual([
    "whoami --json",
    "deployments list",
    "deploy --name",
    "secret bulk",
  ]);
  expect(run.stdout).toContain(`claude mcp add --transport http n8n-observer ${worker.origin}/mcp`);
  expect(exists(".dev.vars")).toBe(false);
  expect(exists(".dev.vars.setup")).toBe(false);
  expect((await stat(copy.inCopy(".deployed.json"))).mode & 0o777).toBe(0o600);
  expectNoSecret(await readFile(copy.inCopy(".deployed.json"), "utf8"));
});

test.each<[string, Partial<FakeWranglerState>, RegExp]>([
  ["nobody is logged in", { loggedIn: false }, /npx wrangler login/],
  ["no network", { failing: "whoami" }, /Cloudflare cannot be reached: is this machine online/],
  ["a name that is taken", { workers: ["n8n-observer"] }, /--worker <name>/],
  [
    "several accounts",
    {
      accounts: [
        { id: "1", name: "Mine" },
        { id: "2", name: "Ours" },
      ],
    },
    /CLOUDFLARE_ACCOUNT_ID/,
  ],
])("%s: explained, and nothing is deployed", async (_name, facts, sentence) => {
  await play(facts);
  const run = await setupIn(copy.directory, [...UNATTENDED, "--url", n8nUrl], environment);
  expect(run).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) });
  const commands = (await state()).calls.map(({ args: [command] }) => command);
  expect(commands.filter((command) => command === "deploy" || command === "secret")).toEqual([]);
});

test("an n8n that only this machine reaches is refused", async () => {
  await play();
  const run = await setupIn(copy.directory, [...UNATTENDED, "--url", n8n.baseUrl], environment);
  expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("Cloudflare cannot reach") });
});

test.each(["deploy", "secrets"] as const)(
  "a set-up whose %s step failed resumes there, without asking again",
  async (failing) => {
    await play({ failing });
    const args = ["--deploy", "--yes", "--url", n8nUrl, "--key-from-env", "--make-passphrase"];
    const first = await setupIn(copy.directory, [...args, "--worker", "mine"], environment);
    expect(first).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Run npm run setup again: it resumes here"),
    });
    expectNoSecret(first.stdout + first.stderr);
    expect(exists(".deployed.json")).toBe(false);
    const { failing: _failing, ...well } = await state();
    await play({ ...well, calls: [] });
    const next = await setupIn(copy.directory, ["--yes"], environment);
    expect(next).toMatchObject({ code: 0 });
    const { secrets, workers } = await state();
    expect(new Set(workers)).toEqual(new Set(["mine"]));
    expect(secrets).toMatchObject({ N8N_API_KEY: KEY, N8N_BASE_URL: n8nUrl });
    // The generated passphrase is shown once it is in use, not before.
    expect(first.stdout).not.toContain(secrets.ACCESS_PASSPHRASE);
    expect(next.stdout).toContain(`shown only now: ${secrets.ACCESS_PASSPHRASE}`);
  },
);

test("in a terminal: six answers, a login, and another name for a Worker that exists", async () => {
  await play({ loggedIn: false, workers: ["n8n-observer"] });
  terminal = openTerminal([process.execPath, "scripts/setup.ts", "--no-open"], {
    cwd: copy.directory,
    env: { PATH: process.env.PATH, HOME: copy.directory, ...environment },
  });
  await terminal.answer("Where is n8n-observer to run?", `${KEYS.down}${KEYS.enter}`);
  await terminal.sees("Successfully logged in.");
  await terminal.answer("There is a Worker n8n-observer on this account already", KEYS.enter);
  await terminal.answer("The Worker's name", KEYS.enter);
  await terminal.answer("Where is your n8n?", `${n8nUrl}/home/workflows${KEYS.enter}`);
  await terminal.answer("n8n's API key", `${KEY}${KEYS.enter}`);
  await terminal.answer("A passphrase for signing in", `${PASSPHRASE}${KEYS.enter}`);
  await terminal.answer("A token for a client without a browser", KEYS.enter);
  await terminal.sees(`Deployed at ${worker.origin}, with its secrets.`);
  expect(await terminal.ended).toBe(0);
  expect((await state()).workers).toEqual(["n8n-observer", "n8n-observer-2"]);
});

// Otherwise a token of one Worker would open the other, which may read another n8n.
test.each([
  ["another Worker", "other", "account-1"],
  ["a Worker of that name on another account", "mine", "account-2"],
])("the tokens of an earlier Worker are not given to %s", async (_name, name, accountId) => {
  await play({ workers: [] });
  const serviceTokens = `of-mine ${"0123456789abcdef".repeat(4)} n8n:read n8n:data`;
  await rememberDeployed({ serviceTokens, accountId });
  await deploy("--worker", name);
  const { secrets } = await state();
  expect(secrets).toHaveProperty("N8N_API_KEY");
  expect(secrets).not.toHaveProperty("SERVICE_TOKENS");
  expect(await readFile(copy.inCopy(".deployed.json"), "utf8")).not.toContain("of-mine");
});

// A variable takes precedence over a secret of its name, so the key would go to an n8n that nobody tested.
test.each(["N8N_BASE_URL", "ACCESS_PASSPHRASE", "SERVICE_TOKENS"])(
  "another %s in wrangler.toml is explained, and nothing is deployed",
  async (setting) => {
    await play();
    await withVariable(`${setting} = "https://n8n.elsewhere.example"`, async () => {
      const run = await deploy("--service-token", "n8n");
      expect(run).toMatchObject({ code: 1, stderr: expect.stringMatching(`wrangler.toml.*${setting}`) });
      expect((await state()).calls.filter(({ args: [first] }) => first === "deploy")).toEqual([]);
    });
  },
);

test("the same address in wrangler.toml is accepted", async () => {
  await play();
  await withVariable(`N8N_BASE_URL = "${n8nUrl}/"`, async () => {
    await deploy();
    const { secrets } = await state();
    expect(secrets).toHaveProperty("N8N_API_KEY");
    expect(secrets).not.toHaveProperty("N8N_BASE_URL");
  });
});

test("a Worker of the same name on another account is not overwritten", async () => {
  await play({ workers: ["mine"] });
  await rememberDeployed({ serviceTokens: "", accountId: "account-2" });
  const args = [...UNATTENDED.filter((arg) => arg !== "--yes"), "--url", n8nUrl, "--worker", "mine"];
  const run = await setupIn(copy.directory, args, environment);
  expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("There is a Worker mine") });
  expect((await state()).calls.filter(({ args: [first] }) => first === "deploy")).toEqual([]);
});

test("a Worker that is deployed again keeps its tokens", async () => {
  await play({ workers: ["mine"] });
  const serviceTokens = `of-mine ${"0123456789abcdef".repeat(4)} n8n:read n8n:data`;
  await rememberDeployed({ serviceTokens });
  await deploy();
  expect((await state()).secrets.SERVICE_TOKENS).toBe(serviceTokens);
});

test("npm run admin token -- --deployed sets the whole list by standard input, or keeps the old one", async () => {
  await play();
  const serviceTokens = `first ${"0123456789abcdef".repeat(4)} n8n:read`;
  await rememberDeployed({ serviceTokens });
  const token = async (...args: string[]): Promise<ScriptRun> =>
    await tokenIn(copy.directory, ...args, "--deployed");
  expect((await token("add", "second")).code).toBe(0);
  expect((await state()).secrets.SERVICE_TOKENS).toMatch(
    /^first [0-9a-f]{64} n8n:read; second [0-9a-f]{64} n8n:read$/,
  );
  await play({ ...(await state()), failing: "secrets" });
  expect(await token("add", "third")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("as before"),
  });
  expect((await token("list")).stdout).toMatch(/^first .*\nsecond .*\n$/);
  const { failing: _failing, ...well } = await state();
  await play(well);
  await token("remove", "first");
  await token("remove", "second");
  expect((await state()).secrets).not.toHaveProperty("SERVICE_TOKENS");
});
