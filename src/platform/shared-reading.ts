/**
 * One reading for all who want the same value: callers share one that is under way, or was made a moment ago.
 *
 * Promises: a value is given to nobody who asks later than its lifetime after the reading began, or twice as long as the
 * reading took, if that is later and it is kept: one that takes longer than its lifetime would be of use to nobody. A
 * failure goes to those who waited for it, and is not kept.
 */
interface Lifetime {
  /** How long after a reading began others may share it, in milliseconds; one that is kept also while it is under way. */
  readonly sharedMs: number;
  /** False to share a reading only until it ends. */
  readonly isKept: boolean;
}

interface Reading<Value> {
  readonly begunAt: number;
  readonly value: Promise<Value>;
  sharedMs: number;
}

export class SharedReading<Value> {
  readonly #lifetime: Lifetime;
  #current: Reading<Value> | null = null;

  constructor(lifetime: Lifetime) {
    this.#lifetime = lifetime;
  }

  /** @param now epoch ms @throws what the shared reading throws */
  async get(now: number, read: () => Promise<Value>): Promise<Value> {
    // What seems to come from the future was read before the clock was set back.
    if (this.#current === null || Math.abs(now - this.#current.begunAt) > this.#current.sharedMs)
      this.#current = this.#begin(now, read);
    const reading = this.#current;
    try {
      const value = await reading.value;
      if (!this.#lifetime.isKept) this.#forget(reading);
      return value;
    } catch (error) {
      this.#forget(reading);
      throw error;
    }
  }

  #begin(now: number, read: () => Promise<Value>): Reading<Value> {
    const { sharedMs, isKept } = this.#lifetime;
    const began = Date.now();
    const value = read().finally(() => {
      reading.sharedMs = Math.max(sharedMs, isKept ? 2 * (Date.now() - began) : 0);
    });
    const reading = { begunAt: now, value, sharedMs: isKept ? Number.POSITIVE_INFINITY : sharedMs };
    return reading;
  }

  #forget(reading: unknown): void {
    if (this.#current === reading) this.#current = null;
  }
}

/** Readings of many values, each by its key; those that began last are kept. */
export class SharedReadings<Value> {
  readonly #readings = new Map<string, SharedReading<Value>>();
  readonly #lifetime: Lifetime;
  readonly #most: number;

  constructor({ sharedMs, most }: { readonly sharedMs: number; readonly most: number }) {
    this.#lifetime = { sharedMs, isKept: true };
    this.#most = most;
  }

  /** @param now epoch ms @throws what the shared reading throws */
  async get(key: string, now: number, read: () => Promise<Value>): Promise<Value> {
    const reading = this.#readings.get(key) ?? new SharedReading<Value>(this.#lifetime);
    this.#readings.set(key, reading);
    const [oldest] = this.#readings.keys();
    if (this.#readings.size > this.#most && oldest !== undefined) this.#readings.delete(oldest);
    return await reading.get(now, read);
  }
}
