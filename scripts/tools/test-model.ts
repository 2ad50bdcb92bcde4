/**
 * `npm run tools test:model -- --runs 5000`: as many random histories as are asked for, each beside a naive reading of it.
 *
 * Promises: ends with 0 when all of them held; when one does not, prints it as short as it could be made, with the
 * seed that makes it again.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import * as z from "zod";
import { inProject, projectDirectory } from "../project.ts";

const HELP = `npm run tools test:model -- [options]

  --runs 5000   how many histories: each takes a fifth of a second of CPU
  --seed 1      what chance begins with; without it, anything
  --help        says this`;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "5000" },
    seed: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

async function run(runs: number, seed: number | undefined): Promise<number> {
  const vitest = inProject("node_modules", "vitest", "vitest.mjs");
  const file = "test/history/history-model.test.ts";
  const child = spawn(process.execPath, [vitest, "run", "--project", "unit", file], {
    cwd: projectDirectory,
    stdio: "inherit",
    env: {
      ...process.env,
      MODEL_RUNS: String(runs),
      ...(seed === undefined ? {} : { MODEL_SEED: String(seed) }),
    },
  });
  const [code] = z.tuple([z.number().nullable(), z.unknown()]).parse(await once(child, "exit"));
  return code ?? 1;
}

if (values.help) console.log(HELP);
else {
  const runs = z.coerce.number().int().min(1).parse(values.runs);
  const seed = z.coerce.number().int().optional().parse(values.seed);
  process.exitCode = await run(runs, seed);
}
