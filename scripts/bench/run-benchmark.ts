/**
 * Runs a benchmark that has a part in docs/benchmarks.md: reads its options, measures, prints each figure with its
 * bound, and writes the part with --write. Exits 1 if a bound is missed.
 */
import { cpus, totalmem } from "node:os";
import { flag, text, toWholeNumber } from "../command-line/arguments.ts";
import { EXIT_FAILED, runScript } from "../command-line/command.ts";
import { type Part, writePart } from "./benchmarks-file.ts";
import { Report, toLines, toTable } from "./report.ts";

export interface Benchmark {
  readonly part: Part;
  readonly usage: string;
  /** How it is measured, for readers of the figures. */
  readonly how: string;
  /** A sentence about the n8n that was asked. */
  readonly n8n?: () => Promise<string>;
  /** Name and default of an option that takes a number. */
  readonly size?: readonly [name: string, usual: number];
  readonly measure: (report: Report, size: number) => Promise<unknown>;
}

export async function runBenchmark({ part, usage, how, n8n, size, measure }: Benchmark): Promise<void> {
  const [name, usual] = size ?? ["size", 0];
  const options = { write: flag, ...(size === undefined ? {} : { [name]: text }) };
  await runScript(
    `${usage}\n\n  --write  writes its part of docs/benchmarks.md`,
    { options },
    async (parsed) => {
      const values: Readonly<Record<string, string | boolean | undefined>> = parsed.values;
      const typed = values[name];
      const chosen = typeof typed === "string" ? toWholeNumber(typed, `--${name}`, 1) : usual;
      const started = performance.now();
      const report = new Report();
      await measure(report, chosen);
      console.log(toLines(report.rows));
      const seconds = Math.round((performance.now() - started) / 1_000);
      console.log(`${report.missed.length} missed, ${seconds} s, on ${machineInWords()}`);
      if (values.write === true) {
        const where = [machineInWords(), await n8n?.()].filter((each) => each !== undefined).join(". ");
        await writePart(part, `${where}.\n\n${toTable(report.rows)}\n\n${how}`);
        console.log("Wrote docs/benchmarks.md.");
      }
      return report.missed.length === 0 ? 0 : EXIT_FAILED;
    },
  );
}

/** Describes this machine without its name. */
function machineInWords(): string {
  const [first] = cpus();
  const model = first?.model.trim().replace(/\s+/g, " ") ?? "an unknown processor";
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${model}, ${cpus().length} cores, ${memory} GiB of memory, ${process.platform} ${process.arch}, Node ${process.version}`;
}
