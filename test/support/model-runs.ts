/** The number of random histories and the seed, which `npm run tools test:model` sets. */
import * as z from "zod";
import { newSeed, propertySeed } from "./property-seed.ts";

export const modelRuns = z
  .object({ MODEL_RUNS: z.coerce.number().int().min(1), MODEL_SEED: z.coerce.number().int() })
  .partial()
  .parse(process.env);

/** Any number of histories may take any time. */
export const patient = modelRuns.MODEL_RUNS === undefined ? {} : { timeout: 24 * 60 * 60 * 1_000 };

/** @param most the number of runs by default */
export const modelParameters = (most: number): { numRuns: number; seed: number } => ({
  numRuns: modelRuns.MODEL_RUNS ?? most,
  seed: modelRuns.MODEL_SEED ?? (modelRuns.MODEL_RUNS === undefined ? propertySeed : newSeed()),
});

/** Reports a failed history at once with its seed, as shrinking it takes minutes. */
export function sayingAtOnce<Args extends readonly unknown[]>(
  { seed }: { readonly seed: number },
  holds: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  let hasFailed = false;
  return async (...args) => {
    try {
      await holds(...args);
    } catch (error) {
      if (!hasFailed)
        console.error(`A history failed (--seed ${seed}). A shorter one that fails is looked for.`);
      hasFailed = true;
      throw error;
    }
  };
}
