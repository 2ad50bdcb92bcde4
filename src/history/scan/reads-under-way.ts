/**
 * Which executions are being read with their data just now, so that two scans of one n8n never read the same one at
 * the same time. Pure.
 */

export interface BegunReading {
  readonly mine: ReadonlySet<string>;
  /** Resolves when others have read, or given up, the rest. Never fails. */
  readonly others: Promise<unknown>;
  /** To be called once the executions are kept or given up. */
  end(): void;
}

export class ReadsUnderWay {
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
