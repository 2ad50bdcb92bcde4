/**
 * The lane of real clients (`npm run test:real-clients [-- --only <client> | --write | --install]`): programs and
 * libraries of others, as npm has them, against the Worker in `wrangler dev` and the recorded n8n.
 *
 * Each signs in as its makers document it (OAuth with a played browser, or a service token), lists the tools, and asks
 * `trace_request` for a recorded request; its own output must name the node that failed. What only calls tools when a
 * model says so is given a model server that says so. Prints a line a client and the table, and `N passed, N failed`;
 * `--write` writes the table into docs/clients.md.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inProject } from "../../scripts/project.ts";
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { PASSPHRASE, SERVICE_TOKEN, startTestWorker } from "../support/test-worker.ts";
import { type LaneServer, REQUEST_ID, type RealClient, surround } from "./client.ts";
import { CLIENTS } from "./clients/index.ts";
import { type ClientRow, toTable, writeClients } from "./clients-table.ts";
import { type InstalledClients, installClients } from "./install.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";

const DOCUMENT = inProject("docs", "clients.md");

interface LaneArguments {
  readonly install: boolean;
  readonly write: boolean;
  readonly only: string | undefined;
}

/** @throws for anything else */
function readArguments(commandLine: readonly string[]): LaneArguments {
  const [first, second, ...more] = commandLine;
  const isOnly = first === "--only" && second !== undefined && more.length === 0;
  const isFlag =
    second === undefined && (first === undefined || first === "--install" || first === "--write");
  if (!isOnly && !isFlag) throw new Error("Only one of --install, --write and --only <client> is taken.");
  return { install: first === "--install", write: first === "--write", only: isOnly ? second : undefined };
}

async function runClients({ only, write }: LaneArguments, installed: InstalledClients): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const n8n = resources.adopt(await startRecordedN8n(), async (server) => await server.close());
  const worker = resources.adopt(
    await startTestWorker({ baseUrl: n8n.baseUrl, apiKey: n8n.apiKey }),
    async (process) => await process.stop(),
  );
  const model = resources.adopt(
    await startModelServer({ tool: "trace_request", args: { requestId: REQUEST_ID } }),
    async (server) => await server.close(),
  );
  const server = { mcpUrl: worker.mcpUrl, passphrase: PASSPHRASE, serviceToken: SERVICE_TOKEN };
  const chosen = CLIENTS.filter(
    ({ name }) => only === undefined || name.toLowerCase().includes(only.toLowerCase()),
  );
  if (chosen.length === 0) throw new Error(`No client is called ${only}.`);
  const rows: ClientRow[] = [];
  let failed = 0;
  for (const client of chosen) {
    const row = await tryClient(client, server, installed, model);
    if (row === undefined) failed += 1;
    else rows.push(row);
  }
  if (write && failed === 0) {
    await writeFile(DOCUMENT, writeClients(await readFile(DOCUMENT, "utf8"), rows));
    console.log("Wrote docs/clients.md.");
  }
  console.log(`\n${toTable(rows)}\n\n${rows.length} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** Its row; none when it did not do the job. */
async function tryClient(
  client: RealClient,
  server: LaneServer,
  installed: InstalledClients,
  model: ModelServer,
): Promise<ClientRow | undefined> {
  const { name, packageName, signIn } = client;
  const home = await mkdtemp(join(tmpdir(), "n8n-observer-client-"));
  const started = performance.now();
  const seconds = (): string => `${((performance.now() - started) / 1_000).toFixed(1)} s`;
  try {
    const seen = await client.doMainJob(await surround(server, installed, model, home));
    console.log(`  ok    ${name} (${signIn}): ${seen} (${seconds()})`);
    return { name, version: await installed.versionOf(packageName), signIn, seen };
  } catch (error) {
    console.log(`  FAIL  ${name} (${signIn}, ${seconds()})\n        ${String(error)}`);
    return undefined;
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const lane = readArguments(process.argv.slice(2));
const installed = await installClients(console.log);
if (!lane.install) await runClients(lane, installed);
else console.log("1 passed, 0 failed");
