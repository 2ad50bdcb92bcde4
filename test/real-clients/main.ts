/**
 * The lane of real clients (`npm run tools test:real-clients [-- --only <client> | --write | --install]`): third-party
 * programs and libraries from npm, against the Worker in workerd and the recorded n8n.
 *
 * Each signs in as its makers document it (OAuth with a simulated browser, or a service token), lists the tools, and calls
 * `trace_request` for a recorded request; its own output must name the node that failed. A client that calls tools only
 * when a model asks for it gets a model server that does. Prints a line per client, the table, and `N passed, N failed`;
 * `--write` writes the table into docs/clients.md.
 *
 * To use a newer version, change it in `test/real-clients/package.json` and run
 * `npm install --package-lock-only --ignore-scripts` there.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { flag, requireOneAtMost, text } from "../../scripts/command-line/arguments.ts";
import { runScript } from "../../scripts/command-line/command.ts";
import { inProject } from "../../scripts/project.ts";
import { LaneReport } from "../real-n8n/report.ts";
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { closeAtEnd } from "../support/close-at-end.ts";
import { PASSPHRASE, SERVICE_TOKEN, startTestWorker } from "../support/test-worker.ts";
import { type LaneServer, REQUEST_ID, type RealClient, type Surroundings, surround } from "./client.ts";
import { CLIENTS } from "./clients/index.ts";
import { type ClientRow, toTable, writeClients } from "./clients-table.ts";
import { type InstalledClients, installClients } from "./install.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";

const DOCUMENT = inProject("docs", "clients.md");

const USAGE = `Runs third-party clients from npm against the recorded n8n. Installs them first.

  npm run tools test:real-clients -- [options]

  --only <client>  only those whose name contains this
  --write          writes the table of docs/clients.md
  --install        only installs them`;

/** What each client must show of a server's refusal. */
const BROKEN_SETTING = { SERVICE_TOKENS: "reader not-a-hash n8n:read" };
const REFUSALS = {
  wrongToken: /This access token is not valid here, or not any more\. Sign in again/,
  notSetUp: /The setting SERVICE_TOKENS has a malformed entry/,
};

/** What the clients of a run share. */
interface Places {
  readonly server: LaneServer;
  /** A misconfigured server, which refuses everybody. */
  readonly notSetUp: LaneServer;
  readonly installed: InstalledClients;
  readonly model: ModelServer;
}

async function runClients(
  installed: InstalledClients,
  only: string | undefined,
  write: boolean,
): Promise<number> {
  await using resources = new AsyncDisposableStack();
  const n8n = closeAtEnd(resources, await startRecordedN8n());
  const startWorker = async (settings: Readonly<Record<string, string>>): Promise<LaneServer> => {
    const worker = closeAtEnd(
      resources,
      await startTestWorker({ baseUrl: n8n.baseUrl, apiKey: n8n.apiKey }, {}, { settings }),
    );
    return { mcpUrl: worker.mcpUrl, passphrase: PASSPHRASE, serviceToken: SERVICE_TOKEN };
  };
  const model = closeAtEnd(
    resources,
    await startModelServer({ tool: "trace_request", args: { requestId: REQUEST_ID } }),
  );
  const places = {
    server: await startWorker({}),
    notSetUp: await startWorker(BROKEN_SETTING),
    installed,
    model,
  };
  const chosen = CLIENTS.filter(({ name }) => name.toLowerCase().includes(only?.toLowerCase() ?? ""));
  if (chosen.length === 0) throw new Error(`No client is called ${only}.`);
  const report = new LaneReport();
  const rows: ClientRow[] = [];
  for (const client of chosen) rows.push(...(await tryClient(client, places, report)));
  if (write && report.failed === 0) {
    await writeFile(DOCUMENT, writeClients(await readFile(DOCUMENT, "utf8"), rows));
    console.log("Wrote docs/clients.md.");
  }
  console.log(`\n${toTable(rows)}\n\n${report.passed} passed, ${report.failed} failed`);
  return report.failed === 0 ? 0 : 1;
}

/** @returns its row, or none when it failed */
async function tryClient(client: RealClient, places: Places, report: LaneReport): Promise<ClientRow[]> {
  const { name, packageName, signIn, doMainJob, showRefusal } = client;
  const { server, notSetUp, installed, model } = places;
  const at = async (place: LaneServer, body: (surroundings: Surroundings) => Promise<string>) =>
    await inHome(async (home) => body(await surround(place, installed, model, home)));
  const rows: ClientRow[] = [];
  await report.check(`${name} does the main job (${signIn})`, async () => {
    const seen = await at(server, doMainJob);
    rows.push({ name, version: await installed.versionOf(packageName), signIn, seen });
    return seen;
  });
  if (showRefusal === undefined) return rows;
  const withWrongToken = { ...server, serviceToken: "none-of-the-servers" };
  await report.check(`${name} says what to do about a wrong token`, async () =>
    demandWords(await at(withWrongToken, showRefusal), REFUSALS.wrongToken),
  );
  await report.check(`${name} says which setting of the server is wrong`, async () =>
    demandWords(await at(notSetUp, showRefusal), REFUSALS.notSetUp),
  );
  return rows;
}

function demandWords(shown: string, expected: RegExp): string {
  const [words] = expected.exec(shown) ?? [];
  if (words === undefined) throw new Error(`It shows:\n${shown.slice(-2_000)}`);
  return words;
}

/** Runs `body` with a temporary home directory. */
async function inHome<Result>(body: (home: string) => Promise<Result>): Promise<Result> {
  const home = await mkdtemp(join(tmpdir(), "n8n-observer-client-"));
  try {
    return await body(home);
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const OPTIONS = { only: text, write: flag, install: flag } as const;

await runScript(USAGE, { options: OPTIONS }, async ({ values }) => {
  requireOneAtMost(Object.keys(OPTIONS), values);
  const installed = await installClients(console.log);
  if (!values.install) return await runClients(installed, values.only, values.write === true);
  console.log("1 passed, 0 failed");
});
