/** First and later traces on a real n8n, compared with the bare drain and with one detail call per execution. */
import { setTimeout as sleep } from "node:timers/promises";
import { MAX_PAGE_SIZE } from "../../src/history/reading/page-size.ts";
import { startWatch } from "../../test/real-n8n/watch.ts";
import { drain, isPageWithData, pagesWithData } from "../bench/drain.ts";
import type { ExpectedTrace } from "../bench/engine.ts";
import { measureDrain, measureTrace } from "../bench/measure.ts";
import type { ListedExecution, N8nAccess } from "../bench/n8n-access.ts";
import { asCount, asMegabytes, asMilliseconds, asTimes, type Report } from "../bench/report.ts";
import { median, medianOf, milliseconds } from "../bench/statistics.ts";
import type { ResultOf } from "../bench/tasks.ts";
import { type BenchWorker, startBenchWorker, type WorkerUser } from "./worker-traces.ts";

const REPETITIONS = 5;
const WARMING_READS = 20;
const A_SECOND_MS = 1_000;
const LIST_REPETITIONS = 20;

export interface RealHistory {
  readonly n8n: N8nAccess;
  /** Newest first, without the running ones. */
  readonly executions: readonly ListedExecution[];
  /** Requests with the oldest executions; first traces are of the first. */
  readonly oldest: readonly [ExpectedTrace, ...ExpectedTrace[]];
  /** Sends n8n a request with a new id, which it returns. */
  readonly send: () => Promise<string>;
}

interface Rounds {
  readonly drains: ResultOf<"drain">[];
  readonly inProcess: ResultOf<"trace">[];
  /** Of a Worker whose index was empty. */
  readonly first: number[];
  readonly others: OtherUsers;
}

/** Times of new users, on an index that another user's trace has filled. */
interface OtherUsers {
  readonly reads: number[];
  readonly known: number[];
  /** Of requests that were sent a second before. */
  readonly fresh: number[];
}

export const idsOf = (executions: readonly ListedExecution[]): string[] => executions.map(({ id }) => id);

/** Lets a new Worker compile its code before anything is measured. */
async function warmUp(user: WorkerUser, executions: readonly ListedExecution[]): Promise<void> {
  for (const { id } of executions.slice(0, WARMING_READS)) await user.read(id);
}

/** Measures in turns, so that other load on the machine affects all alike. */
async function measureOthers(
  worker: BenchWorker,
  { executions, oldest, send }: RealHistory,
  times: OtherUsers,
): Promise<void> {
  const [small] = executions;
  if (small === undefined) throw new Error("There are no executions.");
  for (const expected of oldest) {
    await using user = await worker.newUser();
    times.reads.push(await user.read(small.id));
    times.known.push(await user.trace(expected));
    times.reads.push(await user.read(small.id));
    const requestId = await send();
    await sleep(A_SECOND_MS);
    times.fresh.push(await user.find(requestId));
  }
}

async function measureRounds(history: RealHistory): Promise<Rounds> {
  const { n8n, executions, oldest } = history;
  const paths = pagesWithData(idsOf(executions), MAX_PAGE_SIZE);
  const others: OtherUsers = { reads: [], known: [], fresh: [] };
  const rounds: Rounds = { drains: [], inProcess: [], first: [], others };
  for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
    await using worker = await startBenchWorker(n8n, 1 + oldest.length);
    await using user = await worker.newUser();
    await warmUp(user, executions);
    rounds.drains.push(await measureDrain(n8n, paths));
    rounds.first.push(await user.trace(oldest[0]));
    rounds.inProcess.push(await measureTrace(n8n, oldest[0]));
    await measureOthers(worker, history, others);
  }
  return rounds;
}

async function measureSerial({ n8n, executions }: RealHistory): Promise<number> {
  const paths = executions.map(({ id }) => `/executions/${id}?includeData=true`);
  return (await measureDrain(n8n, paths, 1)).milliseconds;
}

