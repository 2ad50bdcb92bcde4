/**
 * n8n as organisations run it (`npm run test:n8n -- --queue`): PostgreSQL, Redis, one main process and two workers.
 * Sends many requests at once, asks the Worker about some of them while they wait, run and have ended, and compares
 * each answer with PostgreSQL's row of that moment. Then kills a worker, and at last all of them.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { type AgentClient, connectModern } from "../../support/agent-client.ts";
import { SERVICE_TOKEN, startTestWorker } from "../../support/test-worker.ts";
import { installN8n } from "../install.ts";
import type { LaneReport } from "../report.ts";
import { createWorkflow, waitForWebhook } from "../seed.ts";
import { webhookUrl } from "../tested-n8n.ts";
import { checkOnlyGet, same } from "../trace-checks.ts";
import type { N8nVersion } from "../versions.ts";
import { startWatch, type Watch } from "../watch.ts";
import { node, webhook } from "../workflow-parts.ts";
import { bootQueue, type QueueN8n } from "./boot.ts";

const REQUESTS = 500;
const SAMPLED = 20;
const CONCURRENCY = 5;
/** Single executions that a call may ask for: 20 a look, and the call that learns that n8n queues looks twice. */
const MOST_SINGLES = 40;
/** n8n notices a dead worker after one to two minutes. */
const DEATH_MS = 180_000;
const DRAIN_MS = 180_000;
const MANY_REQUESTS = { N8N_REQUESTS_PER_MINUTE: "20000" };

const answered = z.looseObject({
  outcome: z.string(),
  coverage: z.looseObject({ complete: z.boolean() }),
  executions: z.array(z.looseObject({ id: z.string() })),
});
const checked = z.looseObject({
  checks: z.array(z.looseObject({ check: z.string(), status: z.string(), detail: z.string() })),
});
const rows = z.array(z.object({ status: z.string() })).nullable();

/** What an outcome may be, given what PostgreSQL said before and after it was asked for. */
const OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  new: ["queued", "not_found_yet"],
  running: ["running"],
  success: ["success"],
  error: ["error"],
  crashed: ["error"],
};

export async function checkQueue(version: N8nVersion, report: LaneReport): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const queue = resources.adopt(
    await bootQueue(await installN8n(version, console.log), {
      workers: 2,
      concurrency: CONCURRENCY,
      log: console.log,
    }),
    async (running) => await running.stop(),
  );
  await seed(queue);
  const watch = resources.adopt(await startWatch(queue.main.baseUrl), async (server) => await server.close());
  const worker = resources.adopt(
    await startTestWorker(
      { baseUrl: watch.baseUrl, apiKey: queue.main.readKey },
      {},
      { settings: MANY_REQUESTS },
    ),
    async (process) => await process.stop(),
  );
  const client = resources.adopt(
    await connectModern(worker.mcpUrl, SERVICE_TOKEN, "auto"),
    async (open) => await open.close(),
  );
  const lane = { queue, watch, client };
  await report.check("queue mode: an id that was never sent, before anything waits", async () => {
    const { outcome, coverage } = await trace(lane, "never-sent");
    same("outcome", [outcome, coverage.complete], ["not_found", true]);
  });
  await report.check(
    `queue mode: ${SAMPLED} of ${REQUESTS} requests while they wait, run and have ended`,
    async () => checkMany(lane),
  );
  await report.check("queue mode: an id that was never sent, after all", async () => {
    const { outcome, coverage } = await trace(lane, "never-sent");
    same("outcome", [outcome, coverage.complete], ["not_found", true]);
  });
  await report.check("queue mode: a worker that dies", async () => checkDeath(lane));
  await report.check("queue mode: no worker is left", async () => checkNobodyTakes(lane));
  await report.check("queue mode: nothing but GET reached n8n", () => checkOnlyGet(watch));
}

interface Lane {
  readonly queue: QueueN8n;
  readonly watch: Watch;
  readonly client: AgentClient;
}

async function seed({ main }: QueueN8n): Promise<void> {
  for (const [name, path, seconds] of [
    ["Orders", "queue-orders", 0.4],
    ["Slow", "queue-slow", 15],
  ] as const) {
    const work = node("Work", "n8n-nodes-base.wait", 1.1, {
      resume: "timeInterval",
      amount: seconds,
      unit: "seconds",
    });
    await createWorkflow(
      main,
      { baseUrl: main.baseUrl, key: main.writeKey },
      {
        name,
        nodes: [webhook(path, "onReceived"), work],
        connections: { Webhook: { main: [[{ node: "Work", type: "main", index: 0 }]] } },
      },
    );
    await waitForWebhook(main, path);
  }
}

