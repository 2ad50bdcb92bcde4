/** First and later traces on a real n8n, against the bare drain and against asking for one after another. */
import { MAX_PAGE_SIZE } from "../../src/history/page-size.ts";
import { startWatch } from "../../test/real-n8n/watch.ts";
import { isPageWithData, pagesWithData } from "../bench/drain.ts";
import type { ExpectedTrace } from "../bench/engine.ts";
import { measure } from "../bench/measure.ts";
import type { ListedExecution, N8nAccess } from "../bench/n8n-access.ts";
import { asCount, asMegabytes, asMilliseconds, asTimes, type Report } from "../bench/report.ts";
import { median, medianOf } from "../bench/statistics.ts";
import { type ResultOf, results } from "../bench/tasks.ts";
import { type BenchWorker, startBenchWorker } from "./worker-traces.ts";

const CONCURRENT_PAGES = 2;
const REPETITIONS = 5;

export interface RealHistory {
  readonly n8n: N8nAccess;
  /** Newest first, without the running ones. */
  readonly executions: readonly ListedExecution[];
  /** Among the oldest; the first of them is the one that is sought. */
  readonly sought: readonly [ExpectedTrace, ...ExpectedTrace[]];
}

const milliseconds = (one: { readonly milliseconds: number }): number => one.milliseconds;

interface Rounds {
  readonly drains: ResultOf<"drain">[];
  readonly worker: number[];
  readonly inProcess: ResultOf<"trace">[];
  readonly second: number[];
}

export const idsOf = (executions: readonly ListedExecution[]): string[] => executions.map(({ id }) => id);

/** Traces of one fresh user: how long the first took, and each of the later ones. */
async function traceAsNewUser(
  worker: BenchWorker,
  sought: RealHistory["sought"],
): Promise<{ first: number; second: number[] }> {
  await using user = await worker.newUser();
  const first = await user.trace(sought[0]);
  const second: number[] = [];
  for (const expected of sought) second.push((await user.trace(expected)).milliseconds);
  return { first: first.milliseconds, second };
}

async function measureRounds({ n8n, executions, sought }: RealHistory): Promise<Rounds> {
  const paths = pagesWithData(idsOf(executions), MAX_PAGE_SIZE);
  await using worker = await startBenchWorker(n8n, REPETITIONS);
  const rounds: Rounds = { drains: [], worker: [], inProcess: [], second: [] };
  for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
    const drain = { kind: "drain", n8n, paths, concurrency: CONCURRENT_PAGES } as const;
    rounds.drains.push(await measure(drain, results.drain));
    const { first, second } = await traceAsNewUser(worker, sought);
    rounds.worker.push(first);
    rounds.second.push(...second);
    const trace = { kind: "trace", n8n, first: sought[0], further: [] } as const;
    rounds.inProcess.push(await measure(trace, results.trace));
  }
  return rounds;
}

async function measureSerial({ n8n, executions }: RealHistory): Promise<number> {
  const paths = executions.map(({ id }) => `/executions/${id}?includeData=true`);
  const serial = await measure({ kind: "drain", n8n, paths, concurrency: 1 }, results.drain);
  return serial.milliseconds;
}

/** What n8n is asked for over known history, seen by a watch between the Worker and n8n. */
async function countOverKnownHistory({
  n8n,
  sought,
}: RealHistory): Promise<{ pages: number; lists: number }> {
  await using resources = new AsyncDisposableStack();
  const watch = resources.adopt(await startWatch(n8n.baseUrl), async (server) => await server.close());
  const worker = resources.use(await startBenchWorker({ ...n8n, baseUrl: watch.baseUrl }, 1));
  const user = resources.use(await worker.newUser());
  await user.trace(sought[0]);
  const before = watch.requests.length;
  for (const expected of sought) await user.trace(expected);
  const paths = watch.requests.slice(before).map(({ path }) => path);
  const pages = paths.filter(isPageWithData).length;
  const lists = paths.filter((path) => /\/executions\?/.test(path) && !isPageWithData(path)).length;
  return { pages, lists: lists / sought.length };
}

function reportRounds(report: Report, { drains, worker, inProcess, second }: Rounds, serial: number): void {
  const drain = medianOf(drains, milliseconds);
  const first = median(worker);
  const later = median(second);
  report.tell("bare drain", asMilliseconds(drain));
  report.tell("one detail call per execution, in series", asMilliseconds(serial));
  report.tell("first trace through the Worker, id at the far end", asMilliseconds(first));
  report.tell("the first of them, by a Worker that had just started", asMilliseconds(worker[0] ?? 0));
  report.tell("first trace by the engine alone, in Node", asMilliseconds(medianOf(inProcess, milliseconds)));
  report.check("first trace through the Worker / bare drain", first / drain, { most: 1.25 }, asTimes);
  report.tell("the engine alone / bare drain", asTimes(medianOf(inProcess, milliseconds) / drain));
  report.check("detail calls in series / first trace", serial / first, { least: 8 }, asTimes);
  report.tell("trace over known history, the same id and others", asMilliseconds(later));
  report.check("first trace / trace over known history", first / later, { least: 50 }, asTimes);
}

export async function benchRealTraces(report: Report, history: RealHistory): Promise<void> {
  const rounds = await measureRounds(history);
  const serial = await measureSerial(history);
  const bytes = rounds.drains[0]?.bytes ?? 0;
  const count = history.executions.length;
  report.tell(`${asCount(count)} executions with data`, asMegabytes(bytes));
  report.tell("average of them", `${asCount(bytes / count / 1_000)} kB`);
  reportRounds(report, rounds, serial);
  const { pages, lists } = await countOverKnownHistory(history);
  const traces = history.sought.length;
  report.check(
    `pages with data asked of n8n by ${traces} traces over known history`,
    pages,
    { most: 0 },
    asCount,
  );
  report.tell("lists asked of n8n by each of them", lists.toFixed(1));
}
