/** `npm run tools test:model` says how many random histories a test tries, and what chance begins with. */
import * as z from "zod";

export const modelRuns = z
  .object({ MODEL_RUNS: z.coerce.number().int().min(1), MODEL_SEED: z.coerce.number().int() })
  .partial()
  .parse(process.env);

/** How long as many as somebody likes may take says nothing. */
export const patient = modelRuns.MODEL_RUNS === undefined ? {} : { timeout: 24 * 60 * 60 * 1_000 };

const SEEDS = 2 ** 31;

/** @param most how many a lane tries by itself */
export const modelParameters = (most: number): { numRuns: number; seed: number } => ({
  numRuns: modelRuns.MODEL_RUNS ?? most,
  seed: modelRuns.MODEL_SEED ?? Math.floor(Math.random() * SEEDS),
});

/** Says at once that a history has failed, and how to make it again: the shortest that fails is found minutes later. */
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
