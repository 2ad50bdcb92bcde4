/**
 * `npm run tools bench:audit`: what it costs to audit an instance of 300 workflows.
 *
 * Promises: every measurement has a process of its own, and so has the server; audit and drain take turns, in
 * one run.
 */
import { benchAudits } from "../bench/audits.ts";
import { runBenchmark } from "../bench/run-benchmark.ts";

const HOW = `The instance is made of copies of the MCP servers by the guide, as a real n8n gives them, and of workflows of the shapes of public templates, one of 100 nodes among them. The audit runs through the same boundary as in the Worker, redaction and all, in a fresh Node process that still compiles its code; the drain reads the same answers one after the other and drops the bytes. Times are medians of five. Tokens are counted by real tokenizers, the larger of them. A further page audits the instance anew.

What they do not show: a Worker; n8n itself, which serves far more slowly, twice.`;

await runBenchmark({
  part: "audit",
  usage: "What it costs to audit an instance of 300 workflows.",
  how: HOW,
  measure: benchAudits,
});
