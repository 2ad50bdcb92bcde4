/**
 * `npm run tools record:kinds`: records one execution or more of each kind of failure and of agent run on a real n8n,
 * into `test/recorded-n8n/recording/kinds/<version>.json`.
 * Promises: saves n8n's own answers, in which paths and ports of the machine are replaced; refuses a recording that
 * still names the machine.
 */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningN8n } from "../../test/real-n8n/boot.ts";
import { startFakeModel } from "../../test/real-n8n/fake-model.ts";
import { type Kind, seedKinds } from "../../test/real-n8n/kinds-seed.ts";
import { callApi } from "../../test/real-n8n/n8n-api.ts";
import { newestExecutionId } from "../../test/real-n8n/n8n-database.ts";
import { sendWebhook, waitForExecutions } from "../../test/real-n8n/scenarios.ts";
import { recordedVersions, toRecordedVersion, VERSION_OPTION } from "../../test/real-n8n/versions.ts";
import { kindsDirectory } from "../../test/recorded-n8n/kinds.ts";
import { listenOnLoopback, readText, stopServer } from "../../test/support/loopback-server.ts";
import { runScript } from "../command-line/command.ts";
import { onRealN8n } from "../record/on-real-n8n.ts";
import { saveRecording, toLines, usualPlaces } from "../record/save-recording.ts";

const USAGE = `Records each kind of failure and of agent run on a real n8n, into test/recorded-n8n/recording/kinds.

  npm run tools record:kinds -- [options]

  --version <version>  ${recordedVersions.join(", ")}; without it, the first`;

/** Longer than the timeout of the nodes. */
const SLOW_MS = 1_500;
/** A reserved port, on which nothing listens. */
const DEAD_URL = "http://127.0.0.1:1/";

/** Answers with the status at the end of the path, and an error that quotes the request. */
async function startStatusServer() {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const body = await readText(request);
    const status = Number(pathname.split("/").at(-1));
    if (Number.isNaN(status)) await sleep(SLOW_MS);
    response.writeHead(Number.isNaN(status) ? 200 : status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `Nothing for ${body.slice(0, 200)}` } }));
  });
  const url = await listenOnLoopback(server);
  return { url, close: async () => await stopServer(server) };
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

await runScript(USAGE, { options: { version: VERSION_OPTION } }, async ({ values }) => {
  const version = toRecordedVersion(values.version);
  await onRealN8n(version, async (n8n, keep) => {
    const { url: statusUrl } = await keep(startStatusServer());
    const model = await keep(startFakeModel());
    const kinds = await seedKinds(n8n, { statusUrl, deadUrl: DEAD_URL, model });
    const recorded: unknown[] = [];
    for (const kind of kinds) recorded.push(...(await runKind(n8n, kind)));
    const services = { 9098: statusUrl, 9097: model.baseUrl };
    await saveRecording(`${kindsDirectory}/${version}.json`, toLines(recorded), usualPlaces(n8n, services));
  });
});
