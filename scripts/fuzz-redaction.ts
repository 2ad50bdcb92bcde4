/**
 * Searches for texts that are slow to redact: `npm run fuzz:redaction -- --minutes 15 [--seed 1] [--save]`.
 * Prints the slowest of each rule and of the whole redactor, and ends with 1 when one takes more than 160 ms/MB.
 * `--save` puts the slowest among those that the tests replay.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRandom } from "../test/redaction/corpus/random.ts";
import { rememberedTexts, SLOW_TEXTS_FILE } from "../test/redaction/slow-texts.ts";
import { fragmentsOf } from "./fuzz-redaction/fragments.ts";
import { type Found, Search } from "./fuzz-redaction/search.ts";
import { createTargets, type Target, WHOLE } from "./fuzz-redaction/targets.ts";
import { projectDirectory } from "./project.ts";

const MOST_MILLISECONDS = 160;
const PRINTED = 10;
/** Of each rule, and of the whole. */
const SAVED = 6;
/** Milliseconds for a megabyte. */
const WORTH_SAVING = 20;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "15" },
    seed: { type: "string", default: "1" },
    save: { type: "boolean", default: false },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (!(minutes > 0) || !Number.isInteger(seed)) {
  console.error("Say --minutes with a number above 0, and --seed with a whole number.");
  process.exit(2);
}

function searchesFor(targets: readonly Target[]): Search[] {
  const fragments = fragmentsOf(join(projectDirectory, "src/redaction"));
  const searches = targets.map((target, index) => new Search(target, createRandom(seed + index), fragments));
  for (const { target, ...described } of rememberedTexts()) {
    for (const search of searches) if ([target, WHOLE].includes(search.target.name)) search.try(described);
  }
  return searches;
}

/** Every second try is the whole redactor's: it is what has to be fast. */
function run(searches: readonly Search[], until: number): number {
  const [whole] = searches;
  let tried = 0;
  for (; performance.now() < until; tried += 1) {
    const search = tried % 2 === 0 ? whole : searches[1 + (((tried - 1) / 2) % (searches.length - 1))];
    search?.step();
  }
  return tried;
}

function print({ described, millisecondsForMegabyte }: Found): void {
  console.log(`  ${millisecondsForMegabyte.toFixed(0).padStart(6)} ms/MB  ${JSON.stringify(described)}`);
}

const searches = searchesFor(createTargets());
const tried = run(searches, performance.now() + minutes * 60_000);
console.log(`${tried} texts were tried, seed ${seed}.`);
const results = searches.map((search) => ({ name: search.target.name, found: search.confirm(PRINTED) }));
for (const { name, found } of results) {
  console.log(name);
  found.forEach(print);
}
if (values.save) {
  const saved = results.flatMap(({ name, found }) =>
    found
      .filter(({ millisecondsForMegabyte }) => millisecondsForMegabyte > WORTH_SAVING)
      .slice(0, SAVED)
      .map(({ described }) => ({ target: name, ...described })),
  );
  writeFileSync(SLOW_TEXTS_FILE, `${JSON.stringify(saved, null, 2)}\n`);
}
const slowest = Math.max(
  ...results.flatMap(({ found }) => found.map((each) => each.millisecondsForMegabyte)),
);
console.log(`The slowest took ${slowest.toFixed(0)} ms/MB; ${MOST_MILLISECONDS} are allowed.`);
process.exitCode = slowest > MOST_MILLISECONDS ? 1 : 0;
