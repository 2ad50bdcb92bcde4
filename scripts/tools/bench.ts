/**
 * `npm run tools bench`: what a trace and a summary cost, on the recorded n8n and on executions made up to be large.
 *
 * Promises: every measurement has a process of its own, and so has each server; what is compared is measured by
 * turns, in one run; an answer that is not the right one ends it. Exits 1 when a figure is not what it should
 * be. With `--write` it also writes its part of docs/benchmarks.md.
 */
import { readRecording } from "../../test/recorded-n8n/recording.ts";
import { writePart } from "../bench/benchmarks-file.ts";
import { benchLargeReading } from "../bench/large-reading.ts";
import { machineInWords } from "../bench/machine.ts";
import { benchRecordedExplanations } from "../bench/recorded-explanations.ts";
import { benchRecordedTraces } from "../bench/recorded-traces.ts";
import { Report, toLines, toTable } from "../bench/report.ts";

const HOW = `Each figure comes from a fresh Node process that does nothing else; n8n is another process on the same machine. Times are medians of three or five repetitions. Bare drain and trace take turns: both read the same pages, two at a time; the drain drops the bytes, and knows all pages beforehand. A fresh process still compiles its code while it measures, which weighs more at 2,000 executions than at 10,000. Each trace begins with an empty memory, seeks the oldest whole request, and must answer its whole family, with nothing skipped. Peak heap growth is V8's heap and what hangs on it, sampled each 0.5 to 1 MB of answers and at each progress message, garbage collected before each sample; "uncollected garbage" is sampled each 64 KiB as it is, with V8's default limits.

What they do not show: a Worker (another process, another fetch, a Durable Object for the memory, here SQLite in this process); n8n itself, which serves far more slowly; a network; compressed answers; SQLite's own memory.`;

const started = performance.now();
const report = new Report();
await benchRecordedTraces(report);
await benchLargeReading(report);
await benchRecordedExplanations(report);
console.log(toLines(report.rows));
const seconds = Math.round((performance.now() - started) / 1_000);
console.log(`${report.missed.length} missed, ${seconds} s, on ${machineInWords()}`);

if (process.argv.includes("--write")) {
  const { manifest } = await readRecording();
  const where = `${machineInWords()}. The recording is of n8n ${manifest.n8nVersion}.`;
  await writePart("recorded", `${where}\n\n${toTable(report.rows)}\n\n${HOW}`);
  console.log("Wrote docs/benchmarks.md.");
}
process.exitCode = report.missed.length === 0 ? 0 : 1;
