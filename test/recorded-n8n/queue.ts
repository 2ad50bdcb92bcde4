/**
 * The answers of a real n8n in queue mode, as `scripts/tools/record-queue.ts` saved them.
 * They are returned as saved, validated.
 */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { defaultN8nVersion } from "../real-n8n/versions.ts";

export const queueDirectory = join(dirname(fileURLToPath(import.meta.url)), "recording", "queue");

const moment = z.object({
  /**
   * `queued`: two have ended, two run, three wait. `ended`: all have ended. `worker killed`: one more runs, whose worker
   * was killed. `n8n has noticed`: n8n has noticed that.
   */
  name: z.string(),
  replies: z.array(z.object({ path: z.string(), status: z.int(), body: z.unknown() })),
});
export type QueueMoment = z.infer<typeof moment>;

/** In chronological order. */
export async function readQueueMoments(): Promise<QueueMoment[]> {
  return z
    .array(moment)
    .parse(JSON.parse(await readFile(join(queueDirectory, `${defaultN8nVersion}.json`), "utf8")));
}
