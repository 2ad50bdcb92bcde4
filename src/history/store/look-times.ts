/**
 * When n8n was looked at last. Known at once, and written now and then alone: a look that shows nothing new writes
 * nothing, so that no answer waits for the disk. After a restart they may be some seconds older than they were, which
 * claims less and promises less.
 */

const WRITTEN_EVERY_MS = 5_000;

export interface LookTimes {
  /** When all that was new was looked at, epoch ms; null before. */
  readonly syncedAt: number | null;
  /** What began before was in n8n's lists then: ISO 8601, null when it is not known. */
  readonly settledBefore: string | null;
}

export class HeldLookTimes {
  #times: LookTimes;
  #writtenAt = Number.NEGATIVE_INFINITY;
  readonly #write: (times: LookTimes) => void;

  /** @param kept as they were written */
  constructor(kept: LookTimes, write: (times: LookTimes) => void) {
    this.#times = kept;
    this.#write = write;
  }

  get times(): LookTimes {
    return this.#times;
  }

  note(syncedAt: number, settledBefore: string | null): void {
    this.#times = { syncedAt, settledBefore: settledBefore ?? this.#times.settledBefore };
    // A clock that goes back writes.
    if (Math.abs(syncedAt - this.#writtenAt) < WRITTEN_EVERY_MS) return;
    this.#writtenAt = syncedAt;
    this.#write(this.#times);
  }

  /** n8n has another history. */
  forgetSettled(): void {
    this.#times = { ...this.#times, settledBefore: null };
  }
}