/** Counts requests to n8n over known history, by a proxy between the Worker and n8n. */
async function countOverKnownHistory({
  n8n,
  oldest,
}: RealHistory): Promise<{ pages: number; listsPerTrace: number; lastLists: readonly string[] }> {
  await using resources = new AsyncDisposableStack();
  const watch = resources.adopt(await startWatch(n8n.baseUrl), async (server) => await server.close());
  const worker = resources.use(await startBenchWorker({ ...n8n, baseUrl: watch.baseUrl }, 1));
  const user = resources.use(await worker.newUser());
  await user.trace(oldest[0]);
  const before = watch.requests.length;
  for (const expected of oldest) await user.trace(expected);
  const paths = watch.requests.slice(before).map(({ path }) => path);
  const pages = paths.filter(isPageWithData).length;
  const lists = paths.filter((path) => /\/executions\?/.test(path) && !isPageWithData(path));
  const listsPerTrace = lists.length / oldest.length;
  return { pages, listsPerTrace, lastLists: lists.slice(-Math.round(listsPerTrace)) };
}

/** Milliseconds of n8n alone for the lists of one trace, sent together. */
async function timeOfLists(n8n: N8nAccess, lists: readonly string[]): Promise<number> {
  const times: number[] = [];
  const paths = lists.map((path) => path.replace(/^.*(?=\/executions)/, ""));
  for (let round = 0; round < LIST_REPETITIONS; round += 1) {
    const began = performance.now();
    await drain(n8n, paths, paths.length);
    times.push(performance.now() - began);
  }
  return median(times);
}

function reportRounds(report: Report, { drains, first, inProcess }: Rounds, serial: number): void {
  const drain = medianOf(drains, milliseconds);
  const ever = median(first);
  report.tell("bare drain", asMilliseconds(drain));
  report.tell("one detail call per execution, in series", asMilliseconds(serial));
  report.tell("first trace on an empty index, id at the far end", asMilliseconds(ever));
  report.tell("the same by the engine alone, in Node", asMilliseconds(medianOf(inProcess, milliseconds)));
  report.check("first trace / bare drain", ever / drain, { most: 1.15 }, asTimes);
  report.tell("the engine alone / bare drain", asTimes(medianOf(inProcess, milliseconds) / drain));
  report.check("detail calls in series / first trace", serial / ever, { least: 8 }, asTimes);
}

function reportOthers(report: Report, { reads, known, fresh }: OtherUsers): void {
  const read = median(reads);
  report.tell("`get_execution` of a small execution", asMilliseconds(read));
  report.tell("trace over a filled index, by a new user", asMilliseconds(median(known)));
  report.tell("trace of a request sent a second before", asMilliseconds(median(fresh)));
  report.check("trace over a filled index / `get_execution`", median(known) / read, { most: 1.6 }, asTimes);
  report.check("the slowest of them / `get_execution`", Math.max(...known) / read, { most: 3 }, asTimes);
  report.check("request sent a second before / `get_execution`", median(fresh) / read, { most: 3 }, asTimes);
}

export async function benchRealTraces(report: Report, history: RealHistory): Promise<void> {
  const rounds = await measureRounds(history);
  const serial = await measureSerial(history);
  const bytes = rounds.drains[0]?.bytes ?? 0;
  const count = history.executions.length;
  report.tell(`${asCount(count)} executions with data`, asMegabytes(bytes));
  report.tell("average of them", `${asCount(bytes / count / 1_000)} kB`);
  reportRounds(report, rounds, serial);
  reportOthers(report, rounds.others);
  const { pages, listsPerTrace, lastLists } = await countOverKnownHistory(history);
  const traces = history.oldest.length;
  report.check(
    `pages with data requested from n8n by ${traces} traces over known history`,
    pages,
    { most: 0 },
    asCount,
  );
  report.tell("lists requested from n8n by each of them", listsPerTrace.toFixed(1));
  report.tell(
    "the same lists, sent together by a bare client",
    asMilliseconds(await timeOfLists(history.n8n, lastLists)),
  );
}
