/** `npm run setup` and `npm run admin token` by arguments only, as a script runs them. */
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RecordedN8n, startRecordedN8n } from "../../recorded-n8n/server.ts";
import { createCertificate } from "../../support/certificates.ts";
import { handOn } from "../../support/hand-on.ts";
import { listenOnLoopback, stopServer } from "../../support/loopback-server.ts";
import { copyProject } from "../../support/project-copy.ts";
import { runScript, type ScriptRun, setupIn, tokenIn } from "./run-script.ts";

const KEY = "n8n_api_key-of-a-script-0123456789";
const PASSPHRASE = "seven rivers and a lantern";

let n8n: RecordedN8n;
let directory: string;
/** A port where nothing listens. */
let deadPort = 0;
beforeAll(async () => {
  n8n = await startRecordedN8n({ apiKey: KEY });
  const server = createServer();
  deadPort = Number(new URL(await listenOnLoopback(server)).port);
  await stopServer(server);
});
afterAll(async () => {
  await n8n.close();
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "n8n-observer-setup-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

const vars = async (): Promise<NodeJS.Dict<string>> =>
  parseEnv(await readFile(join(directory, ".dev.vars"), "utf8").catch(() => ""));

const local = (): string[] => ["--local", "--yes", "--url", n8n.baseUrl];

async function setup(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<ScriptRun> {
  const run = await setupIn(directory, args, environment);
  for (const secret of [KEY, PASSPHRASE]) expect(run.stdout + run.stderr).not.toContain(secret);
  return run;
}

test("sets up by arguments, with the key from the environment and the passphrase from a file", async () => {
  const file = join(directory, "passphrase.txt");
  await writeFile(file, `${PASSPHRASE}\n`);
  await writeFile(join(directory, ".dev.vars"), "# mine\nREDACT_PII=on\n");
  const run = await setup(
    ["--local", "--yes", "--url", `${n8n.baseUrl}/api/v1`, "--key-from-env", "--passphrase-file", file],
    { N8N_API_KEY: KEY },
  );
  expect(run.code).toBe(0);
  expect(await readFile(join(directory, ".dev.vars"), "utf8")).toBe(
    `# mine\nREDACT_PII=on\nN8N_BASE_URL=${n8n.baseUrl}\nN8N_API_KEY=${KEY}\nACCESS_PASSPHRASE='${PASSPHRASE}'\n`,
  );
});

test("sets up as a program, with the key from standard input and a generated token", async () => {
  const copy = await copyProject();
  const args = [...local(), "--key-file", "-", "--make-passphrase", "--service-token", "n8n"];
  const run = await runScript(copy.directory, "scripts/setup.ts", args, { input: `${KEY}\n` });
  expect(run).toMatchObject({ code: 0 });
  expect(run.stdout + run.stderr).not.toContain(KEY);
  const written = parseEnv(await readFile(copy.inCopy(".dev.vars"), "utf8"));
  await copy.remove();
  expect(written.SERVICE_TOKENS).toMatch(/^n8n [0-9a-f]{64} n8n:read$/);
  expect(run.stdout).toMatch(/n8no_[\w-]{43}/);
});

test("warns of a key that can write, and says how to create a read-only one", async () => {
  n8n.faults.always(
    { kind: "status", status: 200, body: { data: { scopes: ["workflow:delete"] } } },
    /\/discover/,
  );
  const run = await setup([...local(), "--key-from-env"], { N8N_API_KEY: KEY });
  n8n.faults.clear();
  expect(run.code).toBe(0);
  expect(run.stdout).toMatch(
    /warning: The key can do more than read: workflow:delete\..*execution:list, tag:list/,
  );
});

test("names all scopes that the key needs, and nothing that only follows from the missing one", async () => {
  n8n.faults.always({ kind: "status", status: 403 }, /\/executions/);
  const run = await setup([...local(), "--key-from-env"], { N8N_API_KEY: KEY });
  n8n.faults.clear();
  expect(run.code).toBe(1);
  expect(run.stdout).toMatch(
    /lacks the scope execution:list\. .*workflow:read, workflow:list, execution:read, execution:list, tag:list and set/,
  );
  expect(run.stdout).not.toContain("Not known yet");
});

test("trusts the authorities that the server will trust", async () => {
  const authority = createCertificate({ hosts: ["authority.invalid"], isAuthority: true });
  const { cert, key } = createCertificate({ hosts: ["127.0.0.1"], issuer: authority });
  const front = createTlsServer({ cert, key }, (request, response) => {
    handOn(n8n.baseUrl, request, response).catch(() => response.destroy());
  });
  const { port } = new URL(await listenOnLoopback(front));
  const copy = await copyProject();
  const file = copy.inCopy("authority.pem");
  await writeFile(file, authority.cert);
  const args = ["--local", "--yes", "--url", `https://127.0.0.1:${port}`, "--key-from-env"];
  const run = async (env: Readonly<Record<string, string>>): Promise<ScriptRun> =>
    await runScript(copy.directory, "scripts/setup.ts", [...args, "--make-passphrase"], {
      env: { N8N_API_KEY: KEY, ...env },
    });
  const refusals = [await run({}), await run({ NODE_EXTRA_CA_CERTS: file })];
  for (const { code, stderr } of refusals) {
    expect(code).toBe(1);
    expect(stderr).toMatch(/issued by nobody whom this machine trusts\. .*SSL_CERT_FILE/);
    expect(stderr).not.toContain("Check that n8n runs");
  }
  expect(await run({ SSL_CERT_FILE: file })).toMatchObject({ code: 0 });
  await copy.remove();
  await stopServer(front);
});

describe("the secret in .dev.vars for the proxy in front of an n8n", () => {
  const PROXY_SECRET = "CF-Access-Client-Secret: of-the-proxy-0123456789";
  const args = (): string[] => [...local(), "--key-from-env", "--make-passphrase"];
  const hold = async (...lines: string[]): Promise<void> =>
    await writeFile(join(directory, ".dev.vars"), `${lines.join("\n")}\n`);

  test.each([
    ["another address", "https://n8n.example.com"],
    ["another port", "http://127.0.0.1:1"],
    ["an invalid address", "n8n"],
  ])("is not sent to another n8n if it belongs to %s", async (_name, known) => {
    await hold(`N8N_BASE_URL=${known}`, `N8N_HEADERS='${PROXY_SECRET}'`);
    n8n.requests.length = 0;
    const run = await setup(args(), { N8N_API_KEY: KEY });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringMatching(/N8N_HEADERS.*secret/) });
    expect(run.stdout + run.stderr).not.toContain("of-the-proxy");
    expect(n8n.requests).toEqual([]);
    expect(await vars()).toMatchObject({ N8N_BASE_URL: known });
  });

  test("is not sent to another n8n when an earlier set-up resumes", async () => {
    await hold("N8N_BASE_URL=https://n8n.example.com", `N8N_HEADERS='${PROXY_SECRET}'`);
    const left = `N8N_BASE_URL=${n8n.baseUrl}\nN8N_API_KEY=${KEY}\n`;
    await writeFile(join(directory, ".dev.vars.setup"), left);
    n8n.requests.length = 0;
    const run = await setup(["--local", "--yes", "--make-passphrase"]);
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("N8N_HEADERS") });
    expect(n8n.requests).toEqual([]);
  });

  test("is sent to its own n8n, and to the first one that is set", async () => {
    await hold(`N8N_BASE_URL=${n8n.baseUrl}/`, `N8N_HEADERS='${PROXY_SECRET}'`);
    expect(await setup(args(), { N8N_API_KEY: KEY })).toMatchObject({ code: 0 });
    await hold("N8N_BASE_URL=", `N8N_HEADERS='${PROXY_SECRET}'`);
    expect(await setup(args(), { N8N_API_KEY: KEY })).toMatchObject({ code: 0 });
  });
});

