/**
 * Coalesces reads of the same value: callers share a read that is in flight, or was made a moment ago.
 *
 * Promises: nobody gets a value whose read began longer than `sharedMs` ago. A cached value lives for at least twice
 * the time that its read took: one that took longer than `sharedMs` would otherwise expire unused. A failure goes to
 * the callers that waited for it, and is not cached.
 */
import { setNewest } from "./bounded-collections.ts";

interface Lifetime {
  /** Milliseconds from the start of a read for which others share it. A cached read is also shared as long as it runs. */
  readonly sharedMs: number;
  /** False to share a read only while it is in flight. */
  readonly isKept: boolean;
}

interface Reading<Value> {
  readonly begunAt: number;
  readonly value: Promise<Value>;
  /** Null while it is in flight. */
  arrived: { readonly value: Value } | null;
  sharedMs: number;
}

export class SharedReading<Value> {
  readonly #lifetime: Lifetime;
  #current: Reading<Value> | null = null;

  constructor(lifetime: Lifetime) {
    this.#lifetime = lifetime;
  }

  /** @param now epoch ms @throws what the shared read throws */
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

  /** The value that `get` would return at once; undefined if it would have to wait. @param now epoch ms */
  known(now: number): Value | undefined {
    return this.#sharedAt(now)?.arrived?.value;
  }

  #sharedAt(now: number): Reading<Value> | null {
    const reading = this.#current;
    // A read that began in the future was made before the clock was set back.
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

/** Shared reads by key; the `most` that were started last are cached. */
export class SharedReadings<Value> {
  readonly #readings = new Map<string, SharedReading<Value>>();
  readonly #lifetime: Lifetime;
  readonly #most: number;

  constructor({ sharedMs, most }: { readonly sharedMs: number; readonly most: number }) {
    this.#lifetime = { sharedMs, isKept: true };
    this.#most = most;
  }

  /** @param now epoch ms @throws what the shared read throws */
  async get(key: string, now: number, read: () => Promise<Value>): Promise<Value> {
    const reading = this.#readings.get(key) ?? new SharedReading<Value>(this.#lifetime);
    return await reading.get(now, async () => {
      setNewest(this.#readings, key, reading, this.#most);
      return await read();
    });
  }

  /** @see SharedReading.known */
  known(key: string, now: number): Value | undefined {
    return this.#readings.get(key)?.known(now);
  }
}
