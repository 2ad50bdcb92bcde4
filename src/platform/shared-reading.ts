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
  /** Once it has arrived. */
  arrived: { readonly value: Value } | null;
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
    const reading = this.#sharedAt(now) ?? this.#begin(now, read);
    this.#current = reading;
    try {
      const value = await reading.value;
      reading.arrived = { value };
      if (!this.#lifetime.isKept) this.#forget(reading);
      return value;
    } catch (error) {
      this.#forget(reading);
      throw error;
    }
  }

  /** The value that `get` would give at once; undefined if it would have to wait. @param now epoch ms */
  known(now: number): Value | undefined {
    return this.#sharedAt(now)?.arrived?.value;
  }

  #sharedAt(now: number): Reading<Value> | null {
    const reading = this.#current;
    // What seems to come from the future was read before the clock was set back.
    return reading === null || Math.abs(now - reading.begunAt) > reading.sharedMs ? null : reading;
  }

  #begin(now: number, read: () => Promise<Value>): Reading<Value> {
    const { sharedMs, isKept } = this.#lifetime;
    const began = Date.now();
    const value = read().finally(() => {
      reading.sharedMs = Math.max(sharedMs, isKept ? 2 * (Date.now() - began) : 0);
    });
    const reading: Reading<Value> = {
      begunAt: now,
      value,
      arrived: null,
      sharedMs: isKept ? Number.POSITIVE_INFINITY : sharedMs,
    };
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
    return await reading.get(now, async () => {
      this.#keep(key, reading);
      return await read();
    });
  }

  /** As the one that began last. */
  #keep(key: string, reading: SharedReading<Value>): void {
    this.#readings.delete(key);
    this.#readings.set(key, reading);
    const [oldest] = this.#readings.keys();
    if (this.#readings.size > this.#most && oldest !== undefined) this.#readings.delete(oldest);
  }

  /** @see SharedReading.known */
  known(key: string, now: number): Value | undefined {
    return this.#readings.get(key)?.known(now);
  }
}