const given = (name: string, value: string): NodeJS.ProcessEnv => ({ [name]: value });
const url = (): string => n8n.baseUrl;

test.each<[string, () => string[], NodeJS.ProcessEnv, number, RegExp]>([
  ["no place", () => [], {}, 1, /--local or --deploy/],
  ["no address", () => ["--local"], {}, 1, /--url <address>/],
  ["no key", () => ["--local", "--url", url()], {}, 1, /--key-from-env or --key-file/],
  [
    "an empty key",
    () => ["--local", "--url", url(), "--key-from-env"],
    given("N8N_API_KEY", " "),
    1,
    /N8N_API_KEY is empty/,
  ],
  [
    "a missing key file",
    () => ["--local", "--url", url(), "--key-file", "none.txt"],
    {},
    1,
    /none\.txt cannot be read/,
  ],
  [
    "an invalid key",
    () => ["--local", "--url", url(), "--key-from-env"],
    given("N8N_API_KEY", "two words here"),
    1,
    /no key of n8n's/,
  ],
  [
    "the key of another instance",
    () => ["--local", "--url", url(), "--key-from-env"],
    given("N8N_API_KEY", "another-key-altogether"),
    1,
    /belongs to another instance/,
  ],
  [
    "an address where nothing listens",
    () => ["--local", "--url", `http://127.0.0.1:${deadPort}`],
    {},
    1,
    /Nothing listens/,
  ],
  ["an invalid address", () => ["--local", "--url", "n8n server"], {}, 1, /not an address/],
  [
    "a port that is taken",
    () => ["--local", "--url", url(), "--key-from-env", "--port", new URL(url()).port],
    given("N8N_API_KEY", KEY),
    1,
    /Port \d+ is taken\. Choose another one: npm run setup -- --port \d+/,
  ],
  ["an unknown argument", () => ["--local", "--secret", "x"], {}, 2, /not known here/],
])("%s is explained, and nothing is written", async (_name, args, options, code, sentence) => {
  const run = await setup(args(), options);
  expect(run.stdout + run.stderr).toMatch(sentence);
  expect(run.code).toBe(code);
  expect(run.stderr).not.toMatch(/\n\s+at /);
  expect(await vars()).toEqual({});
});

