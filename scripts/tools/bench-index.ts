/**
 * `npm run tools bench:index`: the history index over 2,000 and over 100,000 recorded executions, filled by its alarm alone.
 *
 * Promises: an answer that is not the right one, or that had to read an execution, ends it; it ends what it started.
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
import { type FilledIndex, measureFilledIndex } from "../bench-index/filled-index.ts";

const SMALL = 2_000;

const HOW = `The Worker runs in workerd, n8n in a process of its own; both and the clients share the machine. The index fills itself by its alarm, while only its progress is requested. Then new users alternate: \`get_execution\` of a small execution, and a trace of a request of the oldest copy, which must be found without reading an execution. Rows written are those of tables and indexes, as Cloudflare counts them, without those written once for a page. Bytes are those of the database file. The memory held is V8's heap and its external memory, in a Node process that runs the same engine over the same n8n, measured after garbage collection every 4 MB of answers.

The figures do not cover: a deployed Worker and its network; a slow n8n, on which the time to fill depends most.`;

function reportIndex(
  report: Report,
  { executions, fillMs, reads, traces, atOnce, searches, mostCandidates, storage }: FilledIndex,
): void {
  const name = `${asCount(executions)} executions`;
  report.tell(`filled by the alarm alone, ${name}`, `${Math.round(fillMs / 1_000)} s`);
  report.tell(`\`get_execution\`, ${name}`, asMilliseconds(median(reads)));
  report.tell(`trace by a new user, ${name}`, asMilliseconds(median(traces)));
  report.tell(`trace / \`get_execution\`, ${name}`, asTimes(median(traces) / median(reads)));
  report.tell(
    `p95 of the first traces of 23 users at the same moment, ${name}`,
    asMilliseconds(percentile(atOnce, 95)),
  );
  report.tell(
    `search for a request id as a whole value, over all, ${name}`,
    asMilliseconds(median(searches)),
  );
  report.tell(`most executions that one search read, ${name}`, asCount(mostCandidates));
  report.tell(`the database, ${name}`, asMegabytes(storage.bytes));
}

async function bench(report: Report, large: number): Promise<void> {
  const small = await measureFilledIndex(SMALL);
  reportIndex(report, small);
  console.log(toLines(report.rows));
  const filled = await measureFilledIndex(large);
  reportIndex(report, filled);
  const { storage, peakGrowth } = filled;
  const ratio = median(filled.traces) / median(small.traces);
  report.check("trace at 100,000 / trace at 2,000", ratio, { most: 1.5 }, asTimes);
  report.check("search over all", median(filled.searches), { most: 1_000 }, asMilliseconds);
  report.check("bytes for an execution", storage.bytes / storage.executions, { most: 1_200 }, asCount);
  report.check("rows written for an execution", storage.rows / storage.executions, { most: 3 }, (rows) =>
    rows.toFixed(2),
  );
  report.check("most memory held while it filled", peakGrowth, { most: 32 * 2 ** 20 }, asMebibytes);
}

await runBenchmark({
  part: "index",
  usage: `The history index over 2,000 and over 100,000 recorded executions, filled by its alarm alone.

  --executions <n>  another number than 100,000`,
  how: HOW,
  n8n: recordedN8n,
  size: ["executions", 100_000],
  measure: bench,
});
