/**
 * One reading for all who want the same value: callers share one that is under way, or was made a moment ago.
 *
 * Promises: a value is given to nobody who asks later than its lifetime after the reading began; a failure goes to those
 * who waited for it, and is not kept.
 */
interface Lifetime {
  /** How long after a reading began others may share it, in milliseconds. */
  readonly sharedMs: number;
  /** False to share a reading only until it ends. */
  readonly isKept: boolean;
}

export class SharedReading<Value> {
  readonly #lifetime: Lifetime;
  #current: { readonly begunAt: number; readonly value: Promise<Value> } | null = null;

  constructor(lifetime: Lifetime) {
    this.#lifetime = lifetime;
  }

  /** @param now epoch ms @throws what the shared reading throws */
  async get(now: number, read: () => Promise<Value>): Promise<Value> {
    const { sharedMs } = this.#lifetime;
    if (this.#current === null || now - this.#current.begunAt > sharedMs)
      this.#current = { begunAt: now, value: read() };
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
