/**
 * The lane of queue mode: PostgreSQL, Redis, one main process and two workers, as organisations run n8n. 500 requests
 * wait at once; workers are killed, the main process restarts, executions end out of order.
 * Each answer is compared with PostgreSQL before and after it; nothing that exists may be reported missing.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { connectModern } from "../../support/agent-client.ts";
import { closeAtEnd } from "../../support/close-at-end.ts";
import { SERVICE_TOKEN } from "../../support/test-worker.ts";
import { bootN8n } from "../boot.ts";
import type { Log, N8nInstallation } from "../install.ts";
import { callApi } from "../n8n-api.ts";
import type { LaneReport } from "../report.ts";
import { waitForExecutions } from "../scenarios.ts";
import { checkOnlyGet, same, traceRequest } from "../trace-checks.ts";
import { startUpstream } from "../upstream.ts";
import { startWatchedWorker } from "../watched-worker.ts";
import { bootQueue } from "./boot.ts";
import {
  checkTrace,
  idsAskedAbove,
  idsOf,
  type QueueLane,
  readTruth,
  seedQueue,
  send,
  type Traced,
  trace,
  truthOf,
  waitFor,
} from "./lane.ts";

const WORKERS = 2;
const CONCURRENCY = 5;
const SLOTS = WORKERS * CONCURRENCY;
/** Executions that end before anything waits. */
const EARLY = 20;
const QUEUED = 500;
const SAMPLES = 20;
/** The checks make more requests per minute than people do. */
const MANY_REQUESTS = { N8N_REQUESTS_PER_MINUTE: "20000" };
/** The time n8n needs to notice a dead worker, in milliseconds. */
const WORKER_DEATH_MS = 240_000;
/** The waiting time after which dead workers are suspected, in milliseconds. */
const STALLED_MS = 65_000;
/** More failing traces than the number of probes for a queue. */
const TRACES_IN_VAIN = 25;
/** Two probes for each of twenty traces. */
const MOST_PROBED = 40;

export async function checkQueue(installation: N8nInstallation, report: LaneReport, log: Log): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const n8n = closeAtEnd(
    resources,
    await bootQueue(installation, { workers: WORKERS, concurrency: CONCURRENCY, log }),
  );
  // Closed before n8n, as it holds the requests that keep executions running.
  const upstream = closeAtEnd(resources, await startUpstream());
  await seedQueue(n8n.main, upstream);
  const { watch, worker } = await startWatchedWorker(resources, n8n.main, MANY_REQUESTS);
  const client = closeAtEnd(resources, await connectModern(worker.mcpUrl, SERVICE_TOKEN, "auto"));
  const lane: QueueLane = { n8n, upstream, watch, client };
  await checkFullQueue(lane, report);
  await checkWebhookProcess(lane, report);
  await checkDeadWorker(lane, report);
  await checkRestart(lane, report);
  await report.check("no worker is left", async () => checkNobodyTakes(lane));
  await report.check("nothing but GET reached n8n in queue mode", () => checkOnlyGet(watch));
  log("booting an n8n without a queue");
  await checkRegular(installation, report);
}

/** Requests that run until they are released, one for each slot of the workers. */
async function occupy({ n8n, upstream }: QueueLane, prefix: string, slots = SLOTS): Promise<string[]> {
  const ids = idsOf(prefix, slots);
  for (const id of ids) upstream.hold(id);
  await send(n8n.main, ids);
  await waitFor(n8n, ids, (status) => status === "running");
  return ids;
}

function release({ upstream }: QueueLane, requestIds: readonly string[]): void {
  for (const id of requestIds) upstream.heal(id);
}

const isEnded = (status: string): boolean => status !== "new" && status !== "running";
const isSuccess = (status: string): boolean => status === "success";

/** The highest numbers of calls and single reads among these traces. */
function costOf(traces: readonly Traced[]): string {
  const most = (value: (each: Traced) => number): number => Math.max(...traces.map(value));
  return `at most ${most(({ calls }) => calls)} calls each, ${most(({ singleReads }) => singleReads)} single requests a call`;
}

