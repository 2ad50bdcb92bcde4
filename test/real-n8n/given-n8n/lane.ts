/**
 * The requests part of the lane, on an n8n at a given address: `npm run test:n8n -- --url <address>`.
 * What it created there is removed when it ends, also after a failure, Ctrl-C or SIGTERM; the truth comes from
 * n8n's own answers to its owner; nothing but GET reaches that n8n from the Worker.
 */
import { type AgentClient, connectModern } from "../../support/agent-client.ts";
import { closeAtEnd } from "../../support/close-at-end.ts";
import { SERVICE_TOKEN } from "../../support/test-worker.ts";
import type { Omission } from "../abilities.ts";
import { canaryPattern } from "../canaries.ts";
import { fill } from "../fill.ts";
import type { Log } from "../install.ts";
import type { Owner } from "../owner.ts";
import { LaneReport } from "../report.ts";
import { checkRequests, type SentRequests } from "../request-checks.ts";
import { namesThatCallUpstream, sendScenarios } from "../scenarios.ts";
import { chained, createWorkflow, seedWorkflows, waitForWebhook } from "../seed.ts";
import { webhookUrl } from "../tested-n8n.ts";
import { checkMainJob, checkOnlyGet, same } from "../trace-checks.ts";
import { startUpstream } from "../upstream.ts";
import { startWatchedWorker } from "../watched-worker.ts";
import { httpCall, webhook } from "../workflow-parts.ts";
import type { GivenAddress } from "./arguments.ts";
import { type GivenN8n, openGivenN8n } from "./given-n8n.ts";

const FILLERS = 20;
/** About 2 MB, as that n8n may be far away. */
const BIG_ITEMS = 400;
const PROBE_PATH = "reach";
const PROBE_MS = 15_000;
const EXIT_INTERRUPTED = 130;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const settings = { N8N_REQUESTS_PER_MINUTE: "20000" };

export async function runOnGivenN8n(address: GivenAddress, owner: Owner): Promise<number> {
  const interruption = new AbortController();
  // Failures caused by the removal do not matter.
  const log = (line: string): void => {
    if (!interruption.signal.aborted) console.log(line);
  };
  const n8n = await openGivenN8n(address, owner, log);
  const version = `${n8n.release ?? "of unknown version"} at ${n8n.baseUrl}`;
  log(`signed in to n8n ${version}`);
  await using resources = new AsyncDisposableStack();
  const stopListening = listenForSignals(() => interruption.abort());
  interruption.signal.addEventListener("abort", () => void endAtOnce(n8n, resources));
  let report: LaneReport;
  try {
    report = await sendAndCheck(n8n, address, resources, log);
  } catch (error) {
    if (interruption.signal.aborted) return await untilProcessEnds();
    // The first error matters most; the removal's error is added to it.
    await n8n.takeAway().catch((left: unknown) => console.error(left));
    throw error;
  }
  // Requests that the service holds keep executions running.
  await resources.disposeAsync();
  await report.check("nothing of the lane is left in the given n8n", n8n.takeAway);
  stopListening();
  console.log(`\n${report.toTable(version)}\n\n${report.passed} passed, ${report.failed} failed`);
  return report.failed === 0 ? 0 : 1;
}

/** @returns a function that stops listening */
function listenForSignals(interrupt: () => void): () => void {
  for (const signal of SIGNALS) process.on(signal, interrupt);
  return () => {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  };
}

async function endAtOnce(n8n: GivenN8n, resources: AsyncDisposableStack): Promise<void> {
  console.log("Interrupted: taking away what was made.");
  const [taken] = await Promise.allSettled([n8n.takeAway(), resources.disposeAsync()]);
  if (taken.status === "fulfilled") console.log(`Taken away: ${taken.value}.`);
  else console.error(taken.reason);
  process.exit(EXIT_INTERRUPTED);
}

const untilProcessEnds = (): Promise<never> => new Promise(() => {});

async function sendAndCheck(
  n8n: GivenN8n,
  address: GivenAddress,
  resources: AsyncDisposableStack,
  log: Log,
): Promise<LaneReport> {
  const { serviceUrl, servicePort = 0 } = address;
  const upstream = closeAtEnd(
    resources,
    await startUpstream(servicePort, serviceUrl === undefined ? "127.0.0.1" : "0.0.0.0"),
  );
  const upstreamUrl = serviceUrl ?? upstream.url;
  log("seeding");
  const reachesUpstream = await reaches(n8n, upstreamUrl);
  const omitted = reachesUpstream ? [] : namesThatCallUpstream(n8n, upstream);
  const report = new LaneReport(
    omitted.map((kind) => unreachable(kind, upstreamUrl)),
    log,
  );
  const seeded = await seedWorkflows(n8n, upstreamUrl);
  log("sending requests");
  const scenarios = await sendScenarios(n8n, seeded, upstream, { bigItems: BIG_ITEMS, reachesUpstream });
  await fill(n8n, FILLERS);
  const all = await n8n.executions.readAll();
  const { watch, worker } = await startWatchedWorker(resources, n8n, settings);
  const connect = async (): Promise<AgentClient> => await connectModern(worker.mcpUrl, SERVICE_TOKEN, "auto");
  const client = closeAtEnd(resources, await connect());
  log(`asking the Worker about ${scenarios.length} requests among ${all.length} executions`);
  for (const kind of omitted) report.canDo(kind);
  await checkRequests(client, { scenarios, all, fillers: FILLERS }, report, true);
  await checkTheRest(client, connect, { scenarios, all, fillers: FILLERS }, report);
  await report.check("nothing but GET reached n8n", () => checkOnlyGet(watch));
  return report;
}

async function checkTheRest(
  client: AgentClient,
  connect: () => Promise<AgentClient>,
  { scenarios, all }: SentRequests,
  report: LaneReport,
): Promise<void> {
  await report.check("check_connection", async () => {
    const { envelope } = await client.call("check_connection");
    same("ready", envelope.data.ready, true);
    return envelope.message;
  });
  await report.check("the main job with a v2 client, 2026-07-28", async () =>
    checkMainJob(await connect(), scenarios),
  );
  await report.check("no canary secret in any execution's details", async () => {
    for (const { id } of all) {
      const { text } = await client.call("get_execution_details", { executionId: id });
      if (canaryPattern.test(text)) throw new Error(`execution ${id} shows a canary`);
    }
    return `${all.length} executions`;
  });
}

/** Whether that n8n reaches the external service that some workflows call. */
async function reaches(n8n: GivenN8n, upstreamUrl: string): Promise<boolean> {
  await createWorkflow(
    n8n,
    { baseUrl: n8n.baseUrl, key: n8n.writeKey },
    chained(PROBE_PATH, webhook(PROBE_PATH, "lastNode"), httpCall("Reach", `${upstreamUrl}/reach`)),
  );
  await waitForWebhook(n8n, PROBE_PATH);
  try {
    const signal = AbortSignal.timeout(PROBE_MS);
    const response = await fetch(webhookUrl(n8n, PROBE_PATH), { method: "POST", signal });
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}

const unreachable = (kind: string, upstreamUrl: string): Omission => ({
  kind,
  reason: `that n8n does not reach the test service at ${upstreamUrl}; --service-url says where it can`,
});