test("a short passphrase and several instances in .dev.vars are refused", async () => {
  const args = [...local(), "--key-from-env", "--passphrase-from-env"];
  const short = await setup(args, { N8N_API_KEY: KEY, ACCESS_PASSPHRASE: "too short" });
  expect(short).toMatchObject({ code: 1, stderr: expect.stringContaining("at least 12 characters") });
  await writeFile(join(directory, ".dev.vars"), "N8N_INSTANCES='{}'\n");
  const several = await setup(["--local", "--yes"]);
  expect(several).toMatchObject({ code: 1, stderr: expect.stringContaining("docs/instances.md") });
});

describe("npm run admin token", () => {
  const token = async (...args: string[]): Promise<ScriptRun> => await tokenIn(directory, ...args);

  test("adds, lists and removes tokens, which are shown once and stored as hashes", async () => {
    await writeFile(join(directory, ".dev.vars"), "# mine\nREDACT_PII=on\n");
    const added = await token("add", "report", "--data", "--json");
    const made: unknown = JSON.parse(added.stdout);
    expect(made).toEqual({
      name: "report",
      scopes: ["n8n:read", "n8n:data"],
      token: expect.stringMatching(/^n8no_/),
    });
    const text = await readFile(join(directory, ".dev.vars"), "utf8");
    expect(text).toMatch(/^# mine\nREDACT_PII=on\nSERVICE_TOKENS='report [0-9a-f]{64} n8n:read n8n:data'\n$/);
    expect(text).not.toContain("n8no_");
    expect((await stat(join(directory, ".dev.vars"))).mode & 0o777).toBe(0o600);
    expect((await token("add", "n8n")).code).toBe(0);
    expect((await token("list")).stdout).toMatch(/^report +n8n:read n8n:data\nn8n +n8n:read\n$/);
    expect(await token("add", "n8n")).toMatchObject({ code: 1, stderr: expect.stringContaining("already") });
    expect((await token("remove", "report")).code).toBe(0);
    expect((await token("list")).stdout).toMatch(/^n8n +n8n:read\n$/);
    expect(await token("remove", "report")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There are: n8n."),
    });
    expect(await token("rename")).toMatchObject({ code: 2 });
  });

  test("reports a malformed setting, and leaves it unchanged", async () => {
    await writeFile(join(directory, ".dev.vars"), "SERVICE_TOKENS=nonsense\n");
    const run = await token("add", "n8n");
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("malformed entry (number 1)") });
    expect(await readFile(join(directory, ".dev.vars"), "utf8")).toBe("SERVICE_TOKENS=nonsense\n");
  });

  test("names the first step if there is no .dev.vars or no deployed Worker", async () => {
    expect(await token("add", "n8n")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("npm run setup"),
    });
    expect(await token("list", "--deployed")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--deploy"),
    });
  });
});
