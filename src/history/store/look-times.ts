/**
 * When n8n was looked at last. A look that shows nothing new writes nothing, so that no answer waits for the disk: after
 * a restart the times may be some seconds older, which claims less.
 */
import type { CountedCosts } from "../report/index-costs.ts";
import type { IndexDatabase } from "./index-database.ts";

const WRITTEN_EVERY_MS = 5_000;

export class LookTimes {
  readonly #database: IndexDatabase;
  readonly #costs: CountedCosts;
  #syncedAt: number | null;
  #settledBefore: string | null;
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(database: IndexDatabase, costs: CountedCosts) {
    this.#database = database;
    this.#costs = costs;
    const syncedAt = database.fact("synced at");
    this.#syncedAt = syncedAt === undefined ? null : Number(syncedAt);
    this.#settledBefore = database.fact("settled before") ?? null;
  }

  /** When all that was new was looked at, epoch ms; null before. */
  get syncedAt(): number | null {
    return this.#syncedAt;
  }

  /** What began before was in n8n's lists then: ISO 8601, null when it is not known. */
  get settledBefore(): string | null {
    return this.#settledBefore;
  }

  /** Notes that everything new was looked at. @param settledBefore null keeps the earlier one */
  note(syncedAt: number, settledBefore: string | null): void {
    this.#syncedAt = syncedAt;
    this.#settledBefore = settledBefore ?? this.#settledBefore;
    // Absolute, so that a clock that was set back writes.
    if (Math.abs(syncedAt - this.#writtenAt) < WRITTEN_EVERY_MS) return;
    this.#writtenAt = syncedAt;
    this.#database.setFact("synced at", String(syncedAt));
    if (this.#settledBefore !== null) this.#database.setFact("settled before", this.#settledBefore);
    this.#costs.keep();
  }

  forgetSettled(): void {
    this.#settledBefore = null;
  }
}
