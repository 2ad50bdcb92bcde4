/** Does the tasks, in the process that was started for one of them. */
import { reasonOf } from "../../src/executions/causes/explain.ts";
import { summarizeExecution } from "../../src/executions/summary.ts";
import { readExplained } from "../../src/features/explain-failure/read-explained.ts";
import { createN8nClient, type N8nClient } from "../../src/n8n/client.ts";
import { explainedOutline } from "../../src/n8n/explanation-plan.ts";
import type { Fetch } from "../../src/n8n/requests.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { drain, isPageWithData } from "./drain.ts";
import { createEngine, fillIndex, requireRight } from "./engine.ts";
import { HeapWatch, sampledFetch } from "./heap-watch.ts";
import { fetchUncompressed, getFromN8n, type N8nAccess } from "./n8n-access.ts";
import { auditPage, readAllPages } from "./perform-audit.ts";
import type { ResultOf, Task, TaskOf } from "./tasks.ts";

/** Loads what `fetch` loads when it is first called, and opens a connection: both are no one's cost. */
async function warmUp(n8n: N8nAccess): Promise<void> {
  await (await getFromN8n(n8n, "/executions?limit=1")).arrayBuffer();
}

interface Timed<Result> {
  readonly result: Result;
  readonly milliseconds: number;
  readonly cpuMilliseconds: number;
}

async function timed<Result>(run: () => Promise<Result>): Promise<Timed<Result>> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const result = await run();
  const milliseconds = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { result, milliseconds, cpuMilliseconds: (user + system) / 1_000 };
}

async function performDrain({ n8n, paths, concurrency }: TaskOf<"drain">): Promise<ResultOf<"drain">> {
  const { result, ...times } = await timed(async () => await drain(n8n, paths, concurrency));
  return { ...times, bytes: result };
}

/** A path of n8n's public API, as `getFromN8n` takes it. */
const pathOf = (url: string): string => url.slice(url.indexOf("/api/v1") + "/api/v1".length);

/** Counts what is asked of n8n. */
class AskedOfN8n {
  requests = 0;
  readonly pages: string[] = [];

  readonly fetch: Fetch = (url, init) => {
    this.requests += 1;
    if (isPageWithData(url)) this.pages.push(pathOf(url));
    return fetchUncompressed(url, init);
  };
}

async function performTrace({ n8n, first, further }: TaskOf<"trace">): Promise<ResultOf<"trace">> {
  const asked = new AskedOfN8n();
  const engine = createEngine(n8n, { fetch: asked.fetch });
  const { result, ...times } = await timed(async () => await engine.trace(first.requestId));
  requireRight(result, first);
  const paths = [...asked.pages];
  const known: ResultOf<"trace">["further"] = [];
  for (const expected of further) {
    const before = { requests: asked.requests, pages: asked.pages.length };
    const { result: answer, milliseconds } = await timed(async () => await engine.trace(expected.requestId));
    requireRight(answer, expected);
    known.push({
      milliseconds,
      requests: asked.requests - before.requests,
      pages: asked.pages.length - before.pages,
    });
  }
  return { ...times, paths, further: known };
}

async function performTraceHeap(asked: TaskOf<"trace-heap">): Promise<ResultOf<"trace-heap">> {
  const watch = new HeapWatch(asked.samples);
  const fetch = sampledFetch(watch, asked.everyBytes);
  const engine = createEngine(asked.n8n, { fetch, onProgress: watch.sample });
  watch.begin();
  requireRight(await engine.trace(asked.first.requestId), asked.first);
  return { peakGrowth: watch.peakGrowth, samples: watch.samples };
}

async function performIndexHeap(asked: TaskOf<"index-heap">): Promise<ResultOf<"index-heap">> {
  const watch = new HeapWatch(asked.samples);
  const fetch = sampledFetch(watch, asked.everyBytes);
  watch.begin();
  await fillIndex(asked.n8n, fetch, asked.executions);
  return { peakGrowth: watch.peakGrowth, samples: watch.samples };
}

/** As `get_execution` does: what ran, and why it failed. */
async function summarize(client: N8nClient, executionId: string): Promise<void> {
  const execution = await client.readExecution(executionId, explainedOutline());
  reasonOf(execution);
  const { availableNodes } = summarizeExecution(execution);
  if (availableNodes.length === 0) throw new Error(`The summary of execution ${executionId} is empty.`);
}

async function performSummary({ n8n, executionId }: TaskOf<"summary">): Promise<ResultOf<"summary">> {
  const client = createN8nClient(n8n);
  const { milliseconds, cpuMilliseconds } = await timed(async () => await summarize(client, executionId));
  return { milliseconds, cpuMilliseconds };
}

async function performExplanation({
  n8n,
  executionId,
}: TaskOf<"explanation">): Promise<ResultOf<"explanation">> {
  const client = createN8nClient(n8n);
  const { result, milliseconds, cpuMilliseconds } = await timed(
    async () => await readExplained(client, executionId, systemClock),
  );
  if (result.execution.id !== executionId) throw new Error("Another execution was explained.");
  return { milliseconds, cpuMilliseconds };
}

async function performSummaryHeap(asked: TaskOf<"summary-heap">): Promise<ResultOf<"summary-heap">> {
  const watch = new HeapWatch(asked.samples);
  const client = createN8nClient(asked.n8n, { fetch: sampledFetch(watch, asked.everyBytes) });
  watch.begin();
  await summarize(client, asked.executionId);
  return { peakGrowth: watch.peakGrowth, samples: watch.samples };
}

async function performAudit({ n8n }: TaskOf<"audit">): Promise<ResultOf<"audit">> {
  const paths: string[] = [];
  const fetch: Fetch = (url, init) => {
    paths.push(pathOf(url));
    return fetchUncompressed(url, init);
  };
  const { result, ...times } = await timed(async () => await auditPage(n8n, fetch));
  return { ...times, paths, ...(await readAllPages(n8n, result)) };
}

async function performAuditHeap(asked: TaskOf<"audit-heap">): Promise<ResultOf<"audit-heap">> {
  const watch = new HeapWatch(asked.samples);
  watch.begin();
  await auditPage(asked.n8n, sampledFetch(watch, asked.everyBytes));
  return { peakGrowth: watch.peakGrowth, samples: watch.samples };
}

export async function perform(asked: Task): Promise<object> {
  await warmUp(asked.n8n);
  switch (asked.kind) {
    case "drain":
      return await performDrain(asked);
    case "trace":
      return await performTrace(asked);
    case "trace-heap":
      return await performTraceHeap(asked);
    case "index-heap":
      return await performIndexHeap(asked);
    case "summary":
      return await performSummary(asked);
    case "explanation":
      return await performExplanation(asked);
    case "summary-heap":
      return await performSummaryHeap(asked);
    case "audit":
      return await performAudit(asked);
    case "audit-heap":
      return await performAuditHeap(asked);
  }
}
