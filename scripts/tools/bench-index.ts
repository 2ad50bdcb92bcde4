/**
 * `npm run tools bench:index`: the history index over 2,000 and over a million recorded executions, filled by its alarm alone.
 *
 * Promises: a wrong answer, or a trace that had to read an execution, aborts it; it ends the processes that it started.
 */
import { recordedN8n } from "../bench/n8n-access.ts";
import {
  asCount,
  asMebibytes,
  asMegabytes,
  asMilliseconds,
  asTimes,
  type Report,
  toLines,
} from "../bench/report.ts";
import { runBenchmark } from "../bench/run-benchmark.ts";
import { median, percentile } from "../bench/statistics.ts";
import { type FilledIndex, measureFilledIndex, measureHeld } from "../bench-index/filled-index.ts";

const SMALL = 2_000;
const LARGE = 1_000_000;
/** Memory outside SQLite depends only on the pages being read; measuring it takes as long again as the fill. */
const MOST_HELD = 100_000;

const HOW = `The Worker runs in workerd, n8n in a process of its own; both and the clients share the machine. The index fills itself by its alarm, while its progress is requested, and a new request is traced every few seconds. Then new users alternate: \`get_execution\` of a small execution, and a trace of a request of the oldest copy, which must be found without reading an execution. Each search is over all executions: for a request id as a whole value (rare), for a word that is nowhere (absent), and for one that two of three executions have (common), which ends at 50 hits. Processor is that of all threads of workerd. Rows written are those of tables and indexes, as Cloudflare counts them, without those written once for a page. Bytes are those of the database file. The memory held is V8's heap and its external memory, in a Node process that runs the same engine over the same n8n with ${asCount(MOST_HELD)} executions at most, measured after garbage collection every 4 MB of answers.

The figures do not cover: a deployed Worker and its network; a slow n8n, on which the time to fill depends most.`;

const worst = (values: readonly number[]): number => Math.max(...values);
const timesOf = (searches: FilledIndex["rare"]): number[] => searches.map(({ milliseconds }) => milliseconds);
const mostRead = (searches: FilledIndex["rare"]): string => asCount(worst(searches.map(({ read }) => read)));

function reportIndex(report: Report, filled: FilledIndex): void {
  const { executions, fillMs, processor, reads, traces, tracesMeanwhile, atOnce, rare, absent, common } =
    filled;
  const name = `${asCount(executions)} executions`;
  report.tell(`filled by the alarm alone, ${name}`, `${asCount(fillMs / 1_000)} s`);
  report.tell(`processor for each of them, ${name}`, asMilliseconds(processor / executions));
  if (tracesMeanwhile.length > 0)
    report.tell(
      `trace of a new request meanwhile, and the worst of ${tracesMeanwhile.length}, ${name}`,
      `${asMilliseconds(median(tracesMeanwhile))}, ${asMilliseconds(worst(tracesMeanwhile))}`,
    );
  report.tell(`\`get_execution\`, ${name}`, asMilliseconds(median(reads)));
  report.tell(
    `trace, and the worst of ${traces.length}, ${name}`,
    `${asMilliseconds(median(traces))}, ${asMilliseconds(worst(traces))}`,
  );
  report.tell(`trace / \`get_execution\`, ${name}`, asTimes(median(traces) / median(reads)));
  report.tell(
    `p95 of the first traces of 23 users at the same moment, ${name}`,
    asMilliseconds(percentile(atOnce, 95)),
  );
  for (const [kind, searches] of Object.entries({ rare, absent, common }))
    report.tell(
      `search for ${kind === "absent" ? "an" : "a"} ${kind} value, and the most executions read, ${name}`,
      `${asMilliseconds(median(timesOf(searches)))}, ${mostRead(searches)}`,
    );
  report.tell(`the database, ${name}`, asMegabytes(filled.storage.bytes));
}

async function bench(report: Report, large: number): Promise<void> {
  const small = await measureFilledIndex(SMALL);
  reportIndex(report, small);
  console.log(toLines(report.rows));
  const filled = await measureFilledIndex(large);
  reportIndex(report, filled);
  console.log(toLines(report.rows));
  const { storage, traces, rare } = filled;
  const many = asCount(large);
  const ratio = median(traces) / median(small.traces);
  report.check(`trace at ${many} / trace at ${asCount(SMALL)}`, ratio, { most: 1.2 }, asTimes);
  report.check(`worst of ${traces.length} traces at ${many}`, worst(traces), { most: 100 }, asMilliseconds);
  report.check(`search for a rare value at ${many}`, median(timesOf(rare)), { most: 400 }, asMilliseconds);
  report.check("bytes for an execution", storage.bytes / storage.executions, { most: 523 }, asCount);
  report.check("rows written for an execution", storage.rows / storage.executions, { most: 2.7 }, (rows) =>
    rows.toFixed(2),
  );
  const held = await measureHeld(Math.min(large, MOST_HELD));
  report.check("most memory held while it filled", held, { most: 32 * 2 ** 20 }, asMebibytes);
}

await runBenchmark({
  part: "index",
  usage: `The history index over 2,000 and over a million recorded executions, filled by its alarm alone.

  --executions <n>  another number than 1,000,000`,
  how: HOW,
  n8n: recordedN8n,
  size: ["executions", LARGE],
  measure: bench,
});
