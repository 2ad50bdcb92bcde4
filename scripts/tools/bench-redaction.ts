/**
 * Prints recall, precision and speed of redaction: on our own corpus, and on material of others (`-- --material
 * <folder>`, `../shared/redaction` if that is there).
 */
import { createRedactor } from "../../src/redaction/redact.ts";
import { measureDocuments, measureSecrets, readMaterial } from "../../test/redaction/corpus/material.ts";
import {
  createCases,
  measureOrdinary,
  measureRecall,
  measureRecorded,
  ordinaryValue,
  type Precision,
  type Recall,
} from "../../test/redaction/corpus/measure.ts";
import { makeValue, rememberedTexts } from "../../test/redaction/slow-texts.ts";
import { text } from "../command-line/arguments.ts";
import { runScript } from "../command-line/command.ts";
import { CommandError } from "../command-line/command-error.ts";
import { inProject } from "../project.ts";

const percent = ({ cases, missed }: Recall): string =>
  `${(100 * (1 - missed.length / cases)).toFixed(2)} % of ${cases} cases (${missed.length} missed)`;

const perThousand = (fields: number, wrong: number): string =>
  `${((1000 * wrong) / fields).toFixed(2)} of 1,000 fields redacted for nothing (${wrong} of ${fields})`;
const precision = ({ fields, wrong }: Precision): string => perThousand(fields, wrong.length);

const MEGABYTE = 1_000_000;
const OWN_SECRETS = ["a-secret-of-this-benchmark", "another-secret-of-this-benchmark"];

/** Processor time of this thread in milliseconds for a megabyte, the best of three. */
function rateOf(value: unknown): { readonly size: number; readonly rate: number } {
  const redact = createRedactor(OWN_SECRETS);
  redact("warm up");
  const size = JSON.stringify(value).length / MEGABYTE;
  const times = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage();
    redact(value);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  return { size, rate: Math.min(...times) / size };
}

function speed(name: string, value: unknown): void {
  const { size, rate } = rateOf(value);
  console.log(`  ${name.padEnd(34)} ${size.toFixed(1).padStart(5)} MB  ${rate.toFixed(0).padStart(5)} ms/MB`);
}

/** @throws CommandError when there is none in the folder that was named */
function reportMaterial(named: string | undefined): void {
  const material = readMaterial(named ?? inProject("..", "shared", "redaction"));
  console.log("Material of others");
  if (material === undefined) {
    const help = "pass -- --material <folder>, with secrets.jsonl and ordinary.json in it";
    if (named !== undefined) throw new CommandError(`  none in ${named}: ${help}`);
    console.log(`  none: ${help}`);
    return;
  }
  const redact = createRedactor(OWN_SECRETS);
  for (const { name, cases, found } of measureSecrets(redact, material))
    console.log(
      `  ${((100 * found) / cases).toFixed(1).padStart(5)} % of ${String(cases).padEnd(5)} ${name}`,
    );
  const { fields, wrong } = measureDocuments(redact, material);
  console.log(`  ${perThousand(fields, wrong)}`);
}

const USAGE = `How much of what is secret is found, how much of what is not is left alone, and how fast.

  npm run tools bench:redaction -- [options]

  --material <folder>  measures on this material of others, too; without it, on ../shared/redaction, if that is there`;

await runScript(USAGE, { options: { material: text } }, async ({ values }) => {
  const cases = createCases();
  console.log("Our own corpus");
  console.log(`  structural  ${percent(measureRecall(cases.filter(({ isStructural }) => isStructural)))}`);
  console.log(`  by form     ${percent(measureRecall(cases.filter(({ isStructural }) => !isStructural)))}`);
  console.log(`  all         ${percent(measureRecall(cases))}`);
  console.log(`  generated   ${precision(measureOrdinary(1_000))}`);
  console.log(`  recorded    ${precision(await measureRecorded())}`);
  reportMaterial(values.material);
  console.log("Speed (of one thread, best of three)");
  for (const size of [1, 5]) {
    speed("ordinary data", ordinaryValue(size * MEGABYTE));
    speed("the same as JSON in a string", JSON.stringify(ordinaryValue(size * MEGABYTE)));
    speed(
      "secrets alone",
      Array.from({ length: size * 2 }).flatMap(() => cases.slice(0, 3_000).map(({ value }) => value)),
    );
    speed("one long text", "the order was sent to the customer. ".repeat((size * MEGABYTE) / 36));
  }
  console.log("  what the fuzzer found, the slowest");
  const slowest = rememberedTexts()
    .map((described) => ({ described, ...rateOf(makeValue(described, MEGABYTE / 5)) }))
    .sort((a, b) => b.rate - a.rate);
  for (const { described, rate } of slowest.slice(0, 10))
    console.log(`  ${rate.toFixed(0).padStart(5)} ms/MB  ${JSON.stringify(described).slice(0, 150)}`);
});
