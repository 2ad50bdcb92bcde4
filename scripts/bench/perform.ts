/** Performs a task, in the process that was started for it. */
import { reasonOf } from "../../src/executions/causes/explain.ts";
import { summarizeExecution } from "../../src/executions/summary.ts";
import { readExplained } from "../../src/features/explain-failure/read-explained.ts";
import { createN8nClient, type N8nClient } from "../../src/n8n/client.ts";
import { explainedOutline } from "../../src/n8n/explanation-plans.ts";
import type { Fetch } from "../../src/n8n/requests.ts";
import { VisibleN8n } from "../../src/n8n/visible-n8n.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { drain, isPageWithData } from "./drain.ts";
import { createEngine, fillIndex, requireRight } from "./engine.ts";
import { HeapWatch, sampledFetch } from "./heap-watch.ts";
import { fetchUncompressed, getFromN8n, type N8nAccess } from "./n8n-access.ts";
import { auditPage, readAllPages } from "./perform-audit.ts";
import type { ResultOf, Task, TaskOf } from "./tasks.ts";

/** Loads what the first `fetch` loads, and opens a connection, so that no measurement includes them. */
async function warmUp(n8n: N8nAccess): Promise<void> {
  await (await getFromN8n(n8n, "/executions?limit=1")).arrayBuffer();
}

async function timed<Result>(run: () => Promise<Result>) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const result = await run();
  const milliseconds = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return [result, { milliseconds, cpuMilliseconds: (user + system) / 1_000 }] as const;
}

async function performDrain({ n8n, paths, concurrency }: TaskOf<"drain">): Promise<ResultOf<"drain">> {
  const [bytes, times] = await timed(async () => await drain(n8n, paths, concurrency));
  return { ...times, bytes };
}

/** A path of n8n's public API, as `getFromN8n` takes it. */
const pathOf = (url: string): string => url.slice(url.indexOf("/api/v1") + "/api/v1".length);

/** A `fetch` that adds each URL to the list. */
const loggingTo =
  (urls: string[]): Fetch =>
  (url, init) => {
    urls.push(url);
    return fetchUncompressed(url, init);
  };

async function performTrace({ n8n, first, further }: TaskOf<"trace">): Promise<ResultOf<"trace">> {
  const urls: string[] = [];
  const engine = createEngine(n8n, { fetch: loggingTo(urls) });
  const [result, times] = await timed(async () => await engine.trace(first.requestId));
  requireRight(result, first);
  const paths = urls.filter(isPageWithData).map(pathOf);
  const known: ResultOf<"trace">["further"] = [];
  for (const expected of further) {
    const before = urls.length;
    const [answer, { milliseconds }] = await timed(async () => await engine.trace(expected.requestId));
    requireRight(answer, expected);
    const sent = urls.slice(before);
    known.push({ milliseconds, requests: sent.length, pages: sent.filter(isPageWithData).length });
  }
  return { ...times, paths, further: known };
}

/** As `get_execution` does: what ran, and why it failed. */
async function summarize(client: N8nClient, executionId: string): Promise<void> {
  const execution = await client.readExecution(executionId, explainedOutline(true));
  reasonOf(execution);
  const { availableNodes } = summarizeExecution(execution);
  if (availableNodes.length === 0) throw new Error(`The summary of execution ${executionId} is empty.`);
}

async function performSummary({ n8n, executionId }: TaskOf<"summary">): Promise<ResultOf<"summary">> {
  const client = createN8nClient(n8n);
  const [, times] = await timed(async () => await summarize(client, executionId));
  return times;
}

async function performExplanation(task: TaskOf<"explanation">): Promise<ResultOf<"explanation">> {
  const client = VisibleN8n.whole(createN8nClient(task.n8n));
  const [{ execution }, times] = await timed(
    async () => await readExplained(client, task.executionId, systemClock),
  );
  if (execution.id !== task.executionId) throw new Error("Another execution was explained.");
  return times;
}

async function performAudit({ n8n }: TaskOf<"audit">): Promise<ResultOf<"audit">> {
  const urls: string[] = [];
  const [first, times] = await timed(async () => await auditPage(n8n, loggingTo(urls)));
  return { ...times, paths: urls.map(pathOf), ...(await readAllPages(n8n, first)) };
}

async function hold(
  { n8n, holder }: TaskOf<"heap">,
  fetch: Fetch,
  onProgress: () => void,
  begin: () => void,
): Promise<void> {
  // Created before `begin`, so that they do not count.
  const engine = createEngine(n8n, { fetch, onProgress });
  const client = createN8nClient(n8n, { fetch });
  begin();
  switch (holder.what) {
    case "trace":
      return requireRight(await engine.trace(holder.first.requestId), holder.first);
    case "index":
      return await fillIndex(n8n, fetch, holder.executions);
    case "summary":
      return await summarize(client, holder.executionId);
    case "audit":
      await auditPage(n8n, fetch);
  }
}

async function performHeap(task: TaskOf<"heap">): Promise<ResultOf<"heap">> {
  const watch = new HeapWatch(task.samples);
  await hold(task, sampledFetch(watch, task.everyBytes), watch.sample, () => watch.begin());
  return { peakGrowth: watch.peakGrowth };
}

export async function perform(task: Task): Promise<object> {
  await warmUp(task.n8n);
  switch (task.kind) {
    case "drain":
      return await performDrain(task);
    case "trace":
      return await performTrace(task);
    case "summary":
      return await performSummary(task);
    case "explanation":
      return await performExplanation(task);
    case "audit":
      return await performAudit(task);
    case "heap":
      return await performHeap(task);
  }
}
