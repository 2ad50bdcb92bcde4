/** `npm run tools test:model` says how many random histories a test tries, and what chance begins with. */
import * as z from "zod";

export const modelRuns = z
  .object({ MODEL_RUNS: z.coerce.number().int().min(1), MODEL_SEED: z.coerce.number().int() })
  .partial()
  .parse(process.env);

/** How long as many as somebody likes may take says nothing. */
export const patient = modelRuns.MODEL_RUNS === undefined ? {} : { timeout: 24 * 60 * 60 * 1_000 };

/** @param most how many a lane tries by itself */
export const modelParameters = (most: number): { numRuns: number; seed?: number } => ({
  numRuns: modelRuns.MODEL_RUNS ?? most,
  ...(modelRuns.MODEL_SEED === undefined ? {} : { seed: modelRuns.MODEL_SEED }),
});
