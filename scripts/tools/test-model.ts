/**
 * `npm run tools test:model -- --runs 5000`: compares random histories with a naive reading of them.
 *
 * Promises: exits 0 if all agree; otherwise prints at once the seed that reproduces the failing history, and then the
 * history, shrunk.
 */
import { text, toWholeNumber } from "../command-line/arguments.ts";
import { runScript } from "../command-line/command.ts";
import { becomeScript } from "../command-line/subcommands.ts";

const USAGE = `Random histories, each beside a naive reading of it: what a trace and a search find, and what is counted.

  npm run tools test:model -- [options]

  --runs 5000   how many histories of each kind: one takes about a fifth of a second of CPU
  --seed 1      what chance begins with; without it, anything`;

await runScript(
  USAGE,
  { options: { runs: { ...text, default: "5000" }, seed: text } },
  async ({ values }) => {
    const runs = toWholeNumber(values.runs, "--runs", 1);
    const seed = values.seed === undefined ? undefined : toWholeNumber(values.seed, "--seed", 0);
    await becomeScript({
      file: "node_modules/vitest/vitest.mjs",
      args: [
        "run",
        "--project=unit",
        "test/history/history-model.test.ts",
        "test/history/search/search-model.test.ts",
        "test/features/living-counts.test.ts",
      ],
      env: { MODEL_RUNS: String(runs), ...(seed === undefined ? {} : { MODEL_SEED: String(seed) }) },
    });
  },
);
