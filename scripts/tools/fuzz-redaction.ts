/**
 * Searches for texts that are slow to redact. Prints the slowest of each rule and of the whole redactor, and exits 1 if
 * one exceeds the limit.
 */
import { writeFileSync } from "node:fs";
import { createRedactor } from "../../src/redaction/redact.ts";
import { ordinaryValue } from "../../test/redaction/corpus/measure.ts";
import { createRandom } from "../../test/redaction/corpus/random.ts";
import { rememberedTexts, SLOW_TEXTS_FILE } from "../../test/redaction/slow-texts.ts";
import { flag, text, toWholeNumber } from "../command-line/arguments.ts";
import { runScript } from "../command-line/command.ts";
import { fragmentsOf } from "../fuzz-redaction/fragments.ts";
import { fastest, rateOf } from "../fuzz-redaction/measure.ts";
import { type Found, Search } from "../fuzz-redaction/search.ts";
import { createTargets, type Target, WHOLE } from "../fuzz-redaction/targets.ts";
import { inProject } from "../project.ts";

const USAGE = `Searches for texts that are slow to redact.

  npm run tools fuzz:redaction -- [options]

  --minutes 15   how long it searches; after that it measures what it found again, for a minute or two
  --seed 1       what chance begins with
  --save         puts the slowest among those that the tests replay

Figures are nominal: milliseconds for a megabyte on the machine on which ordinary data takes 93. Ordinary data is
measured in the same run, before and after. A text that would take seconds is given up, and told as "more than".
Ends with 1 when a text takes more than 160.`;

const MOST_MILLISECONDS = 160;
/** Milliseconds for a megabyte of ordinary data on the reference machine. */
const NOMINAL_ORDINARY = 93;
const ORDINARY_SIZE = 400_000;
const PRINTED = 10;
/** How many texts are saved, of each rule and of the redactor. */
const SAVED = 6;
/** Milliseconds for a megabyte. */
const WORTH_SAVING = 20;
const PROGRESS_INTERVAL_MS = 30_000;
const PROGRESS_TEXTS = 3;
const PROGRESS_TEXT_LENGTH = 240;

/** Milliseconds for a megabyte of ordinary data, as this machine is now. */
function ordinaryRate(): number {
  const value = ordinaryValue(ORDINARY_SIZE);
  const characters = JSON.stringify(value).length;
  return rateOf({ milliseconds: fastest(5, () => createRedactor([])(value)), characters });
}

function searchesFor(targets: readonly Target[], seed: number): Search[] {
  const fragments = fragmentsOf(inProject("src", "redaction"));
  const searches = targets.map((target, index) => new Search(target, createRandom(seed + index), fragments));
  for (const { target, ...described } of rememberedTexts()) {
    for (const search of searches) if ([target, WHOLE].includes(search.target.name)) search.try(described);
  }
  return searches;
}

/** Every second try is for the whole redactor, because that has to be fast. */
function run(searches: readonly Search[], milliseconds: number): number {
  const [whole] = searches;
  const begun = performance.now();
  let tried = 0;
  for (let nextReportMs = PROGRESS_INTERVAL_MS; performance.now() - begun < milliseconds; tried += 1) {
    const search = tried % 2 === 0 ? whole : searches[1 + (((tried - 1) / 2) % (searches.length - 1))];
    search?.step();
    if (performance.now() - begun < nextReportMs) continue;
    nextReportMs += PROGRESS_INTERVAL_MS;
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
    console.error(`${seconds} s: ${tried} texts tried. The slowest on this machine as it is now:`);
    for (const one of whole?.found.slice(0, PROGRESS_TEXTS) ?? []) {
      const told = JSON.stringify(one.described).slice(0, PROGRESS_TEXT_LENGTH);
      console.error(`  ${one.millisecondsForMegabyte.toFixed(0).padStart(6)} ms/MB  ${told}`);
    }
  }
  return tried;
}

const OPTIONS = { minutes: { ...text, default: "15" }, seed: { ...text, default: "1" }, save: flag } as const;

await runScript(USAGE, { options: OPTIONS }, async ({ values }) => {
  const minutes = toWholeNumber(values.minutes, "--minutes", 1);
  const seed = toWholeNumber(values.seed, "--seed", 0);
  const ordinaryBefore = ordinaryRate();
  const searches = searchesFor(createTargets(), seed);
  const tried = run(searches, minutes * 60_000);
  console.error("Measuring the slowest again.");
  const results = searches.map((search) => ({ name: search.target.name, found: search.confirm(PRINTED) }));
  const ordinary = (ordinaryBefore + ordinaryRate()) / 2;
  const nominal = ({ millisecondsForMegabyte }: Found): number =>
    (millisecondsForMegabyte * NOMINAL_ORDINARY) / ordinary;

  console.log(
    `${tried} texts were tried, seed ${seed}. Ordinary data took ${ordinary.toFixed(0)} ms/MB here.`,
  );
  for (const { name, found } of results) {
    console.log(name);
    for (const one of found) {
      const figure = `${one.isMore ? ">" : ""}${nominal(one).toFixed(0)}`;
      console.log(`  ${figure.padStart(7)} ms/MB  ${JSON.stringify(one.described)}`);
    }
  }
  if (values.save) {
    const saved = results.flatMap(({ name, found }) =>
      found
        .filter((one) => nominal(one) > WORTH_SAVING)
        .slice(0, SAVED)
        .map(({ described }) => ({ target: name, ...described })),
    );
    writeFileSync(SLOW_TEXTS_FILE, `${JSON.stringify(saved, null, 2)}\n`);
  }
  const slowest = Math.max(...results.flatMap(({ found }) => found.map(nominal)));
  console.log(`The slowest took ${slowest.toFixed(0)} ms/MB; ${MOST_MILLISECONDS} are allowed.`);
  return slowest > MOST_MILLISECONDS ? 1 : 0;
});
