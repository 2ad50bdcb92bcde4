/** Traces on the recorded n8n compared with the bare drain of the pages that they requested, at two sizes. */
import { inTurns, measureDrain, measureTrace, peakGrowth } from "./measure.ts";
import { asCount, asMebibytes, asMegabytes, asMilliseconds, asTimes, type Report } from "./report.ts";
import { type RecordedServer, startRecordedServer } from "./servers.ts";
import { median, medianOf, milliseconds } from "./statistics.ts";
import type { ResultOf } from "./tasks.ts";

const SMALL = { executions: 2_000, repetitions: 5, heapRepetitions: 3 };
const LARGE = { executions: 10_000, repetitions: 3, heapRepetitions: 2 };

/** Traces over known history in each repetition: the same id again, then others. */
const FURTHER_TRACES = 6;
const SAMPLE_EVERY_BYTES = { live: 512 * 1024, raw: 64 * 1024 } as const;

interface Measured {
  /** Running ones included, which are in no page. */
  readonly executions: number;
  readonly bytes: number;
  readonly drain: ResultOf<"drain">[];
  readonly traces: ResultOf<"trace">[];
  readonly live: number;
  readonly raw: number;
}

async function measureSize(size: typeof SMALL): Promise<Measured> {
  await using server = await startRecordedServer(size.executions);
  const { n8n, oldest } = server;
  const [first] = oldest;
  if (first === undefined) throw new Error("The oldest copy holds no request.");
  const further = [first, ...oldest.slice(1, FURTHER_TRACES)];
  const drained: ResultOf<"drain">[] = [];
  const traces: ResultOf<"trace">[] = [];
  await inTurns(size.repetitions, async () => {
    const traced = await measureTrace(n8n, first, further);
    traces.push(traced);
    drained.push(await measureDrain(n8n, traced.paths));
  });
  const live = await growthOf(server, "live", size.heapRepetitions);
  const raw = await growthOf(server, "raw", 1);
  return { executions: size.executions, bytes: drained[0]?.bytes ?? 0, drain: drained, traces, live, raw };
}

async function growthOf(
  { n8n, oldest: [first] }: RecordedServer,
  samples: "live" | "raw",
  repetitions: number,
): Promise<number> {
  if (first === undefined) throw new Error("The oldest copy holds no request.");
  const everyBytes = SAMPLE_EVERY_BYTES[samples];
  const growths: number[] = [];
  await inTurns(repetitions, async () =>
    growths.push(await peakGrowth({ n8n, holder: { what: "trace", first }, samples, everyBytes })),
  );
  return median(growths);
}

const cpuMilliseconds = (one: { readonly cpuMilliseconds: number }): number => one.cpuMilliseconds;

function reportTimes(report: Report, measured: Measured): void {
  const { executions, bytes, drain, traces } = measured;
  const among = `${asCount(executions)} executions`;
  const times = (of: readonly ResultOf<"drain" | "trace">[]): string =>
    `${asMilliseconds(medianOf(of, milliseconds))} (processor ${asMilliseconds(medianOf(of, cpuMilliseconds))})`;
  report.tell(`${among} with data`, asMegabytes(bytes));
  report.tell(`bare drain, ${among}`, times(drain));
  report.tell(`first trace, id at the far end, ${among}`, times(traces));
  report.check(
    `reading and matching: first trace / bare drain, ${among}`,
    medianOf(traces, milliseconds) / medianOf(drain, milliseconds),
    { most: 3 },
    asTimes,
  );
}

function reportKnownHistory(report: Report, { executions, traces }: Measured): void {
  const among = `${asCount(executions)} executions`;
  const further = traces.flatMap((one) => one.further);
  const second = medianOf(further, milliseconds);
  report.tell(`trace over known history, the same id and others, ${among}`, asMilliseconds(second));
  report.tell("first trace / trace over known history", asTimes(medianOf(traces, milliseconds) / second));
  const pages = Math.max(...further.map((one) => one.pages));
  report.check("pages with data requested from n8n over known history, at most", pages, { most: 0 }, asCount);
}

function reportGrowth(report: Report, small: Measured, large: Measured): void {
  const ratio = medianOf(large.traces, milliseconds) / medianOf(small.traces, milliseconds);
  report.check("time at 10,000 / time at 2,000", ratio, { most: 5.5 }, asTimes);
  for (const { executions, live, raw } of [small, large]) {
    const among = `${asCount(executions)} executions`;
    report.check(`peak heap growth of a first trace, ${among}`, live, { most: 32 * 2 ** 20 }, asMebibytes);
    report.tell(`the same with uncollected garbage, ${among}`, asMebibytes(raw));
  }
  report.check("peak heap growth at 10,000 / at 2,000", large.live / small.live, { most: 1.2 }, asTimes);
}

export async function benchRecordedTraces(report: Report): Promise<void> {
  const [small, large] = [await measureSize(SMALL), await measureSize(LARGE)];
  for (const size of [small, large]) {
    reportTimes(report, size);
    reportKnownHistory(report, size);
  }
  reportGrowth(report, small, large);
}
