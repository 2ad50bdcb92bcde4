/**
 * `npm run setup` in a terminal, answered as a new user would, rightly and wrongly, against the recorded n8n. No secret is
 * shown, nothing is half-written, and an interrupted set-up resumes where it stopped.
 */
import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RecordedN8n, startRecordedN8n } from "../../recorded-n8n/server.ts";
import { copyProject, type ProjectCopy } from "../../support/project-copy.ts";
import { KEYS, openTerminal, type PseudoTerminal } from "../../support/pseudo-terminal.ts";

const KEY = "n8n_api_key-of-a-new-user-0123456789";
const WRONG_KEY = "n8n_api_key-of-another-instance-9876";
const PASSPHRASE = "moss lantern seven rivers";
const SHORT = "tooshort-1";
const SECRETS = [KEY, WRONG_KEY, PASSPHRASE, SHORT];
const TYPED = (text: string): string => `${text}${KEYS.enter}`;

const Q = {
  place: "Where is n8n-observer to run?",
  url: "Where is your n8n?",
  key: "n8n's API key",
  writing: "This key can do more than read",
  passphrase: "A passphrase for signing in",
  token: "A token for a client without a browser",
  start: "Start the server now?",
} as const;

let n8n: RecordedN8n;
let copy: ProjectCopy;
let open: PseudoTerminal[] = [];

beforeAll(async () => {
  n8n = await startRecordedN8n({ apiKey: KEY });
  copy = await copyProject();
});
afterAll(async () => {
  await copy.remove();
  await n8n.close();
});
beforeEach(() => {
  n8n.faults.clear();
  n8n.requests.length = 0;
});
afterEach(async () => {
  for (const terminal of open) {
    await terminal.stop();
    for (const secret of SECRETS) expect(terminal.raw()).not.toContain(secret);
  }
  open = [];
  expect(n8n.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  const left = (await readdir(copy.directory)).filter((name) => name.endsWith(".new"));
  for (const name of [".dev.vars", ".dev.vars.setup"]) await rm(copy.inCopy(name), { force: true });
  expect(left).toEqual([]);
});

function setup(...args: string[]): PseudoTerminal {
  const env = { PATH: process.env.PATH, HOME: copy.directory };
  const command = [process.execPath, "scripts/setup.ts", ...args];
  const terminal = openTerminal(command, { cwd: copy.directory, env });
  open.push(terminal);
  return terminal;
}

const exists = (name: string): boolean => existsSync(copy.inCopy(name));
const readVars = async (): Promise<NodeJS.Dict<string>> =>
  parseEnv(await readFile(copy.inCopy(".dev.vars"), "utf8"));

test("five answers lead to a correct .dev.vars", async () => {
  const terminal = setup("--no-start");
  await terminal.answer(Q.place, KEYS.enter);
  await terminal.answer(Q.url, TYPED(`${n8n.baseUrl}/home/workflows`));
  await terminal.answer(Q.key, TYPED(KEY));
  await terminal.answer(Q.passphrase, TYPED(PASSPHRASE));
  await terminal.answer(Q.token, TYPED("nightly-report"));
  await terminal.sees("Wrote .dev.vars");
  expect(await terminal.ended).toBe(0);
  const vars = await readVars();
  expect(vars).toMatchObject({
    N8N_BASE_URL: n8n.baseUrl,
    N8N_API_KEY: KEY,
    ACCESS_PASSPHRASE: PASSPHRASE,
    SERVICE_TOKENS: expect.stringMatching(/^nightly-report [0-9a-f]{64} n8n:read$/),
  });
  expect((await stat(copy.inCopy(".dev.vars"))).mode & 0o777).toBe(0o600);
  expect(exists(".dev.vars.setup")).toBe(false);
  const shown = terminal.shown();
  expect(shown).toContain("n8n 2.36 or later, judging by its answers");
  expect(shown).toContain("executions that were read carry a request id");
  expect(shown).toContain("The key has only reading scopes");
  expect(shown).toContain("claude mcp add --transport http n8n-observer http://localhost:");
  expect(shown.match(/n8no_[\w-]{43}/g)).toHaveLength(1);
});

test("a wrong answer is explained, and the question asked again", async () => {
  n8n.faults.always(
    { kind: "status", status: 200, body: { data: { scopes: ["workflow:list", "workflow:delete"] } } },
    /\/discover/,
  );
  const terminal = setup("--local", "--no-start");
  await terminal.answer(Q.url, TYPED("http://n8n.example.com"));
  await terminal.answer("unencrypted", `\u0015${TYPED("http://127.0.0.1:9")}`);
  await terminal.sees("n8n cannot be reached");
  await terminal.answer(Q.url, TYPED("https://n8n.invalid/home"));
  await terminal.sees(/There is no host of that name|cannot be looked up/);
  await terminal.answer(Q.url, TYPED(n8n.baseUrl));
  await terminal.answer(Q.key, TYPED(WRONG_KEY));
  await terminal.sees("belongs to another instance");
  await terminal.answer(Q.key, TYPED(KEY));
  await terminal.sees("The key can do more than read: workflow:delete.");
  n8n.faults.clear();
  await terminal.answer(Q.writing, KEYS.enter);
  await terminal.sees("execution:list, tag:list and no others");
  await terminal.answer(Q.key, TYPED(KEY));
  await terminal.answer(Q.passphrase, TYPED(SHORT));
  // The refused answer is cleared, so Enter generates a passphrase.
  await terminal.answer("12 characters or more", TYPED(""));
  await terminal.answer(Q.token, TYPED("two words"));
  await terminal.answer("without spaces", `\u0015${TYPED("")}`);
  await terminal.sees("Wrote .dev.vars");
  expect(await terminal.ended).toBe(0);
  const { ACCESS_PASSPHRASE: made = "" } = await readVars();
  expect(made).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){4}$/);
  expect(terminal.shown()).toContain(made);
});

