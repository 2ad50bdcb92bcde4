/**
 * What the index holds in memory about its latest writes: for which executions a pending list may be outdated, and
 * which need not be written again. Losing it with the object costs some writes, and claims nothing.
 */
import { REQUEST_MS } from "../../platform/time-limits.ts";
import type { MemorableExecution } from "./memorable-execution.ts";
import { hasEnded } from "./traced-execution.ts";

/** By then a list has arrived or failed. */
const LONGEST_LIST_MS = 2 * REQUEST_MS.usual;
/** The most executions that a page of running or waiting ones has. */
const MAX_KEPT_UNFINISHED = 250;

const inWords = ({ termFilter, ...one }: MemorableExecution): string =>
  JSON.stringify([one, termFilter?.join()]);

export class KeptLately {
  /** When executions were stored, epoch ms; held as long as a pending list may be older. */
  readonly #keptAt = new Map<string, number>();
  /** Unfinished executions as they were stored: each look reads them, and they are mostly unchanged. */
  readonly #unfinished = new Map<string, string>();

  isKeptSince(id: string, time: number): boolean {
    return (this.#keptAt.get(id) ?? Number.NEGATIVE_INFINITY) > time;
  }

  noteTime(executions: readonly MemorableExecution[], now: number): void {
    for (const { execution } of executions) {
      // Moves it to the end, since the oldest are removed first.
      this.#keptAt.delete(execution.id);
      this.#keptAt.set(execution.id, now);
    }
    for (const [id, keptAt] of this.#keptAt) {
      if (keptAt > now - LONGEST_LIST_MS) return;
      this.#keptAt.delete(id);
    }
  }

  /** True when exactly this was kept, so that nothing has to be written. */
  isSame(one: MemorableExecution): boolean {
    const kept = this.#unfinished.get(one.execution.id);
    return kept !== undefined && kept === inWords(one);
  }

  noteUnfinished(executions: readonly MemorableExecution[]): void {
    for (const one of executions)
      if (one.facts !== null && !hasEnded(one.execution))
        this.#unfinished.set(one.execution.id, inWords(one));
    for (const id of this.#unfinished.keys()) {
      if (this.#unfinished.size <= MAX_KEPT_UNFINISHED) return;
      this.#unfinished.delete(id);
    }
  }

  forget(id: string): void {
    this.#unfinished.delete(id);
  }

  forgetAllUnfinished(): void {
    this.#unfinished.clear();
  }
}
