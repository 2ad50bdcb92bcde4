/** Tracks which executions are being read with data, so that no two scans read the same one at once. Pure. */

export interface BegunReading {
  readonly mine: ReadonlySet<string>;
  /** Resolves when other scans have read the rest or given up on it. Never rejects. */
  readonly others: Promise<unknown>;
  /** Call this once the executions are stored or given up. */
  end(): void;
}

export class ReadsInProgress {
  readonly #ends = new Map<string, Promise<void>>();

  begin(wanted: ReadonlySet<string>): BegunReading {
    const mine = new Set([...wanted].filter((id) => !this.#ends.has(id)));
    const others = new Set([...wanted].flatMap((id) => this.#ends.get(id) ?? []));
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const id of mine) this.#ends.set(id, promise);
    return {
      mine,
      others: Promise.all(others),
      end: () => {
        for (const id of mine) this.#ends.delete(id);
        resolve();
      },
    };
  }
}
