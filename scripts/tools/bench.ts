/**
 * `npm run tools bench`: what a trace and a summary cost, on the recorded n8n and on executions made up to be large.
 *
 * Promises: every measurement has a process of its own, and so has each server; compared figures are measured
 * alternately, in one run; a wrong answer aborts it.
 */
import { benchLargeReading } from "../bench/large-reading.ts";
import { recordedN8n } from "../bench/n8n-access.ts";
import { benchRecordedExplanations } from "../bench/recorded-explanations.ts";
import { benchRecordedTraces } from "../bench/recorded-traces.ts";
import { runBenchmark } from "../bench/run-benchmark.ts";

const HOW = `Each figure comes from a fresh Node process that does nothing else; n8n is another process on the same machine. Times are medians of three or five repetitions. Bare drain and trace alternate: both read the same pages, two at a time; the drain discards the bytes and knows all pages beforehand. A fresh process still compiles its code while it measures, which weighs more at 2,000 executions than at 10,000. Each trace starts without an index, searches for the oldest complete request, and must return its whole family, with nothing skipped. Peak heap growth covers V8's heap and its external memory, sampled every 0.5 to 1 MB of answers and at each progress message, after garbage collection; "uncollected garbage" is sampled every 64 KiB without it, with V8's default limits.

The figures do not cover: a Worker (another process, another fetch, a Durable Object for the memory, here SQLite in this process); n8n itself, which serves far more slowly; a network; compressed answers; SQLite's own memory.`;

await runBenchmark({
  part: "recorded",
  usage: "What a trace and a summary cost, on the recorded n8n and on large executions.",
  how: HOW,
  n8n: recordedN8n,
  measure: async (report) => {
    await benchRecordedTraces(report);
    await benchLargeReading(report);
    await benchRecordedExplanations(report);
  },
});
