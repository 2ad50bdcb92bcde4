/**
 * Where random tests begin: `TEST_SEED`; without it, new values in the heavy lane, and the same ones each time in all
 * other lanes, so that a commit that has passed passes again. Each night tries others (`.github/workflows/night.yml`).
 */
import * as z from "zod";
import { isHeavyLane } from "./lane.ts";

const SEEDS = 2 ** 31;
const REPEATED = 20_261_201;

const { TEST_SEED } = z.object({ TEST_SEED: z.coerce.number().int().optional() }).parse(process.env);

export const newSeed = (): number => Math.floor(Math.random() * SEEDS);

export const propertySeed = TEST_SEED ?? (isHeavyLane ? newSeed() : REPEATED);