async function checkFullQueue(lane: QueueLane, report: LaneReport): Promise<void> {
  const { n8n, upstream } = lane;
  const early = idsOf("early", EARLY);
  await send(n8n.main, early);
  await waitFor(n8n, early, isSuccess);
  const running = await occupy(lane, "block");
  const queued = idsOf("queue", QUEUED);
  const samples = queued.filter((_, index) => index % (QUEUED / SAMPLES) === 7);
  for (const id of samples) upstream.hold(id);
  await send(n8n.main, queued);
  await waitFor(n8n, queued, (status) => status === "new");

  await report.check(`the last of ${QUEUED} queued requests, asked for first`, async () => {
    const newest = (await readTruth(n8n)).at(-1)?.requestId ?? "";
    return costOf([await checkTrace(lane, newest, "new")]);
  });
  await report.check("an id that was never sent, while others are queued", async () => {
    const first = await traceRequest(lane.client, { requestId: "never-001" });
    same("outcome before all was read", first.data.outcome, "not_found_yet");
    const traced = await trace(lane, { traceId: first.data.traceId });
    same("outcome when all was read", traced.data.outcome, "not_found");
    return `${traced.message} ${costOf([traced])}`;
  });
  await report.check(`${SAMPLES} of ${QUEUED} requests while queued`, async () => {
    const traces: Traced[] = [];
    for (const id of samples) traces.push(await checkTrace(lane, id, "new"));
    return costOf(traces);
  });
  await report.check("the length of the queue", async () => {
    const said = (await checkOfQueue(lane)).detail;
    const stated = Number(/(\d+) executions?/.exec(said)?.[1]);
    same(
      "executions that wait",
      stated,
      (await readTruth(n8n)).filter(({ status }) => status === "new").length,
    );
    return said;
  });

  release(lane, running);
  await report.check(`${SAMPLES} of ${QUEUED} requests while running, ended out of order`, async () =>
    checkRunning(lane, samples),
  );
  release(lane, samples);
  await waitFor(n8n, [...queued, ...running], isSuccess);
  await report.check(`${SAMPLES} of ${QUEUED} requests when ended`, async () => {
    const traces: Traced[] = [];
    for (const id of samples) traces.push(await checkTrace(lane, id, "success"));
    return costOf(traces);
  });
}

/** Lets the first running execution end last. */
async function checkRunning(lane: QueueLane, samples: readonly string[]): Promise<string> {
  const left = new Set(samples);
  const traces: Traced[] = [];
  let first: string | undefined;
  while (left.size > 0) {
    const rows = await readTruth(lane.n8n);
    const next = rows.find(({ requestId, status }) => status === "running" && left.has(requestId ?? ""));
    const id = next?.requestId;
    if (!id) {
      await sleep(200);
      continue;
    }
    traces.push(await checkTrace(lane, id, "running"));
    left.delete(id);
    if (first === undefined) {
      first = id;
      continue;
    }
    release(lane, [id]);
    await waitFor(lane.n8n, [id], isSuccess);
  }
  const [last = ""] = samples.slice(-1);
  const [late, early] = [await truthOf(lane.n8n, last), await truthOf(lane.n8n, first ?? "")];
  if (Number(late.id) < Number(early.id)) throw new Error("nothing ended out of order");
  traces.push(await checkTrace(lane, last, "success"), await checkTrace(lane, first ?? "", "running"));
  return costOf(traces);
}

/** n8n lists executions that another process enqueued as `new`, unlike its own. */
async function checkWebhookProcess(lane: QueueLane, report: LaneReport): Promise<void> {
  const { n8n } = lane;
  const webhooks = await n8n.startWebhooks();
  const running = await occupy(lane, "hold");
  const ids = idsOf("hook", 30);
  await send({ ...n8n.main, baseUrl: webhooks.baseUrl }, ids);
  await waitFor(n8n, ids, (status) => status === "new");
  await report.check("requests that a webhook process enqueued", async () => {
    const traces: Traced[] = [];
    for (const id of [ids[0] ?? "", ids[15] ?? "", ids[29] ?? ""])
      traces.push(await checkTrace(lane, id, "new"));
    return costOf(traces);
  });
  await report.check("a trace that waits for a queued request", async () => {
    const waiting = traceRequest(lane.client, { requestId: ids[29], waitMs: 20_000 });
    await sleep(1_000);
    release(lane, running);
    const { data, message } = await waiting;
    same("outcome", data.outcome, "success");
    return message;
  });
  release(lane, running);
  await waitFor(n8n, [...ids, ...running], isSuccess);
  await webhooks.stop();
}

