/**
 * From a fresh clone to the first answer by answering `npm run setup` withoutN8n; then the doctor checks the server that was
 * started, and names what is broken.
 */
import { readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { findFreePort } from "../../scripts/dev-server/ports.ts";
import { diagnose } from "../../scripts/doctor/diagnose.ts";
import { summarize } from "../../scripts/doctor/render.ts";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { whatForeignPageGets } from "../support/foreign-page.ts";
import { listeningPorts } from "../support/process-tree.ts";
import { copyProject, type ProjectCopy } from "../support/project-copy.ts";
import { KEYS, openTerminal, type PseudoTerminal } from "../support/pseudo-terminal.ts";

const KEY = "n8n_api_key-of-a-newcomer-0123456789";
const session = z.object({ url: z.string(), token: z.string() });

let n8n: RecordedN8n;
let copy: ProjectCopy;
let terminal: PseudoTerminal;
let origin = "";

beforeAll(async () => {
  n8n = await startRecordedN8n({ apiKey: KEY });
  copy = await copyProject();
  const port = await findFreePort(28_000 + Math.floor(Math.random() * 2_000));
  origin = `http://localhost:${port}`;
  terminal = openTerminal([process.execPath, "scripts/setup.ts", "--port", String(port)], {
    cwd: copy.directory,
    env: { PATH: process.env.PATH, HOME: copy.directory },
  });
});
afterAll(async () => {
  await terminal.stop();
  await copy.remove();
  await n8n.close();
});

async function readToken(): Promise<string> {
  const [name = ""] = await readdir(copy.inCopy(".wrangler", "start"));
  const text = await readFile(copy.inCopy(".wrangler", "start", name, "session.json"), "utf8");
  return session.parse(JSON.parse(text)).token;
}

test("six answers lead to a first, correct answer about a request", async () => {
  await terminal.answer("Where is n8n-observer to run?", KEYS.enter);
  await terminal.answer("Where is your n8n?", `${n8n.baseUrl}/home/workflows${KEYS.enter}`);
  await terminal.answer("n8n's API key", `${KEY}${KEYS.enter}`);
  await terminal.answer("A passphrase for signing in", KEYS.enter);
  await terminal.answer("A token for a client without a browser", KEYS.enter);
  await terminal.answer("Start the server now?", KEYS.enter);
  await terminal.sees("The first answer, about a request of yours");
  await terminal.sees("The server runs. Ctrl-C stops it.");
  const answer = terminal.shown().slice(terminal.shown().indexOf("The first answer"));
  // The request of the newest recorded execution.
  expect(answer).toContain("fill-40");
  expect(answer).toMatch(/succe(?:ss|eded)/);
  expect(terminal.raw()).not.toContain(KEY);
});

test("the server that was started opens one port, and a web page gets nothing from it", async () => {
  const ports = await listeningPorts(terminal.pid);
  expect(ports).toEqual([Number(new URL(origin).port)]);
  expect(await whatForeignPageGets(ports)).toEqual([]);
});

describe("the doctor, run against this server", () => {
  test("finds everything in order, including n8n and the index", async () => {
    const findings = await diagnose({ origin, token: await readToken() });
    expect(findings.filter(({ status }) => status !== "pass")).toEqual([]);
    expect(summarize(findings)).toBe("All is well.");
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(["registration", "refusal without a token", "n8n reachable", "history index"]),
    );
  });

  test("reports an unknown token, and n8n when it is down", async () => {
    const refused = await diagnose({ origin, token: "n8no_of-another-server" });
    expect(refused.at(-1)).toMatchObject({ check: "tool call", status: "fail" });
    n8n.faults.always({ kind: "status", status: 502 });
    const withoutN8n = await diagnose({ origin, token: await readToken() });
    n8n.faults.clear();
    expect(withoutN8n.find(({ check }) => check === "n8n reachable")).toMatchObject({ status: "fail" });
  });
});

test("Ctrl-C ends the server", async () => {
  terminal.type(KEYS.ctrlC);
  await terminal.ended;
  expect((await diagnose({ origin })).at(-1)).toMatchObject({ check: "port", status: "fail" });
});
