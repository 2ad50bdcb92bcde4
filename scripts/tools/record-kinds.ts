/**
 * `npm run tools record:kinds [-- --version <n8n version>]`: records one execution or more of each kind of failure and of
 * agent run on a real n8n, into `test/recorded-n8n/recording/kinds/<version>.json`.
 * Promises: what is saved is n8n's own answer, but for paths and ports of the machine, and parts of stacks that name
 * them; a recording that still names the machine is refused.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { homedir, tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { bootN8n, type RunningN8n } from "../../test/real-n8n/boot.ts";
import { startFakeModel } from "../../test/real-n8n/fake-model.ts";
import { installN8n } from "../../test/real-n8n/install.ts";
import { type Kind, seedKinds } from "../../test/real-n8n/kinds-seed.ts";
import { callApi } from "../../test/real-n8n/n8n-api.ts";
import { newestExecutionId } from "../../test/real-n8n/n8n-database.ts";
import { sendWebhook, waitForExecutions } from "../../test/real-n8n/scenarios.ts";
import { type N8nVersion, readN8nVersion } from "../../test/real-n8n/versions.ts";
import { kindsDirectory } from "../../test/recorded-n8n/kinds.ts";
import { listenOnLoopback, readText, stopServer } from "../../test/support/loopback-server.ts";

/** Longer than the nodes wait. */
const SLOW_MS = 1_500;
/** Nothing listens on it: a port that is kept for no service. */
const DEAD_URL = "http://127.0.0.1:1/";

/** Answers with the status at the end of the path, and an error that names who asked. */
const createStatusServer = () =>
  createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const body = await readText(request);
    const status = Number(pathname.split("/").at(-1));
    if (Number.isNaN(status)) await sleep(SLOW_MS);
    response.writeHead(Number.isNaN(status) ? 200 : status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `Nothing for ${body.slice(0, 200)}` } }));
  });

async function main(version: N8nVersion): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const installation = await installN8n(version, console.log);
  const statusServer = createStatusServer();
  const statusUrl = await listenOnLoopback(statusServer);
  resources.defer(async () => await stopServer(statusServer));
  const model = resources.adopt(await startFakeModel(), async (server) => await server.close());
  const n8n = resources.adopt(
    await bootN8n(installation, { log: console.log }),
    async (running) => await running.stop(),
  );
  const kinds = await seedKinds(n8n, { statusUrl, deadUrl: DEAD_URL, model });
  const recorded: unknown[] = [];
  for (const kind of kinds) recorded.push(...(await runKind(n8n, kind)));
  await save(version, recorded, [
    [`${installation.directory}/node_modules/n8n/`, "/usr/local/lib/node_modules/n8n/"],
    [`${installation.directory}/node_modules/`, "/usr/local/lib/node_modules/n8n/node_modules/"],
    [n8n.baseUrl.slice("http://".length), "127.0.0.1:5678"],
    [statusUrl.slice("http://".length), "127.0.0.1:9098"],
    [new URL(model.baseUrl).host, "127.0.0.1:9097"],
  ]);
}

/** The executions of a kind, in the form of n8n's list with data. */
async function runKind(n8n: RunningN8n, { name, bodies }: Kind): Promise<unknown[]> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.readKey };
  const recorded: unknown[] = [];
  for (const body of bodies) {
    const before = newestExecutionId(n8n);
    await sendWebhook(n8n, name, body);
    const [ended] = await waitForExecutions(n8n, before, 1, "success");
    const answer = await callApi(access, "GET", `/executions/${ended?.id ?? ""}?includeData=true`);
    recorded.push({ kind: name, answer });
  }
  return recorded;
}

async function save(
  version: N8nVersion,
  recorded: readonly unknown[],
  replacements: readonly (readonly [string, string])[],
): Promise<void> {
  const lines = recorded.map((each) => JSON.stringify(each)).join(",\n");
  const text = replacements.reduce(
    (replaced, [from, to]) => replaced.replaceAll(from, to),
    `[\n${lines}\n]\n`,
  );
  const telling = [homedir(), tmpdir()].find((path) => path !== "/" && text.includes(`${path}/`));
  if (telling !== undefined) throw new Error(`The recording names a path of this machine, below ${telling}.`);
  await mkdir(kindsDirectory, { recursive: true });
  await writeFile(`${kindsDirectory}/${version}.json`, text);
  console.log(`Saved ${recorded.length} executions, ${Math.round(text.length / 1024)} kB`);
}

await main(readN8nVersion(process.argv.slice(2)));