async function send({ queue }: Lane, path: string, requestId: string): Promise<void> {
  const response = await fetch(webhookUrl(queue.main, path), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ requestId }),
  });
  if (!response.ok) throw new Error(`${requestId} was answered ${response.status}.`);
}

async function trace({ client }: Lane, requestId: string) {
  const { envelope } = await client.call("trace_request", { requestId });
  return { ...answered.parse(envelope.data), message: envelope.message };
}

/** PostgreSQL's status of the execution that was sent this id. */
async function statusOf({ queue }: Lane, requestId: string): Promise<string> {
  const held = `SELECT "executionId" FROM execution_data WHERE data LIKE '%"${requestId}"%'`;
  const found = rows.parse(
    await queue.database.ask(
      `SELECT json_agg(json_build_object('status', status)) FROM execution_entity WHERE id IN (${held})`,
    ),
  );
  const [first] = found ?? [];
  if (first === undefined) throw new Error(`n8n has no execution of ${requestId}.`);
  return first.status;
}

const singlesOf = ({ watch }: Lane): number =>
  watch.requests.filter(({ path }) => /\/executions\/\d+(?:\?|$)/.test(path)).length;

async function checkMany(lane: Lane): Promise<string> {
  const ids = Array.from({ length: REQUESTS }, (_one, index) => `queue-${index}`);
  await Promise.all(ids.map(async (id) => await send(lane, "queue-orders", id)));
  const sampled = Array.from(
    { length: SAMPLED },
    (_one, index) => ids[Math.floor((index * REQUESTS) / SAMPLED)] ?? "",
  );
  const seen = new Map<string, number>();
  let most = 0;
  const deadline = Date.now() + DRAIN_MS;
  for (let open: readonly string[] = sampled; open.length > 0 && Date.now() < deadline; ) {
    const left: string[] = [];
    for (const id of open) {
      const before = await statusOf(lane, id);
      const asked = singlesOf(lane);
      const { outcome, coverage, message } = await trace(lane, id);
      const after = await statusOf(lane, id);
      most = Math.max(most, singlesOf(lane) - asked);
      const allowed = [before, after, ...(before === after ? [] : ["running"])].flatMap(
        (status) => OUTCOMES[status] ?? [],
      );
      if (!allowed.includes(outcome))
        throw new Error(`${id} was ${before}, then ${after}, and is told as ${outcome}: ${message}`);
      if (outcome === "not_found_yet" && coverage.complete) throw new Error(`${id}: complete without it`);
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      if (outcome !== "success") left.push(id);
    }
    open = left;
  }
  for (const outcome of ["queued", "success"])
    if (!seen.has(outcome)) throw new Error(`None was seen ${outcome}: ${JSON.stringify([...seen])}`);
  if (most > MOST_SINGLES) throw new Error(`A call asked for ${most} single executions.`);
  return `${[...seen].map(([outcome, count]) => `${outcome} ${count}`).join(", ")}; at most ${most} single executions asked for in a call`;
}

async function checkDeath(lane: Lane): Promise<string> {
  const ids = Array.from({ length: 6 }, (_one, index) => `dies-${index}`);
  for (const id of ids) await send(lane, "queue-slow", id);
  await sleep(2_000);
  // The index reads them while n8n still has what was sent.
  for (const id of ids) same(id, (await trace(lane, id)).outcome, "running");
  await lane.queue.workers[0]?.kill();
  const deadline = Date.now() + DEATH_MS;
  let outcomes: string[] = [];
  do {
    await sleep(5_000);
    outcomes = [];
    for (const id of ids) outcomes.push((await trace(lane, id)).outcome);
  } while (outcomes.includes("running") && Date.now() < deadline);
  same("what became of them", [...new Set(outcomes)].sort(), ["error", "success"]);
  const dead = ids[outcomes.indexOf("error")] ?? "";
  const { envelope } = await lane.client.call("explain_failure", { requestId: dead });
  return `${outcomes.filter((one) => one === "error").length} of ${ids.length}: ${envelope.message}`;
}

async function checkNobodyTakes(lane: Lane): Promise<string> {
  await lane.queue.workers[1]?.kill();
  await send(lane, "queue-orders", "nobody-takes-it");
  await sleep(65_000);
  const { outcome } = await trace(lane, "nobody-takes-it");
  same("outcome", outcome, "queued");
  const { envelope } = await lane.client.call("check_connection");
  const line = checked.parse(envelope.data).checks.find(({ check }) => check === "what waits in n8n");
  same("status", line?.status, "warning");
  return line?.detail ?? "";
}