/** The executions of a dead worker count as running until n8n notices. */
async function checkDeadWorker(lane: QueueLane, report: LaneReport): Promise<void> {
  const { n8n } = lane;
  const ids = await occupy(lane, "kill");
  const before = new Map((await readTruth(n8n)).map((row) => [row.requestId ?? "", row.id]));
  await n8n.workers[0]?.kill();
  const killedAt = Date.now();
  await report.check("what a dead worker ran, before n8n notices", async () => {
    const traces: Traced[] = [];
    for (const id of ids) traces.push(await checkTrace(lane, id, "running"));
    return costOf(traces);
  });
  const statusOf = async (): Promise<Map<string, string>> =>
    new Map((await readTruth(n8n)).map(({ id, status }) => [id, status]));
  const lost = async (): Promise<string[]> => {
    const statuses = await statusOf();
    return ids.filter((id) => {
      const status = statuses.get(before.get(id) ?? "") ?? "gone";
      return status !== "running" && status !== "success";
    });
  };
  let dead: string[] = [];
  while (dead.length < CONCURRENCY && Date.now() - killedAt < WORKER_DEATH_MS) {
    await sleep(1_000);
    dead = await lost();
  }
  const seconds = Math.round((Date.now() - killedAt) / 1_000);
  await report.check("what a dead worker ran, once n8n has noticed", async () => {
    same("executions of the dead worker", dead.length, CONCURRENCY);
    const notes: string[] = [];
    for (const requestId of dead) {
      const id = before.get(requestId) ?? "";
      const access = { baseUrl: n8n.main.baseUrl, key: n8n.main.readKey };
      const { status } = z
        .looseObject({ status: z.string() })
        .parse(await callApi(access, "GET", `/executions/${id}?includeData=true`));
      const { data, message } = await trace(lane, { requestId });
      same(`found ${requestId} (${message})`, data.found, true);
      same(`outcome of ${requestId}`, data.outcome, "error");
      same(
        `executions of ${requestId}`,
        data.executions.map((each) => [each.id, each.status]),
        [[id, status]],
      );
      notes.push(`${status} after ${seconds} s: ${message}`);
    }
    const { envelope } = await lane.client.call("explain_failure", { requestId: dead[0] });
    return `${notes[0]} ${envelope.message}`;
  });
  release(lane, ids);
  const alive = ids.filter((id) => !dead.includes(id));
  await waitFor(n8n, alive, isEnded);
  await report.check("what the other worker ran meanwhile", async () => {
    for (const id of alive) await checkTrace(lane, id, "success");
    return undefined;
  });
  await n8n.startWorker();
}

async function checkRestart(lane: QueueLane, report: LaneReport): Promise<void> {
  const { n8n, watch } = lane;
  const running = await occupy(lane, "stay");
  const queued = idsOf("wait", 30);
  await send(n8n.main, queued);
  await waitFor(n8n, queued, (status) => status === "new");
  const [lastId = ""] = queued.slice(-1);
  let restarted: Promise<void> | undefined;
  await report.check("n8n's main process killed in the middle of a trace", async () => {
    watch.beforeEach(async () => {
      if (restarted !== undefined) return;
      restarted = n8n.main.crash();
      await sleep(300);
    });
    const { envelope, isError } = await lane.client.call("trace_request", { requestId: lastId });
    watch.beforeEach();
    if (restarted === undefined) throw new Error("the trace asked nothing of n8n");
    const { outcome } = z.looseObject({ outcome: z.string().optional() }).parse(envelope.data);
    if (!isError && outcome !== "queued" && outcome !== "not_found_yet")
      throw new Error(`it says ${outcome}: ${envelope.message}`);
    return isError ? JSON.stringify(envelope.data) : (envelope.message ?? "");
  });
  watch.beforeEach();
  await restarted;
  await report.check("queued and running requests after the restart", async () => {
    const traces: Traced[] = [];
    for (const id of [queued[0] ?? "", lastId]) traces.push(await checkTrace(lane, id, "new"));
    for (const id of running.slice(0, 3)) traces.push(await checkTrace(lane, id, "running"));
    return costOf(traces);
  });
  release(lane, running);
  await waitFor(n8n, [...queued, ...running], isSuccess);
  await report.check("the same when they ended", async () => {
    for (const id of [queued[0] ?? "", lastId, running[0] ?? ""]) await checkTrace(lane, id, "success");
    return undefined;
  });
}

