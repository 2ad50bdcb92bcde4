/**
 * `npm run tools record:queue`: records what n8n in queue mode answers about executions that wait, run, ended and lost
 * their worker, into `test/recorded-n8n/recording/queue/<version>.json`.
 * Promises: saves n8n's own answers, in which paths and ports of the machine are replaced; refuses a recording that
 * still names the machine.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { installN8n } from "../../test/real-n8n/install.ts";
import { bootQueue, type QueueN8n } from "../../test/real-n8n/queue/boot.ts";
import { idsOf, readTruth, seedQueue, send, waitFor } from "../../test/real-n8n/queue/lane.ts";
import { startUpstream, type Upstream } from "../../test/real-n8n/upstream.ts";
import { defaultN8nVersion } from "../../test/real-n8n/versions.ts";
import { type QueueMoment, queueDirectory } from "../../test/recorded-n8n/queue.ts";
import { runScript } from "../command-line/command.ts";
import { saveRecording, usualPlaces } from "../record/save-recording.ts";

const USAGE = `Records what n8n in queue mode answers, into test/recorded-n8n/recording/queue.

  npm run tools record:queue`;

const WORKERS = 2;
const LISTS = ["", "?status=new", "?status=running", "?limit=0"];
/** How long n8n may take to notice that a worker died. */
const WORKER_DEATH_MS = 240_000;

/** Every list, every execution with its data, and the id above the highest. */
async function record(name: string, n8n: QueueN8n): Promise<QueueMoment> {
  const ids = (await readTruth(n8n)).map(({ id }) => Number(id));
  const paths = [
    ...LISTS.map((query) => `/executions${query}`),
    ...ids.map((id) => `/executions/${id}?includeData=true`),
    `/executions/${Math.max(...ids) + 1}?includeData=true`,
  ];
  const replies: QueueMoment["replies"] = [];
  for (const path of paths) {
    const headers = { "X-N8N-API-KEY": n8n.main.readKey };
    const response = await fetch(`${n8n.main.baseUrl}/api/v1${path}`, { headers });
    replies.push({ path, status: response.status, body: await response.json() });
  }
  return { name, replies };
}

async function recordAll(n8n: QueueN8n, upstream: Upstream): Promise<QueueMoment[]> {
  const hasEnded = (status: string): boolean => status !== "new" && status !== "running";
  const [early, running, queued] = [idsOf("early", 2), idsOf("run", WORKERS), idsOf("queue", 3)];
  await send(n8n.main, early);
  await waitFor(n8n, early, hasEnded);
  for (const id of running) upstream.hold(id);
  await send(n8n.main, running);
  await waitFor(n8n, running, (status) => status === "running");
  await send(n8n.main, queued);
  const moments = [await record("queued", n8n)];

  for (const id of [...running, ...queued]) upstream.heal(id);
  await waitFor(n8n, [...running, ...queued], hasEnded);
  moments.push(await record("ended", n8n));

  const lost = idsOf("lost", 1);
  for (const id of lost) upstream.hold(id);
  await n8n.workers[1]?.kill();
  await send(n8n.main, lost);
  await waitFor(n8n, lost, (status) => status === "running");
  await n8n.workers[0]?.kill();
  await n8n.startWorker();
  moments.push(await record("worker killed", n8n));
  const deadline = Date.now() + WORKER_DEATH_MS;
  while (!(await readTruth(n8n)).every(({ status }) => hasEnded(status)) && Date.now() < deadline)
    await sleep(1_000);
  moments.push(await record("n8n has noticed", n8n));
  return moments;
}

await runScript(USAGE, { options: {} }, async () => {
  const version = defaultN8nVersion;
  await using resources = new AsyncDisposableStack();
  const n8n = resources.adopt(
    await bootQueue(await installN8n(version, console.log), {
      workers: WORKERS,
      concurrency: 1,
      log: console.log,
    }),
    async (running) => await running.stop(),
  );
  const upstream = resources.adopt(await startUpstream(), async (server) => await server.close());
  await seedQueue(n8n.main, upstream);
  const moments = await recordAll(n8n, upstream);
  const lines = moments.map(
    ({ name, replies }) =>
      `{"name":${JSON.stringify(name)},"replies":[\n${replies.map((each) => JSON.stringify(each)).join(",\n")}\n]}`,
  );
  const places = usualPlaces(n8n.main, { 9099: upstream.url });
  await saveRecording(join(queueDirectory, `${version}.json`), `[\n${lines.join(",\n")}\n]`, places);
});
