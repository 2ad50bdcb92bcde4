/** Counts equal things, and remembers the newest executions in which they occurred. Pure. */

/** One kind of thing. */
export type Tallied<Thing> = Thing & {
  readonly count: number;
  /** The newest executions in which it occurred. */
  readonly executionIds: readonly string[];
};

const MAX_IDS = 5;
const MAX_KINDS = 20;

export class Tally<Thing extends object> {
  readonly #kinds = new Map<string, { thing: Thing; executionIds: Set<string>; count: number }>();

  /** Is called for the newest execution first. Things with equal members are counted together. */
  add(thing: Thing, executionId: string): void {
    const key = JSON.stringify(thing);
    const kind = this.#kinds.get(key) ?? { thing, executionIds: new Set(), count: 0 };
    kind.count += 1;
    if (kind.executionIds.size < MAX_IDS) kind.executionIds.add(executionId);
    this.#kinds.set(key, kind);
  }

  get count(): number {
    return [...this.#kinds.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** Lists the most frequent kinds first, up to a limit. */
  list(): Tallied<Thing>[] {
    return [...this.#kinds.values()]
      .sort((a, b) => b.count - a.count)
      .slice(0, MAX_KINDS)
      .map(({ thing, count, executionIds }) => ({ ...thing, count, executionIds: [...executionIds] }));
  }
}