async function checkNobodyTakes(lane: QueueLane): Promise<string> {
  for (const worker of lane.n8n.workers) await worker.kill();
  const [id = ""] = idsOf("nobody", 1);
  await send(lane.n8n.main, [id]);
  await sleep(STALLED_MS);
  await checkTrace(lane, id, "new");
  const { status, detail } = await checkOfQueue(lane);
  same("status", status, "warning");
  const { envelope } = await lane.client.call("summarize_failures", { hours: 1, timeBudgetMs: 55_000 });
  const { incidents } = digest.parse(envelope.data);
  const [incident] = incidents.filter(({ kind }) => kind === "queue");
  if (incident === undefined) throw new Error(`No incident says so: ${JSON.stringify(incidents)}`);
  return `${detail} ${incident.says}`;
}

const digest = z.looseObject({
  incidents: z.array(z.looseObject({ kind: z.string(), says: z.string() })),
});

const checks = z.looseObject({
  checks: z.array(z.looseObject({ check: z.string(), status: z.string(), detail: z.string() })),
});

/** The finding of check_connection about the queue. */
async function checkOfQueue({ client }: QueueLane): Promise<{ status: string; detail: string }> {
  const { envelope } = await client.call("check_connection");
  const line = checks.parse(envelope.data).checks.find(({ check }) => check === "what waits in n8n");
  if (line === undefined) throw new Error("check_connection says nothing of a queue");
  return line;
}

/** An n8n that never queues is not probed any more, once that is known. */
async function checkRegular(installation: N8nInstallation, report: LaneReport): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const n8n = closeAtEnd(resources, await bootN8n(installation));
  const upstream = closeAtEnd(resources, await startUpstream());
  await seedQueue(n8n, upstream);
  const { watch, worker } = await startWatchedWorker(resources, n8n, MANY_REQUESTS);
  const client = closeAtEnd(resources, await connectModern(worker.mcpUrl, SERVICE_TOKEN, "auto"));
  const traceAll = async (ids: readonly string[], outcome: string): Promise<void> => {
    for (const requestId of ids) {
      const { data } = await traceRequest(client, { requestId });
      same(`outcome of ${requestId}`, data.outcome, outcome);
    }
  };
  const sendAll = async (ids: readonly string[]): Promise<void> => {
    const before = await n8n.executions.newestId();
    await send(n8n, ids);
    await waitForExecutions(n8n, before, ids.length, "success");
  };
  await report.check(
    "an n8n without a queue is asked for no id above the newest, once that is known",
    async () => {
      await sendAll(idsOf("plain", 10));
      await traceAll(idsOf("never", TRACES_IN_VAIN), "not_found");
      const probed = idsAskedAbove(watch, 0, await n8n.executions.newestId()).length;
      if (probed > MOST_PROBED) throw new Error(`${probed} ids above the newest were requested`);
      const known = watch.requests.length;
      await sendAll(idsOf("later", 10));
      await traceAll(idsOf("later", 10), "success");
      await traceAll(idsOf("absent", 10), "not_found");
      same(
        "ids above the newest that were asked for",
        idsAskedAbove(watch, known, await n8n.executions.newestId()),
        [],
      );
      return `${probed} probes before, none after`;
    },
  );
  await report.check("nothing but GET reached n8n without a queue", () => checkOnlyGet(watch));
}