/** Answers the questions in order, with Ctrl-C at the one of this number. */
async function stopAt(number: number): Promise<PseudoTerminal> {
  const terminal = setup("--no-start");
  const answers: [string, string][] = [
    [Q.place, KEYS.enter],
    [Q.url, TYPED(n8n.baseUrl)],
    [Q.key, TYPED(KEY)],
    [Q.passphrase, TYPED(PASSPHRASE)],
    [Q.token, KEYS.enter],
  ];
  // Each run resumes where the one before stopped.
  const left = answers.slice(Math.max(0, number - 1));
  for (const [index, [question, keys]] of left.entries()) {
    const isStopped = number === 0 ? index === 0 : index === 1;
    await terminal.answer(question, isStopped ? KEYS.ctrlC : keys);
    if (isStopped) return terminal;
  }
  return terminal;
}

test("Ctrl-C at any question writes nothing, and the next run resumes there", async () => {
  for (const number of [0, 1, 2, 3, 4]) {
    const terminal = await stopAt(number);
    await terminal.sees("Nothing is half-written. npm run setup resumes where this stopped.");
    expect(await terminal.ended).toBe(130);
    expect(exists(".dev.vars")).toBe(false);
    if (number > 0) expect((await stat(copy.inCopy(".dev.vars.setup"))).mode & 0o777).toBe(0o600);
  }
  const last = setup("--no-start");
  await last.sees("This resumes a set-up that was not finished");
  await last.sees(`Going on with n8n at ${n8n.baseUrl}`);
  await last.sees("Going on with the passphrase of last time");
  await last.answer(Q.token, KEYS.enter);
  expect(await last.ended).toBe(0);
  expect(await readVars()).toMatchObject({ N8N_API_KEY: KEY, ACCESS_PASSPHRASE: PASSPHRASE });
  expect(exists(".dev.vars.setup")).toBe(false);
});

test("Ctrl-C at the last question writes everything, without starting the server", async () => {
  await writeFile(
    copy.inCopy(".dev.vars.setup"),
    `SETUP_PLACE=local\nN8N_BASE_URL=${n8n.baseUrl}\nN8N_API_KEY=${KEY}\nACCESS_PASSPHRASE='${PASSPHRASE}'\n`,
  );
  const terminal = setup("--no-service-token");
  await terminal.answer(Q.start, KEYS.ctrlC);
  expect(await terminal.ended).toBe(0);
  expect(await readVars()).toMatchObject({ N8N_API_KEY: KEY, ACCESS_PASSPHRASE: PASSPHRASE });
  expect(terminal.shown()).toContain("Next: npm run dev starts the server");
});

test("Ctrl-C during a request to n8n stops at once, and a key typed too early is not shown", async () => {
  n8n.faults.always({ kind: "slow", milliseconds: 15_000 });
  const terminal = setup("--local", "--no-start");
  await terminal.answer(Q.url, TYPED(n8n.baseUrl));
  await terminal.answer("Looking for n8n at", TYPED(KEY));
  const begun = Date.now();
  await terminal.answer("", KEYS.ctrlC);
  expect(await terminal.ended).toBe(130);
  expect(Date.now() - begun).toBeLessThan(10_000);
});

describe("an n8n-observer that is already set up", () => {
  async function setUpOnce(): Promise<void> {
    const hash = "0123456789abcdef".repeat(4);
    const lines = [
      `N8N_BASE_URL=${n8n.baseUrl}`,
      `N8N_API_KEY=${KEY}`,
      `ACCESS_PASSPHRASE='${PASSPHRASE}'`,
      `SERVICE_TOKENS='first ${hash} n8n:read'`,
    ];
    await writeFile(copy.inCopy(".dev.vars"), `${lines.join("\n")}\n`);
  }

  test("Enter keeps each answer, and a taken name is refused", async () => {
    await setUpOnce();
    const before = await readVars();
    const again = setup("--local", "--no-start");
    await again.answer(Q.url, KEYS.enter);
    await again.answer("Enter keeps the one in .dev.vars", KEYS.enter);
    await again.answer("Enter keeps the present one", KEYS.enter);
    await again.answer(Q.token, TYPED("first"));
    await again.answer("There is a token called first already", `\u0015${TYPED("second")}`);
    expect(await again.ended).toBe(0);
    const after = await readVars();
    expect({ ...after, SERVICE_TOKENS: "" }).toEqual({ ...before, SERVICE_TOKENS: "" });
    expect(after.SERVICE_TOKENS).toMatch(/^first [0-9a-f]{64} n8n:read; second [0-9a-f]{64} n8n:read$/);
  });

  test("Ctrl-C leaves it as it is, byte for byte", async () => {
    await setUpOnce();
    const before = await readFile(copy.inCopy(".dev.vars"));
    const again = setup("--local", "--no-start");
    await again.answer(Q.url, KEYS.enter);
    await again.answer(Q.key, KEYS.ctrlC);
    expect(await again.ended).toBe(130);
    expect(await readFile(copy.inCopy(".dev.vars"))).toEqual(before);
  });
});
