/**
 * When n8n was looked at last. A look that shows nothing new writes nothing, so that no answer waits for the disk: after
 * a restart the times may be some seconds older, which claims less.
 */
import * as z from "zod";
import type { CountedCosts } from "../report/index-costs.ts";
import type { IndexDatabase } from "./index-database.ts";

const WRITTEN_EVERY_MS = 5_000;

/**
 * What began before this time and under no higher id was in n8n's lists. Either alone says too much: the clock of a worker
 * may be ahead, and what waits in a queue begins late for its id.
 */
const settled = z.object({
  /** ISO 8601, by n8n's clock. */
  before: z.string(),
  upTo: z.string(),
});
export type Settled = z.infer<typeof settled>;

export class LookTimes {
  readonly #database: IndexDatabase;
  readonly #costs: CountedCosts;
  #syncedAt: number | null;
  #settled: Settled | null;
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(database: IndexDatabase, costs: CountedCosts) {
    this.#database = database;
    this.#costs = costs;
    const syncedAt = database.fact("synced at");
    this.#syncedAt = syncedAt === undefined ? null : Number(syncedAt);
    this.#settled = database.factOf("settled", settled) ?? null;
  }

  /** When all that was new was looked at, epoch ms; null before. */
  get syncedAt(): number | null {
    return this.#syncedAt;
  }

  /** Null when it is not known. */
  get settled(): Settled | null {
    return this.#settled;
  }

  /** Notes that everything new was looked at. @param settles null keeps the earlier one */
  note(syncedAt: number, settles: Settled | null): void {
    this.#syncedAt = syncedAt;
    this.#settled = settles ?? this.#settled;
    // Absolute, so that a clock that was set back writes.
    if (Math.abs(syncedAt - this.#writtenAt) < WRITTEN_EVERY_MS) return;
    this.#writtenAt = syncedAt;
    this.#database.setFact("synced at", String(syncedAt));
    if (this.#settled !== null) this.#database.setFact("settled", JSON.stringify(this.#settled));
    this.#costs.keep();
  }

  forgetSettled(): void {
    this.#settled = null;
  }
}
