/**
 * What a real n8n in queue mode answered, as `scripts/tools/record-queue.ts` saved it.
 * Promises: what it returns is what was saved, checked.
 */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { defaultN8nVersion } from "../real-n8n/versions.ts";

export const queueDirectory = join(dirname(fileURLToPath(import.meta.url)), "recording", "queue");

const moment = z.object({
  /**
   * `queued`: two ended, two run, three wait. `ended`: all of these. `worker killed`: one more runs, whose worker is dead.
   * `n8n has noticed`: of this death.
   */
  name: z.string(),
  replies: z.array(z.object({ path: z.string(), status: z.int(), body: z.unknown() })),
});
export type QueueMoment = z.infer<typeof moment>;

/** The moments in their order. */
export async function readQueueMoments(): Promise<QueueMoment[]> {
  return z
    .array(moment)
    .parse(JSON.parse(await readFile(join(queueDirectory, `${defaultN8nVersion}.json`), "utf8")));
}
