/**
 * `npm run tools bench:audit`: what it costs to audit an instance of 300 workflows.
 *
 * Promises: every measurement has a process of its own, and so has the server; audit and drain take turns, in
 * one run. Exits 1 when a figure is not what it should be. With `--write` it also writes its part of
 * docs/benchmarks.md.
 */
import { benchAudits } from "../bench/audits.ts";
import { writePart } from "../bench/benchmarks-file.ts";
import { machineInWords } from "../bench/machine.ts";
import { Report, toLines, toTable } from "../bench/report.ts";

const HOW = `The instance is made of copies of the MCP servers by the guide, as a real n8n gives them, and of workflows of the shapes of public templates, one of 100 nodes among them. The audit runs through the same boundary as in the Worker, redaction and all, in a fresh Node process that still compiles its code; the drain reads the same answers one after the other and drops the bytes. Times are medians of five. Tokens are counted by real tokenizers, the larger of them. A further page audits the instance anew.

What they do not show: a Worker; n8n itself, which serves far more slowly, twice.`;

const report = new Report();
await benchAudits(report);
console.log(toLines(report.rows));
console.log(`${report.missed.length} missed, on ${machineInWords()}`);

if (process.argv.includes("--write")) {
  await writePart("audit", `${machineInWords()}.\n\n${toTable(report.rows)}\n\n${HOW}`);
  console.log("Wrote docs/benchmarks.md.");
}
process.exitCode = report.missed.length === 0 ? 0 : 1;
