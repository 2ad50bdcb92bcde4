/** Summaries of very large executions, and a trace over a history that holds them. */
import { MAX_PAGE_SIZE } from "../../src/history/reading/page-size.ts";
import { pagesWithData } from "./drain.ts";
import { LARGE_EXECUTIONS, largeHistory, requestIdOf } from "./large-executions.ts";
import { inTurns, measure, measureDrain, measureTrace, peakGrowth } from "./measure.ts";
import type { N8nAccess } from "./n8n-access.ts";
import { asMebibytes, asMegabytes, asMilliseconds, asTimes, type Report } from "./report.ts";
import { startLargeServer } from "./servers.ts";
import { medianOf, milliseconds } from "./statistics.ts";
import { type ResultOf, results } from "./tasks.ts";

const REPETITIONS = 5;
const TRACE_REPETITIONS = 3;
const SAMPLE_EVERY_BYTES = { live: 1024 * 1024, raw: 64 * 1024 } as const;

async function benchSummary(
  report: Report,
  n8n: N8nAccess,
  name: string,
  executionId: string,
): Promise<void> {
  const paths = [`/executions/${executionId}?includeData=true`];
  const drained: ResultOf<"drain">[] = [];
  const summaries: ResultOf<"summary">[] = [];
  const explanations: ResultOf<"explanation">[] = [];
  await inTurns(
    REPETITIONS,
    async () => drained.push(await measureDrain(n8n, paths, 1)),
    async () => summaries.push(await measure({ kind: "summary", n8n, executionId }, results.summary)),
    async () =>
      explanations.push(await measure({ kind: "explanation", n8n, executionId }, results.explanation)),
  );
  const [drainTime, summaryTime] = [medianOf(drained, milliseconds), medianOf(summaries, milliseconds)];
  const explanationTime = medianOf(explanations, milliseconds);
  report.tell(`bare drain of an execution of ${name}`, asMilliseconds(drainTime));
  report.tell("its summary", asMilliseconds(summaryTime));
  report.check(`summary / bare drain, ${name}`, summaryTime / drainTime, { most: 2 }, asTimes);
  report.tell("why it ended as it did", asMilliseconds(explanationTime));
  report.check(`explanation / summary, ${name}`, explanationTime / summaryTime, { most: 1.5 }, asTimes);
  for (const samples of ["live", "raw"] as const) {
    const everyBytes = SAMPLE_EVERY_BYTES[samples];
    const held = await peakGrowth({ n8n, holder: { what: "summary", executionId }, samples, everyBytes });
    if (samples === "raw") report.tell("the same with uncollected garbage", asMebibytes(held));
    else report.check(`peak heap growth, ${name}`, held, { most: 16 * 2 ** 20 }, asMebibytes);
  }
}

async function benchLargeTrace(report: Report, n8n: N8nAccess): Promise<void> {
  const oldest = largeHistory.at(-1)?.id ?? 0;
  const first = { requestId: requestIdOf(oldest), executionIds: [String(oldest)] };
  const paths = pagesWithData(
    largeHistory.map(({ id }) => String(id)),
    MAX_PAGE_SIZE,
  );
  const drained: ResultOf<"drain">[] = [];
  const traces: ResultOf<"trace">[] = [];
  await inTurns(
    TRACE_REPETITIONS,
    async () => drained.push(await measureDrain(n8n, paths)),
    async () => traces.push(await measureTrace(n8n, first)),
  );
  const what = `a history of ${largeHistory.length} executions, including ones of ${Object.keys(LARGE_EXECUTIONS).join(" and ")}`;
  const [drainTime, traceTime] = [medianOf(drained, milliseconds), medianOf(traces, milliseconds)];
  report.tell(`${what}, with data`, asMegabytes(drained[0]?.bytes ?? 0));
  report.tell("bare drain of that history", asMilliseconds(drainTime));
  report.tell("first trace over it, complete, nothing skipped", asMilliseconds(traceTime));
  report.tell("first trace / bare drain", asTimes(traceTime / drainTime));
  const everyBytes = SAMPLE_EVERY_BYTES.live;
  const held = await peakGrowth({ n8n, holder: { what: "trace", first }, samples: "live", everyBytes });
  report.check("peak heap growth of that trace", held, { most: 32 * 2 ** 20 }, asMebibytes);
}

export async function benchLargeReading(report: Report): Promise<void> {
  await using server = await startLargeServer();
  for (const [name, { id }] of Object.entries(LARGE_EXECUTIONS))
    await benchSummary(report, server.n8n, name, String(id));
  await benchLargeTrace(report, server.n8n);
}
