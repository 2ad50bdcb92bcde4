/**
 * `npm run tools bench:audit`: what it costs to audit an instance of 300 workflows.
 *
 * Promises: every measurement has a process of its own, and so has the server; audit and drain alternate in one run.
 */
import { benchAudits } from "../bench/audits.ts";
import { runBenchmark } from "../bench/run-benchmark.ts";

const HOW = `The instance consists of copies of the MCP servers by the guide, as a real n8n returns them, and of workflows shaped like public templates, including one of 100 nodes. The audit passes the same boundary as in the Worker, including redaction, in a fresh Node process that still compiles its code; the drain reads the same answers one after the other and discards the bytes. Times are medians of five. Tokens are the larger count of two real tokenizers. Each further page audits the instance again.

The figures do not cover: a Worker; n8n itself, which serves far more slowly, twice.`;

await runBenchmark({
  part: "audit",
  usage: "What it costs to audit an instance of 300 workflows.",
  how: HOW,
  measure: benchAudits,
});
