/** Prints how much of what is secret is found, how much of what is not is left alone, and how fast. */
import { createRedactor } from "../src/redaction/redact.ts";
import {
  createCases,
  measureOrdinary,
  measureRecall,
  measureRecorded,
  ordinaryValue,
  type Precision,
  type Recall,
} from "../test/redaction/corpus/measure.ts";

const percent = ({ cases, missed }: Recall): string =>
  `${(100 * (1 - missed.length / cases)).toFixed(2)} % of ${cases} cases (${missed.length} missed)`;

const perThousand = ({ fields, wrong }: Precision): string =>
  `${((1000 * wrong.length) / fields).toFixed(2)} of 1,000 fields redacted for nothing (${wrong.length} of ${fields})`;

const MEGABYTE = 1_000_000;

function speed(name: string, value: unknown): void {
  const redact = createRedactor(["a-secret-of-this-benchmark", "another-secret-of-this-benchmark"]);
  redact("warm up");
  const size = JSON.stringify(value).length / MEGABYTE;
  const times = [1, 2, 3].map(() => {
    const began = performance.now();
    redact(value);
    return performance.now() - began;
  });
  const best = Math.min(...times);
  console.log(
    `  ${name.padEnd(34)} ${size.toFixed(1)} MB  ${best.toFixed(0)} ms  ${(best / size).toFixed(0)} ms/MB`,
  );
}

const cases = createCases();
console.log("Recall");
console.log(`  structural  ${percent(measureRecall(cases.filter(({ isStructural }) => isStructural)))}`);
console.log(`  by form     ${percent(measureRecall(cases.filter(({ isStructural }) => !isStructural)))}`);
console.log(`  all         ${percent(measureRecall(cases))}`);
console.log("Precision");
console.log(`  generated   ${perThousand(measureOrdinary(1_000))}`);
console.log(`  recorded    ${perThousand(await measureRecorded())}`);
console.log("Speed (best of three)");
for (const size of [1, 10]) {
  speed("ordinary data", ordinaryValue(size * MEGABYTE));
  speed("the same as JSON in a string", JSON.stringify(ordinaryValue(size * MEGABYTE)));
  speed(
    "secrets alone",
    Array.from({ length: size * 2 }).flatMap(() => cases.slice(0, 3_000).map(({ value }) => value)),
  );
  speed("one long text", "the order was sent to the customer. ".repeat((size * MEGABYTE) / 36));
}
