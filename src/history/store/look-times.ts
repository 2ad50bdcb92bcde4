/**
 * When n8n was last looked at. A look that shows nothing new writes nothing, so that no answer waits for the disk:
 * after a restart the times may be some seconds older, which claims less.
 */
import * as z from "zod";
import type { CountedCosts } from "../report/index-costs.ts";
import type { IndexDatabase } from "./index-database.ts";

const WRITTEN_EVERY_MS = 5_000;

/**
 * Every execution that began before this time and has no higher id was in n8n's lists. Both bounds are needed: a
 * worker's clock may be ahead, and a queued execution begins late for its id.
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

  /** Epoch ms of the last complete look for new executions; null before the first one. */
  get syncedAt(): number | null {
    return this.#syncedAt;
  }

  /** Null if unknown. */
  get settled(): Settled | null {
    return this.#settled;
  }

  /** Records a complete look for new executions. @param settles null keeps the earlier value */
  note(syncedAt: number, settles: Settled | null): void {
    this.#syncedAt = syncedAt;
    this.#settled = settles ?? this.#settled;
    // Absolute, so that it is also written after the clock was set back.
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
